// The points of a replay's sample.

#include <algorithm>
#include <cmath>
#include <limits>

#include "bench/judge/draws.hpp"
#include "bench/judge/replay.hpp"

namespace km {
namespace {

constexpr std::int64_t largest_sample = 4096;
constexpr int most_pairs = 64;  // of centroids with witnesses between them

template <class T>
std::vector<T> drawn_points(const Problem<T>& p, std::mt19937_64& draws) {
  const std::int64_t n = p.whole().n, least = std::min<std::int64_t>(n, std::max(2 * p.k, 512));
  const std::int64_t wanted = std::clamp(n / 64, least, std::max<std::int64_t>(largest_sample, 2 * p.k));
  std::vector<T> mine;
  for (const std::int64_t of_all : spread_sample(n, wanted, draws))
    if (const std::int64_t i = of_all - p.shard.first; i >= 0 && i < p.n)
      mine.insert(mine.end(), p.points.begin() + i * p.d, p.points.begin() + (i + 1) * p.d);
  return gathered(p.group, std::move(mine));
}

/// The nearest centroid that is not equal to c, and its distance²; c if all are.
template <class T>
std::pair<int, double> nearest_other(const Problem<T>& p, int c) {
  int other = c;
  double least = std::numeric_limits<double>::infinity();
  const T* const row = p.initial_centroids.data() + std::size_t(c) * p.d;
  for (int candidate = 0; candidate < p.k; ++candidate) {
    const double dist = squared_distance(row, p.initial_centroids.data() + std::size_t(candidate) * p.d, p.d);
    if (dist > 0 && dist < least) least = dist, other = candidate;
  }
  return {other, least};
}

}  // namespace

template <class T>
std::vector<T> sample_with_witnesses(const Problem<T>& p, Distance form, std::mt19937_64& draws) {
  const int d = p.d;
  std::vector<T> points = drawn_points(p, draws);
  std::vector<double> least(std::size_t(d), std::numeric_limits<double>::infinity()), most(std::size_t(d), -least[0]);
  for (std::size_t at = 0; at < points.size(); ++at) {
    least[at % d] = std::min(least[at % d], double(points[at]));
    most[at % d] = std::max(most[at % d], double(points[at]));
  }
  const auto is_far = [&](double x, int j) { return x < least[j] - (most[j] - least[j]) || x > most[j] + (most[j] - least[j]); };
  for (int c = 0; c < std::min(p.k, most_pairs); ++c) {
    const auto [other, dist] = nearest_other(p, c);
    if (other == c) continue;
    const T* const from = p.initial_centroids.data() + std::size_t(c) * d;
    const T* const to = p.initial_centroids.data() + std::size_t(other) * d;
    std::vector<double> middle(std::size_t(d), 0);
    bool far = false;  // further outside a dimension's range than it is wide: witnesses there would raise the bounds of every mean near them
    for (int j = 0; j < d; ++j) {
      middle[j] = 0.5 * double(from[j]) + 0.5 * double(to[j]);
      far |= is_far(middle[j], j);
    }
    if (far) continue;
    const double magnitude =
        form == Distance::difference ? dist / 2 : 2 * squared_norm(middle.data(), d) + squared_norm(from, d) + squared_norm(to, d);
    for (const double times : {1.5, -1.5, 4.0, -4.0, 32.0, -32.0}) {
      const double step = times * (rounding_factor(d) * unit_roundoff<T> + cut_factors(form)) * magnitude / (2 * dist);
      if (std::abs(step) > 0.25) continue;
      for (int j = 0; j < d; ++j) points.push_back(T(middle[j] + step * (double(to[j]) - double(from[j]))));
    }
  }
  return points;
}

template std::vector<float> sample_with_witnesses(const Problem<float>&, Distance, std::mt19937_64&);
template std::vector<double> sample_with_witnesses(const Problem<double>&, Distance, std::mt19937_64&);

}  // namespace km
