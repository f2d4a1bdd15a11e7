// wu2011's two labeling kernels: every point against every centroid (Algorithm 1), and by rank up to the cut-off (Algorithm 3). A thread takes one
// point at a time. A warp's 32 points are adjacent, and blocks alternate, which spreads the heavy points of a sorted order over the card. Algorithm
// 3 as printed gives each block one contiguous range; with points by decreasing M the first block would get all heavy points. Both kernels share the
// code that sums distances, so that their labels agree bit by bit (cutoff.hpp).
// Cost: points (d x n, one coalesced read) and labels read once; 2 d instructions per distance. The reinforced kernel reads RID, ICD and a separate
// row per lane and distance, from shared memory if k rows fit, else from caches.
#pragma once

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/triangle/cutoff.hpp"

namespace km::triangle {

constexpr int most_threads = 512;

/// Rows in shared memory are padded by 16 bytes, or to an odd number of values, to avoid bank conflicts between threads that read different rows.
template <class T, int D>
constexpr int pitch(int d) {
  return D > 0 && D % cuda::Pack<T>::size == 0 ? D + cuda::Pack<T>::size : d | 1;
}

/// counters: changed labels, computed distances.
template <class T>
struct Labeling {
  const T *points, *centroids;  // d x n in processing order; k x d
  std::int64_t n;
  int d, k;
  std::int32_t* labels;  // in processing order
  unsigned long long* counters;
};

/// The distances² between centroids (ICD), and each row's centroids by rank (RID), itself first.
template <class T>
struct Ranks {
  const T* icd;    // k x k
  const int* rid;  // k x k
  unsigned* m;     // n: distances computed per point; null: not counted
  Cutoff<T> cutoff;
};

/// A thread's point: in registers if D is known, else read again per centroid.
template <class T, int D>
class Point {
 public:
  __device__ Point(const Labeling<T>& l, std::int64_t i) : at_(l.points + i), n_(l.n), d_(l.d) {
#pragma unroll
    for (int j = 0; j < D; ++j) x_[j] = at_[j * n_];
  }
  __device__ T distance(const T* row) const {
    if constexpr (D > 0) {
      return cuda::distance<D>(x_, row);
    } else {
      return cuda::squares<T>(d_, [&](int j) { return at_[j * n_] - row[j]; });
    }
  }

 private:
  T x_[D > 0 ? D : 1];
  const T* at_;
  std::int64_t n_;
  int d_;
};

/// Copies the centroids to where the kernel reads them, rows `apart` values apart. All threads of the block call it.
template <class T, int D, bool Shared>
__device__ __forceinline__ const T* rows(const Labeling<T>& l, int& apart) {
  apart = l.d;
  if constexpr (!Shared) return l.centroids;
  extern __shared__ int4 shared[];
  T* const copy = reinterpret_cast<T*>(shared);
  apart = pitch<T, D>(l.d);
  for (int at = threadIdx.x; at < l.k * l.d; at += blockDim.x) copy[at / l.d * apart + at % l.d] = l.centroids[at];
  __syncthreads();
  return copy;
}

/// Adds a warp's sum to a counter.
__device__ __forceinline__ void add(unsigned long long value, unsigned long long* counter) {
  cuda::sum_over_warp(value);
  if (threadIdx.x % 32 == 0 && value > 0) atomicAdd(counter, value);
}

template <class T, int D, bool Shared>
__global__ void __launch_bounds__(most_threads) label_standard(const Labeling<T> l) {
  int apart = 0;
  const T* const centroids = rows<T, D, Shared>(l, apart);
  unsigned changed = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < l.n; i += std::int64_t(gridDim.x) * blockDim.x) {
    const Point<T, D> point(l, i);
    const std::int32_t best = cuda::nearest_of<T>(l.k, [&](int c) { return point.distance(centroids + std::int64_t(c) * apart); });
    changed += l.labels[i] != best;
    l.labels[i] = best;
  }
  add(changed, l.counters);
}

/// A point without a label starts with centroid 0; any would do.
template <class T, int D, bool Shared>
__global__ void __launch_bounds__(most_threads) label_reinforced(const Labeling<T> l, const Ranks<T> ranks) {
  int apart = 0;
  const T* const centroids = rows<T, D, Shared>(l, apart);
  unsigned changed = 0;
  unsigned long long computed = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < l.n; i += std::int64_t(gridDim.x) * blockDim.x) {
    const Point<T, D> point(l, i);
    const std::int32_t old = l.labels[i], own = old < 0 ? 0 : old;
    const T* const icd = ranks.icd + std::int64_t(own) * l.k;
    const int* const rid = ranks.rid + std::int64_t(own) * l.k;
    std::int32_t best = own;
    T best_dist = point.distance(centroids + std::int64_t(own) * apart);
    const T cutoff = ranks.cutoff(best_dist);
    int m = 1, c = rid[l.k > 1 ? 1 : 0];
    T apart_now = icd[c];
    while (m < l.k && apart_now <= cutoff) {
      const int here = c;
      if (++m < l.k) c = rid[m], apart_now = icd[c];  // prefetch during this distance
      const T dist = point.distance(centroids + std::int64_t(here) * apart);
      if (dist < best_dist || (dist == best_dist && here < best)) best_dist = dist, best = here;
    }
    computed += m;
    if (ranks.m) ranks.m[i] = m;
    changed += old != best;
    l.labels[i] = best;
  }
  add(changed, l.counters);
  if (ranks.m) add(computed, l.counters + 1);
}

/// A plan's kernels, null if unused, and their shared memory.
template <class T>
struct Kernels {
  void (*standard)(Labeling<T>) = nullptr;
  void (*reinforced)(Labeling<T>, Ranks<T>) = nullptr;
  std::size_t shared_bytes = 0;
};

/// Returns the kernels for d dimensions and k centroids, which lie in shared memory if they may and fit. The paper's d is known at compile time.
template <class T, bool Standard, bool Reinforced>
Kernels<T> kernels(int d, int k, bool may_share = true) {
  Kernels<T> found;
  with_dimension<32>(d, [&](auto dimension) {
    constexpr int D = decltype(dimension)::value;
    const std::size_t bytes = sizeof(T) * k * pitch<T, D>(d);
    const bool fits = may_share && bytes <= std::size_t(cuda::most_shared_bytes());
    if (fits) found.shared_bytes = bytes;
    const auto allow = [&](auto kernel) {
      if (fits) cuda::allow_shared(kernel, bytes);
      return kernel;
    };
    if constexpr (Standard) found.standard = allow(fits ? label_standard<T, D, true> : label_standard<T, D, false>);
    if constexpr (Reinforced) found.reinforced = allow(fits ? label_reinforced<T, D, true> : label_reinforced<T, D, false>);
  });
  return found;
}

}  // namespace km::triangle
