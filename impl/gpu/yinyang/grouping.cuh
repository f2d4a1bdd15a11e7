// Groups of centroids, fixed for the run: five iterations of k-means on the host (Ding et al., ICML 2015, Section 3; taylor2021, Section III.C).
// Cost: 5 k t d FMAs. Deterministic: one thread, sums in order of centroids.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace km::yinyang {

/// Returns the group of each of k centroids (k x d, row-major); groups may be empty. Centres start at every (k / groups)th centroid.
template <class T>
std::vector<int> group_centroids(std::span<const T> centroids, int d, int k, int groups, int iters = 5) {
  const auto row = [&](int c) { return centroids.data() + std::size_t(c) * d; };
  std::vector<double> centres(std::size_t(d) * groups), sums(centres.size()), dist(groups);  // d x groups: inner loops have no dependency chains
  for (int g = 0; g < groups; ++g)
    for (int j = 0; j < d; ++j) centres[std::size_t(j) * groups + g] = row(static_cast<int>(std::int64_t(g) * k / groups))[j];
  std::vector<int> group(k), sizes(groups);
  for (int iteration = 0; iteration < iters; ++iteration) {
    std::ranges::fill(sums, 0.0);
    std::ranges::fill(sizes, 0);
    for (int c = 0; c < k; ++c) {
      std::ranges::fill(dist, 0.0);
      for (int j = 0; j < d; ++j) {
        const double value = row(c)[j], *const of_centres = centres.data() + std::size_t(j) * groups;
        for (int g = 0; g < groups; ++g) dist[g] += (value - of_centres[g]) * (value - of_centres[g]);
      }
      group[c] = static_cast<int>(std::ranges::min_element(dist) - dist.begin());
      ++sizes[group[c]];
      for (int j = 0; j < d; ++j) sums[std::size_t(j) * groups + group[c]] += row(c)[j];
    }
    for (std::size_t at = 0; at < sums.size(); ++at)
      if (const int size = sizes[at % groups]; size > 0) centres[at] = sums[at] / size;
  }
  return group;
}

/// taylor2021, Section IV.D: 20 groups on the GPU, or `wanted` if not 0; at most k.
inline int how_many_groups(int k, int wanted) { return std::min(k, wanted > 0 ? wanted : 20); }

}  // namespace km::yinyang
