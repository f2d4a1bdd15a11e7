// The points of a case: loaded once for the cases that share them, read-only, and hashed again when a case ends.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "bench/data/dataset.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/values.hpp"
#include "bench/judge/errors.hpp"
#include "bench/judge/replay.hpp"
#include "bench/run/measure.hpp"

namespace km {

/// A data set, of several ranks this one's share, and the spread that the judge needs.
template <class T>
struct Points {
  Dataset<T> set;
  Spread spread;
  std::string hash;              // of this process's points
  mutable KnownEnds<T> known{};  // what the judge learnt about them, for the cases that follow

  /// Reads all points: true if they still have their hash. Read-only pages stop neither mprotect nor /proc/self/mem, nor a writer of a mapped file.
  bool intact() const { return hash_of(set.points().data(), set.points().size_bytes()) == hash; }
};

/// The greatest difference of a value of any rank from its dimension's mean.
template <class T>
double farthest_from_means(const Dataset<T>& set, const std::vector<double>& means, Group* group) {
  double farthest = 0;
  const auto points = set.points();
  for (std::size_t at = 0; at < points.size(); ++at) farthest = std::max(farthest, std::abs(double(points[at]) - means[at % means.size()]));
  return std::ranges::max(gathered<double>(group, {farthest}));
}

/// Throws CannotRun if distances² of points and centroids may overflow. greatest: of their values.
template <class T>
void check_reach(const char* whose, double greatest, const ProblemShape& p) {
  const double most = double(std::numeric_limits<T>::max()) / 4 / p.d / (sizeof(T) == 8 ? double(p.n) : 1.0);
  if (greatest > std::sqrt(most))
    throw CannotRun(fmt::format("{} reach {:.3g}: distances² overflow {}; scale the data", whose, greatest, sizeof(T) == 4 ? "fp32" : "fp64"));
}

/// Throws as load_dataset does, and CannotRun if distances² would overflow, or those between ordinary points underflow.
template <class T>
std::shared_ptr<Points<T>> load_points(const DatasetRequest& request, Group* group = nullptr) {
  auto points = std::make_shared<Points<T>>(load_dataset<T>(request, group), Spread{}, std::string());
  const Dataset<T>& set = points->set;
  points->spread = spread_of(Problem<T>{{.n = set.rows, .d = set.d, .k = 1}, set.points(), {}, group, {set.first, set.n}});
  points->hash = group ? hash_of(set.points().data(), set.points().size_bytes()) : set.hash;
  check_reach<T>("values", std::ranges::max(points->spread.greatest), {.n = set.n, .d = set.d});
  double widest = std::ranges::max(points->spread.deviations);
  if (widest == 0) widest = farthest_from_means(set, points->spread.means, group);  // squares may underflow
  if (widest > 0 && widest < std::sqrt(double(std::numeric_limits<T>::min() / std::numeric_limits<T>::epsilon())))
    throw CannotRun(fmt::format("points are {:.3g} apart: distances² underflow {}; scale the data", widest, sizeof(T) == 4 ? "fp32" : "fp64"));
  return points;
}

/// The last data set, of either precision. It is kept, because cases that share one follow each other.
struct LastPoints {
  DatasetRequest request;
  std::size_t value_bytes = 0;
  std::shared_ptr<const void> points;  // Points<T>

  /// Returns whether it is the wanted one. Frees it otherwise: both may not fit.
  bool keep(const DatasetRequest& wanted, std::size_t wanted_bytes) {
    if (request != wanted || value_bytes != wanted_bytes) points.reset();
    return points != nullptr;
  }
};
inline LastPoints last_points;

/// Returns points in read-only memory. Throws as load_points does.
template <class T>
std::shared_ptr<const Points<T>> points_of(const DatasetRequest& request, Group* group = nullptr) {
  if (!last_points.keep(request, sizeof(T))) {
    auto points = load_points<T>(request, group);
    protect_values(points->set.values.get(), "the points");
    last_points = {request, sizeof(T), std::move(points)};
  }
  return std::static_pointer_cast<const Points<T>>(last_points.points);
}

}  // namespace km
