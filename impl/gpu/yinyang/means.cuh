// taylor2021's centroid update in two kernels (Section III.D): n threads add moved points atomically to sums in global memory; then sums become
// means. The paper stores means only, next = (c old_count - left + joined) / new_count, each rounded and multiplied again. A shrinking cluster thus
// inherits the rounding of the larger one. The update "incremental" does the same; what left and joined is summed in integers (fixed_point.cuh),
// without rounding in any order. By default whole clusters are such sums, and nothing is inherited. The second kernel also computes the centroids'
// drifts, widened (bounds.cuh), and the next layout.
// Cost of an iteration: labels read twice; moved points read once, with two to four atomicAdds per value.
#pragma once

#include "bench/contract/implementation.hpp"
#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/fixed_point.cuh"
#include "impl/gpu/lloyd/screen_halves.cuh"
#include "impl/gpu/yinyang/bounds.cuh"
#include "impl/gpu/yinyang/grouped.cuh"

namespace km::yinyang {

template <class T>
struct MovedSums {
  const T* points;  // d x n
  std::int64_t n;
  int d, k;
  const std::int32_t* labels;
  std::int32_t* before;               // the labels of the sums
  unsigned long long *coarse, *fine;  // k x d
  int* counts;                        // k
  int* old_counts;                    // k, counts of the previous means, for sums of what joined minus what left; null: sums of whole clusters
  moved_sums::FixedPoint<T> fixed_point;

  /// Adds to the sum of cluster c in dimension j.
  __device__ __forceinline__ void add(int c, int j, double value) const {
    const std::int64_t cell = std::int64_t(c) * d + j;
    long long of_coarse, of_fine;
    fixed_point.split(value, j, of_coarse, of_fine);
    atomicAdd(&coarse[cell], static_cast<unsigned long long>(of_coarse));
    if (of_fine != 0) atomicAdd(&fine[cell], static_cast<unsigned long long>(of_fine));
  }

  /// Returns a value of the next centroid c. Clears the sums of what joined and left, of an empty cluster too: it may fill again.
  __device__ __forceinline__ T mean(int c, std::int64_t cell, T before) const {
    const int count = counts[c];
    const double sum = fixed_point.value(coarse[cell], fine[cell], static_cast<int>(cell - std::int64_t(c) * d));
    if (old_counts) coarse[cell] = fine[cell] = 0;
    if (count == 0) return before;
    return old_counts ? (before * static_cast<T>(old_counts[c]) + static_cast<T>(sum)) / static_cast<T>(count) : static_cast<T>(sum / count);
  }
};

/// One thread per point.
template <class T>
__global__ void add_moved(const __grid_constant__ MovedSums<T> s) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i >= s.n) return;
  const std::int32_t now = s.labels[i], old = s.before[i];
  if (now == old) return;
  s.before[i] = now;
  atomicAdd(&s.counts[now], 1);
  if (old >= 0) atomicAdd(&s.counts[old], -1);
#pragma unroll 4
  for (int j = 0; j < s.d; ++j) {
    const double value = s.points[j * s.n + i];
    s.add(now, j, value);
    if (old >= 0) s.add(old, j, -value);
  }
}

/// One warp per centroid. centroids, next: k x d. An empty cluster keeps its centroid. drift_scale: scales the proven drift.
template <class T>
__global__ void finish_means(const __grid_constant__ MovedSums<T> s, const T* __restrict__ centroids, T* __restrict__ next, GroupedView<T> grouped,
                             Widening<T> widening, T drift_scale) {
  const int c = static_cast<int>((blockIdx.x * blockDim.x + threadIdx.x) / 32), lane = threadIdx.x % 32;
  if (c >= s.k) return;
  const int position = grouped.position_of[c];
  T dist = 0;
  bool moved = false;
  for (int j = lane; j < s.d; j += 32) {
    const std::int64_t cell = std::int64_t(c) * s.d + j;
    const T old = centroids[cell], now = s.mean(c, cell, old), diff = now - old;
    next[cell] = grouped.transposed[std::int64_t(j) * grouped.pitch + position] = now;
    dist = fma(diff, diff, dist);
    moved = moved || diff != 0;
  }
  cuda::sum_over_warp(dist);
  moved = __any_sync(0xFFFFFFFF, moved);
  if (lane > 0) return;
  if (s.old_counts) s.old_counts[c] = s.counts[c];
  const T drift = moved ? drift_scale * widening.at_most(dist) : T(0);
  grouped.drift[c] = drift;
  cuda::raise(&grouped.group_drift[grouped.group_of[c]], drift);
}

/// The first kernel with one thread per point.
struct ByPoint {
  template <class T>
  static void add(const MovedSums<T>& sums, cudaStream_t stream) {
    add_moved<<<cuda::blocks(sums.n, 256), 256, 0, stream>>>(sums);
    cuda::check_launch();
  }
};

template <class T, class Add = ByPoint>
class Means {
 public:
  /// points: d x n on the device. drift_scale: scales drifts; below 1 bounds do not hold.
  Means(const ProblemShape& p, const cuda::Buffer<T>& points, cudaStream_t stream, bool incremental = false, T drift_scale = 1)
      : p_(p), points_(points.data()), widening_(p.d), drift_scale_(drift_scale), before_(p.n), sums_(2 * std::int64_t(p.k) * p.d), counts_(p.k) {
    if (incremental) old_counts_ = cuda::Buffer<int>(p.k);
    units_ = moved_sums::Units<T>(moved_sums::greatest_of_columns(points.data(), p.n, p.d, stream, true), p.n, stream);
  }

  const Widening<T>& widening() const { return widening_; }

  /// Empties all clusters.
  void clear(cudaStream_t stream) {
    cuda::clear(stream, sums_, counts_, old_counts_);
    cuda::poison(stream, before_);
  }

  /// Updates the sums from the labels, then makes next, drifts and layout: two phases within the caller's.
  void enqueue(Trace& trace, const std::int32_t* labels, const T* centroids, T* next, GroupedView<T> grouped, cudaStream_t stream) {
    unsigned long long* const coarse = sums_.data();
    const MovedSums<T> sums{
        points_, p_.n, p_.d, p_.k, labels, before_.data(), coarse, coarse + std::int64_t(p_.k) * p_.d, counts_.data(), old_counts_.data(), units_};
    cuda::check(cudaMemsetAsync(grouped.group_drift, 0, grouped.groups * sizeof(T), stream));
    {
      const cuda::Phase phase(trace, "centroid_data", stream);
      Add::add(sums, stream);
    }
    const cuda::Phase phase(trace, "new_centroids", stream);
    finish_means<<<cuda::blocks(p_.k, 4), 128, 0, stream>>>(sums, centroids, next, grouped, widening_, drift_scale_);
    cuda::check_launch();
  }

 private:
  ProblemShape p_;
  const T* points_;
  Widening<T> widening_;
  T drift_scale_;
  moved_sums::Units<T> units_;
  cuda::Buffer<std::int32_t> before_;
  cuda::Buffer<unsigned long long> sums_;
  cuda::Buffer<int> counts_, old_counts_;
};

inline std::string too_many_points(const ProblemShape& p) {
  return p.n > std::numeric_limits<std::int32_t>::max() ? "a cluster of more than 2^31 points would overflow its count" : "";
}

}  // namespace km::yinyang
