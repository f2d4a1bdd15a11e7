// A block's sums by cluster in impl/gpu/lloyd/resident.cu. Only moved points count: they join one cluster and leave another.
// Few values in all clusters: a thread keeps its points' sums in registers. Registers cannot be indexed at run time, so it adds every cluster's
// value times one, zero or minus one. A warp without moved points skips this. Values of fp32 are split in two: whole units, so large that their sum
// does not round, and the much smaller rest.
// More values: shared memory has copies of the clusters' sums, one per lane, as three integer limbs, because 32-bit atomic additions need no loop.
#pragma once

#include "bench/device/cuda.cuh"
#include "impl/gpu/lloyd/fixed_point.cuh"

namespace km::resident {

using Bits = unsigned long long;
using moved_sums::FixedPoint;

constexpr int limbs = 3;

/// Reduces 2 Step values of each lane to Step: a lane keeps one half, the lane Step further the other.
template <int Step>
__device__ __forceinline__ void halve(double (&v)[16]) {
  const bool upper = threadIdx.x & Step;
#pragma unroll
  for (int i = 0; i < Step; ++i) v[i] = (upper ? v[i + Step] : v[i]) + __shfl_xor_sync(0xFFFFFFFF, upper ? v[i] : v[i + Step], Step);
}

/// Sums value(cell) of 32 cells over the warp. Lane c gets cell c.
template <class Value>
__device__ __forceinline__ double sum_cells(Value value) {
  const bool upper = threadIdx.x & 16;
  double v[16];
#pragma unroll
  for (int i = 0; i < 16; ++i) {
    const double low = value(i), high = value(i + 16);
    v[i] = (upper ? high : low) + __shfl_xor_sync(0xFFFFFFFF, upper ? low : high, 16);
  }
  halve<8>(v), halve<4>(v), halve<2>(v), halve<1>(v);
  return v[0];
}

/// A thread's own sums of K x D values.
template <class T, int D, int K>
struct Own {
  static constexpr int parts = sizeof(T) == 4 ? 2 : 1;
  T sum[parts][K * D] = {};
  int count[K] = {};

  /// x joins one cluster and leaves another, -1 for none. magic: 1.5 2^23 units.
  __device__ __forceinline__ void move(const T (&x)[D], int joins, int leaves, T magic) {
    T cut[parts][D];
#pragma unroll
    for (int j = 0; j < D; ++j) {
      cut[0][j] = parts == 2 ? (x[j] + magic) - magic : x[j];
      if constexpr (parts == 2) cut[1][j] = x[j] - cut[0][j];
    }
#pragma unroll
    for (int c = 0; c < K; ++c) {
      const int sign = (joins == c) - (leaves == c);
      const T share = static_cast<T>(sign);
      count[c] += sign;
#pragma unroll
      for (int part = 0; part < parts; ++part)
#pragma unroll
        for (int j = 0; j < D; ++j) sum[part][c * D + j] = fma(share, cut[part][j], sum[part][c * D + j]);
    }
  }
  /// Returns the warp's sums: lane c has cell c. Writes the counts.
  __device__ __forceinline__ double over_warp(int* counts) {
#pragma unroll
    for (int c = 0; c < K; ++c) {
      const int all = __reduce_add_sync(0xFFFFFFFF, count[c]);
      if (threadIdx.x % 32 == 0) counts[c] = all;
    }
    return sum_cells([&](int cell) {
      if (cell >= K * D) return 0.0;
      double value = double(sum[0][cell]);
      if constexpr (parts == 2) value += double(sum[1][cell]);
      return value;
    });
  }
};

/// A block's additions to the sums.
struct Table {
  unsigned* limb;  // limbs x cells x copies
  Bits* fine;      // cells x copies
  int* counts;     // k x copies
  int* any_fine;   // whether any value had a fine part
  int cells, copies, copy, width;

  static constexpr std::size_t bytes_of(int k, int cells, int copies) {
    return std::size_t(copies) * ((limbs * 4 + 8) * std::size_t(cells) + 4 * std::size_t(k));
  }

  /// sign: 1 joins c, -1 leaves it.
  template <int D, class T>
  __device__ void add(const T* x, int stride, int c, int sign, const FixedPoint<T>& q) const {
    atomicAdd(&counts[c * copies + copy], sign);
#pragma unroll
    for (int j = 0; j < D; ++j) {
      long long whole, rest;
      q.split(sign * double(x[j * stride]), j, whole, rest);
      const int at = (c * D + j) * copies + copy, all = cells * copies;
      const unsigned mask = (1u << width) - 1;
      atomicAdd(&limb[at], unsigned(whole) & mask);
      atomicAdd(&limb[at + all], unsigned(whole >> width) & mask);
      atomicAdd(&limb[at + 2 * all], unsigned(whole >> (2 * width)));
      if (rest != 0) {
        atomicAdd(&fine[at], Bits(rest));
        *any_fine = 1;
      }
    }
  }

  /// A warp sums and clears a cell's copies.
  template <class Value>
  __device__ long long take(Value* values) const {
    const int lane = threadIdx.x % 32;
    long long sum = 0;
    if (lane < copies) sum = static_cast<std::make_signed_t<Value>>(values[lane]), values[lane] = 0;
    for (int step = copies / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, step);
    return sum;
  }
  __device__ long long take_coarse(int cell) const {
    const int lane = threadIdx.x % 32, at = cell * copies + lane, all = cells * copies;
    long long sum = 0;
    if (lane < copies) {
#pragma unroll
      for (int part = 0; part < limbs; ++part) {
        sum += (long long)(int(limb[at + part * all])) << (part * width);
        limb[at + part * all] = 0;
      }
    }
    for (int step = copies / 2; step > 0; step /= 2) sum += __shfl_xor_sync(0xFFFFFFFF, sum, step);
    return sum;
  }
};

}  // namespace km::resident
