// Loads the points of a case. Caches the last data set, because cases that share one follow each other.
#pragma once

#include <memory>
#include <vector>

#include "bench/data/dataset.hpp"
#include "bench/data/hash.hpp"

namespace km {

/// A data set and the deviations that the judge needs.
template <class T>
struct Points {
  Dataset<T> set;
  std::vector<double> deviations;
};

/// Returns points in read-only memory. Throws as load_dataset does, and CannotRun if distances² would overflow.
template <class T>
std::shared_ptr<const Points<T>> points_of(const DatasetRequest& request);

/// Reads all points: true if they still have their hash. Read-only pages stop neither mprotect nor /proc/self/mem, nor a writer of a mapped file.
template <class T>
bool intact(const Points<T>& points) {
  return hash_of(points.set.values.get(), points.set.points().size_bytes()) == points.set.hash;
}

}  // namespace km
