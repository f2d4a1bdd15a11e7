// Assign and update fused on the CPU, over points where they lie: what lutz2018's CPU does with its share of the chunks (Section 5).
#pragma once

#include <cstdint>

namespace km {

/// Labels n points (rows of d) by the nearest of k centroids; adds their values to sums (k x d) and counts. Returns how many labels changed.
template <class T>
std::int64_t label_and_sum(const T* points, std::int64_t n, int d, int k, const T* centroids, std::int32_t* labels, double* sums,
                           std::int64_t* counts, int threads);

}  // namespace km
