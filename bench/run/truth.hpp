// How far a result agrees with what a generator placed: groups of points and ideal centroids. No verdict depends on it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace km {

/// How far two labelings of the same points agree, whatever the labels' names.
struct Agreement {
  double ari;  // adjusted Rand index (Hubert and Arabie, "Comparing partitions", 1985): 1 equal, 0 as by chance
  double nmi;  // mutual information over the mean of both entropies (Strehl and Ghosh, "Cluster ensembles", 2002): 1 equal, 0 independent
};

/// Labels are at least 0. Both spans have one length.
Agreement agreement_of(std::span<const std::int32_t> a, std::span<const std::int32_t> b);

/// Mean absolute difference between centroids (k x d) and ideal centroids (rows of d), each centroid matched to its nearest ideal one.
template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d);

}  // namespace km
