// Fused assign and update on the CPU over points in place: lutz2018's CPU share of the chunks (Section 5).
#pragma once

#include <cstdint>

namespace km {

/// Labels n points (rows of d) by the nearest of k centroids and adds them to sums (k x d) and counts. Returns the number of changed labels.
template <class T>
std::int64_t label_and_sum(const T* points, std::int64_t n, int d, int k, const T* centroids, std::int32_t* labels, double* sums,
                           std::int64_t* counts, int threads);

}  // namespace km
