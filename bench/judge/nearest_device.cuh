// The nearest centroid of each point on the GPU, in fp64, where that is beyond doubt: by differences, or, with many dimensions and
// clusters, by products on tensor cores (mma, fp64): one multiply-add where a difference takes two operations, on a unit that does more of them.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "bench/device/cuda.cuh"

namespace km::nearest {

constexpr std::int32_t in_doubt = -1;
constexpr int threads = 256, product_threads = 384, points_at_once = 4, centroids_at_once = 8;
constexpr int columns = 64, depth = 16, rows_of_warp = 16;  // a warp multiplies 16 points by 64 centroids, 16 dimensions at a time

/// Four points a thread and eight centroids at a time, so that each value read serves several distances. points: d x n; centroids: k x d in fp64.
/// doubt: two distances² that differ by no more than this share of their sum are in doubt.
template <class T>
__global__ void by_differences(const T* __restrict__ points, const double* __restrict__ centroids, std::int64_t n, int d, int k, double doubt,
                               std::int32_t* nearest) {
  const std::int64_t begin = std::int64_t(blockIdx.x) * threads * points_at_once + threadIdx.x;
  std::int64_t at[points_at_once];
#pragma unroll
  for (int u = 0; u < points_at_once; ++u) at[u] = min(begin + u * threads, n - 1);  // repeats the last point
  double best_dist[points_at_once], second_dist[points_at_once];
  int best[points_at_once] = {};
#pragma unroll
  for (int u = 0; u < points_at_once; ++u) best_dist[u] = second_dist[u] = cuda::infinity<double>;
  for (int c0 = 0; c0 < k; c0 += centroids_at_once) {
    double dist[points_at_once][centroids_at_once] = {};
    for (int j = 0; j < d; ++j) {
      double x[points_at_once];
#pragma unroll
      for (int u = 0; u < points_at_once; ++u) x[u] = points[j * n + at[u]];
#pragma unroll
      for (int v = 0; v < centroids_at_once; ++v) {
        const int c = min(c0 + v, k - 1);  // repeats the last centroid, unused
        const double value = centroids[std::int64_t(c) * d + j];
#pragma unroll
        for (int u = 0; u < points_at_once; ++u) dist[u][v] += (x[u] - value) * (x[u] - value);
      }
    }
#pragma unroll
    for (int v = 0; v < centroids_at_once; ++v) {
      if (c0 + v >= k) break;
#pragma unroll
      for (int u = 0; u < points_at_once; ++u) {
        if (dist[u][v] < best_dist[u]) second_dist[u] = best_dist[u], best_dist[u] = dist[u][v], best[u] = c0 + v;
        else if (dist[u][v] < second_dist[u]) second_dist[u] = dist[u][v];
      }
    }
  }
#pragma unroll
  for (int u = 0; u < points_at_once; ++u) {
    const bool clear = k == 1 || second_dist[u] - best_dist[u] > doubt * (best_dist[u] + second_dist[u]);
    nearest[at[u]] = clear ? best[u] : in_doubt;
  }
}

/// sums += a b for 16 points, 16 dimensions and 8 centroids. With g = lane / 4 and t = lane % 4, a[i] is of point g + i % 2 * 8 and dimension
/// t + i / 2 * 4, b[i] of dimension t + i * 4 and centroid g, sums[i] of point g + i / 2 * 8 and centroid 2 t + i % 2.
__device__ __forceinline__ void multiply(double (&sums)[4], const double (&a)[8], const double (&b)[4]) {
#if __CUDA_ARCH__ >= 900
  asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, "
      "%3};"
      : "+d"(sums[0]), "+d"(sums[1]), "+d"(sums[2]), "+d"(sums[3])
      : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
#else
#pragma unroll
  for (int i = 0; i < 8; ++i)
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[i % 2 * 2]), "+d"(sums[i % 2 * 2 + 1])
        : "d"(a[i]), "d"(b[i / 2]));
#endif
}

