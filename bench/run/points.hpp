// The points of a case in this process. The last data set stays: cases that share one follow each other.
#pragma once

#include <memory>
#include <vector>

#include "bench/data/dataset.hpp"

namespace km {

/// A data set and what the judge has to know of it.
template <class T>
struct Points {
  Dataset<T> set;
  std::vector<double> deviations;
};

/// Read-only memory. Throws as load_dataset does, and CannotRun for values whose distances² would overflow.
template <class T>
std::shared_ptr<const Points<T>> points_of(const DatasetRequest& request);

}  // namespace km
