// Loads the points of a case. Caches the last data set, because cases that share one follow each other.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "bench/data/dataset.hpp"
#include "bench/data/hash.hpp"
#include "bench/run/measure.hpp"

namespace km {

/// A data set and the deviations that the judge needs.
template <class T>
struct Points {
  Dataset<T> set;
  std::vector<double> deviations;
};

/// Refuses values whose distances² overflow.
template <class T>
void refuse_overflow(const Dataset<T>& dataset) {
  double largest = 0;
  const T* values = dataset.values.get();
#pragma omp parallel for reduction(max : largest)
  for (std::int64_t at = 0; at < dataset.n * dataset.d; ++at) largest = std::max(largest, std::abs(double(values[at])));
  const double most = double(std::numeric_limits<T>::max()) / 4 / dataset.d / (sizeof(T) == 8 ? double(dataset.n) : 1.0);
  if (largest > std::sqrt(most))
    throw CannotRun(fmt::format("values reach {:.3g}: distances² overflow {}; scale the data", largest, sizeof(T) == 4 ? "fp32" : "fp64"));
}

/// Returns points in read-only memory. Throws as load_dataset does, and CannotRun if distances² would overflow.
template <class T>
std::shared_ptr<const Points<T>> points_of(const DatasetRequest& request) {
  static std::shared_ptr<const Points<T>> last;
  static DatasetRequest last_request;
  if (last && last_request == request) return last;
  last.reset();  // free memory first: both may not fit
  auto points = std::make_shared<Points<T>>(load_dataset<T>(request));
  refuse_overflow(points->set);
  points->deviations = standard_deviations(Problem<T>{{.n = points->set.n, .d = points->set.d, .k = 1}, points->set.points(), {}});
  protect_values(points->set.values.get(), "the points");
  last_request = request;
  return last = std::move(points);
}

/// Reads all points: true if they still have their hash. Read-only pages stop neither mprotect nor /proc/self/mem, nor a writer of a mapped file.
template <class T>
bool intact(const Points<T>& points) {
  return hash_of(points.set.values.get(), points.set.points().size_bytes()) == points.set.hash;
}

}  // namespace km