/// A warp takes 16 points. The nearest centroid has the greatest score x·c - |c|²/2. operand: see Centroids; starts: -|c|²/2; longest: the greatest
/// |c|. A score is off by at most (d + 2) 2^-53 (|x| |c| + |c|²), whatever the order of its additions; `doubt` has room for two such errors.
template <class T>
__global__ void __launch_bounds__(product_threads, 1)
    by_products(const T* __restrict__ points, const double2* __restrict__ operand, const double2* __restrict__ starts, double longest, std::int64_t n,
                int d, int k, double doubt, std::int32_t* nearest) {
  const int lane = threadIdx.x % 32, t = lane % 4, steps = (d + depth - 1) / depth;
  const std::int64_t first = (std::int64_t(blockIdx.x) * (product_threads / 32) + threadIdx.x / 32) * rows_of_warp + lane / 4;
  const std::int64_t at[2] = {min(first, n - 1), min(first + 8, n - 1)};  // repeats the last point
  double best[2] = {-cuda::infinity<double>, -cuda::infinity<double>}, second[2] = {best[0], best[0]};
  int where[2] = {};
  T next[8];
  const auto load = [&](int s) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int j = s * depth + t + i / 2 * 4;
      next[i] = j < d ? points[j * n + at[i % 2]] : T(0);
    }
  };
  load(0);

  for (int c0 = 0; c0 < k; c0 += columns) {
    double sums[columns / 8][4];
#pragma unroll
    for (int v = 0; v < columns / 8; ++v) {
      const double2 start = starts[c0 / 2 + v * 4 + t];
      sums[v][0] = sums[v][2] = start.x, sums[v][1] = sums[v][3] = start.y;
    }
    for (int s = 0; s < steps; ++s) {
      double x[8];
#pragma unroll
      for (int i = 0; i < 8; ++i) x[i] = double(next[i]);
      load(s + 1 < steps ? s + 1 : 0);  // arrives during the products
      const double2* const part = operand + ((std::int64_t(c0 / columns) * steps + s) * (columns / 8) * 32 + lane) * 2;
#pragma unroll
      for (int v = 0; v < columns / 8; ++v) {
        const double2 low = part[v * 64], high = part[v * 64 + 1];
        multiply(sums[v], x, {low.x, low.y, high.x, high.y});
      }
    }
#pragma unroll
    for (int u = 0; u < columns / 2; ++u) {
      const int v = u / 4, r = u / 2 % 2, e = u % 2;
      const double score = sums[v][r * 2 + e];
      if (score > best[r]) second[r] = best[r], best[r] = score, where[r] = c0 + v * 8 + t * 2 + e;
      else if (score > second[r]) second[r] = score;
    }
  }
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    double length2 = 0;
    for (int j = t; j < d; j += 4) length2 += double(points[j * n + at[r]]) * double(points[j * n + at[r]]);
    for (int other = 1; other < 4; other *= 2) {
      const double other_best = __shfl_xor_sync(0xFFFFFFFF, best[r], other), other_second = __shfl_xor_sync(0xFFFFFFFF, second[r], other);
      const int other_where = __shfl_xor_sync(0xFFFFFFFF, where[r], other);
      second[r] = fmax(fmax(second[r], other_second), fmin(best[r], other_best));
      if (other_best > best[r]) best[r] = other_best, where[r] = other_where;
      length2 += __shfl_xor_sync(0xFFFFFFFF, length2, other);
    }
    const bool clear = best[r] - second[r] > doubt * longest * (sqrt(length2) + longest);
    if (t == 0) nearest[at[r]] = clear ? where[r] : in_doubt;
  }
}

inline cuda::Buffer<double> uploaded(const std::vector<double>& values, cudaStream_t stream) {
  cuda::Buffer<double> buffer(std::int64_t(values.size()));
  cuda::upload(buffer, std::span(values), stream);
  return buffer;
}

/// Centroids, for either way.
class Centroids {
 public:
  /// rows: k x d.
  template <class T>
  Centroids(std::span<const T> rows, int k, int d, cudaStream_t stream) : k_(k), d_(d), stream_(stream) {
    const std::vector<double> values(rows.begin(), rows.end());
    rows_ = uploaded(values, stream);
    const double padded = double((d + depth - 1) / depth * depth) * ((k + columns - 1) / columns * columns);
    if (padded < 2.0 * d * k) make_operand(values);  // else padding costs more than products gain
  }

  const double* rows() const { return rows_.data(); }
  bool has_products() const { return operand_.size() > 0; }

  /// points: d x n. doubt: the judge's, of differences.
  template <class T>
  void find(bool products, const T* points, std::int64_t n, double doubt, std::int32_t* nearest) const {
    if (products)
      by_products<<<cuda::blocks(n, product_threads / 32 * rows_of_warp), product_threads, 0, stream_>>>(
          points, reinterpret_cast<const double2*>(operand_.data()), reinterpret_cast<const double2*>(starts_.data()), longest_, n, d_, k_, doubt,
          nearest);
    else by_differences<<<cuda::blocks(n, threads * points_at_once), threads, 0, stream_>>>(points, rows_.data(), n, d_, k_, doubt, nearest);
    cuda::check_launch();
  }

 private:
  /// Of each 64 centroids and 16 dimensions eight parts of 8 centroids, and of these 4 values a lane, in the order of multiply().
  void make_operand(const std::vector<double>& rows) {
    const int steps = (d_ + depth - 1) / depth, tiles = (k_ + columns - 1) / columns;
    std::vector<double> values(std::size_t(tiles) * columns * steps * depth), starts(std::size_t(tiles) * columns, -cuda::infinity<double>);
    double longest2 = 0;
    for (int c = 0; c < k_; ++c) {
      double length2 = 0;
      for (int j = 0; j < d_; ++j) {
        const double value = rows[std::size_t(c) * d_ + j];
        const std::size_t part = (std::size_t(c / columns) * steps + j / depth) * (columns / 8) + c % columns / 8;
        values[(part * 32 + c % 8 * 4 + j % 4) * 4 + j % depth / 4] = value;
        length2 += value * value;
      }
      starts[c] = -length2 / 2;
      longest2 = std::max(longest2, length2);
    }
    longest_ = std::sqrt(longest2);
    operand_ = uploaded(values, stream_);
    starts_ = uploaded(starts, stream_);
  }

  int k_, d_;
  cudaStream_t stream_;
  cuda::Buffer<double> rows_, operand_, starts_;
  double longest_ = 0;
};

}  // namespace km::nearest
