#include "bench/run/truth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace km {
namespace {

double pairs(double count) { return count * (count - 1) / 2; }

/// The labels' entropy, in nats.
double entropy_of(const std::map<std::int32_t, double>& counts, double n) {
  double sum = 0;
  for (const auto& [label, count] : counts) sum -= count / n * std::log(count / n);
  return sum;
}

}  // namespace

Agreement agreement_of(std::span<const std::int32_t> a, std::span<const std::int32_t> b) {
  std::map<std::int32_t, double> of_a, of_b;
  std::map<std::pair<std::int32_t, std::int32_t>, double> both;
  for (std::size_t i = 0; i < a.size();) {  // points of equal labels often follow each other
    std::size_t end = i + 1;
    while (end < a.size() && a[end] == a[i] && b[end] == b[i]) ++end;
    const auto run = double(end - i);
    of_a[a[i]] += run;
    of_b[b[i]] += run;
    both[{a[i], b[i]}] += run;
    i = end;
  }
  const auto n = double(a.size());
  double together = 0, in_a = 0, in_b = 0, information = 0;
  for (const auto& [labels, count] : both) {
    together += pairs(count);
    information += count / n * std::log(n * count / (of_a[labels.first] * of_b[labels.second]));
  }
  for (const auto& [label, count] : of_a) in_a += pairs(count);
  for (const auto& [label, count] : of_b) in_b += pairs(count);
  const double expected = n > 1 ? in_a * in_b / pairs(n) : 0, most = (in_a + in_b) / 2;
  const double entropies = (entropy_of(of_a, n) + entropy_of(of_b, n)) / 2;
  return {.ari = most == expected ? 1 : (together - expected) / (most - expected), .nmi = entropies == 0 ? 1 : information / entropies};
}

/// Threads share the centroids; a sum that exceeds the least so far ends early.
template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d) {
  std::vector<double> least(centroids.size() / std::size_t(d), std::numeric_limits<double>::infinity());
#pragma omp parallel for if (centroids.size() * ideal.size() > 1 << 20)
  for (std::size_t c = 0; c < least.size(); ++c)
    for (std::size_t o = 0; o < ideal.size(); o += d) {
      double error = 0;
      for (int j = 0; j < d && error < least[c]; ++j) error += std::abs(double(centroids[c * d + j]) - ideal[o + j]);
      least[c] = std::min(least[c], error);
    }
  return std::accumulate(least.begin(), least.end(), 0.0) / double(centroids.size());
}

template double centroid_error(const std::vector<float>&, const std::vector<double>&, int);
template double centroid_error(const std::vector<double>&, const std::vector<double>&, int);

}  // namespace km
