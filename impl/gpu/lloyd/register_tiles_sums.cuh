// How a block of impl/gpu/lloyd/register_tiles.cu sums its points by cluster: exactly, in integers, so that the order does not matter.
// A value is cut into limbs, whole multiples of smaller and smaller quanta, by adding 1.5 2^23 (2^52) quanta and taking it away again: fp32 in two,
// together 35 bits below the power of two above its dimension's greatest; fp64 in four, 71 bits. Limbs are added to 32 bits of shared
// memory, each lane to a copy of its own as far as there is room. What a value has below its limbs, if anything, goes to 64 bits in global memory, which
// reach a further 61 - log2(n) bits; values of fp32 more than 2^-11 of the greatest never have any.
// A limb is at most 2^17 of its quanta, so that 2^14 additions fit a copy; a warp empties the table before its share of them is used up.
#pragma once

#include <algorithm>
#include <cmath>

#include "bench/device/cuda.cuh"

namespace km::register_tiles {

using Bits = unsigned long long;

constexpr int most_dimensions = 16;
constexpr int most_additions = (1 << 14) - 1;
template <class T>
constexpr int limbs = sizeof(T) == 4 ? 2 : 4;
template <class T>
constexpr int words = limbs<T> / 2;  // two limbs make a 64-bit word

/// By dimension.
template <class T>
struct LimbFormat {
  T magic[limbs<T>][most_dimensions];
  double unit[words<T>][most_dimensions];  // of a word
  double rest[most_dimensions], rest_inverse[most_dimensions];
  int width;  // bits of a limb but the first

  LimbFormat() = default;
  /// n values of dimension j are at most greatest[j] in magnitude.
  LimbFormat(const double (&greatest)[most_dimensions], std::int64_t n) {
    const int log_n = n > 1 ? std::ilogb(double(n - 1)) + 1 : 0;
    width = std::clamp(62 - 17 - log_n, 8, 18);
    for (int j = 0; j < most_dimensions; ++j) {
      const int lowest = sizeof(T) == 4 ? -149 + 17 + width : -800;  // the last quantum is a number, and its magic normal
      const int top = std::max(greatest[j] > 0 ? std::ilogb(greatest[j]) + 1 : 0, lowest);
      for (int l = 0; l < limbs<T>; ++l) {
        const double quantum = std::ldexp(1.0, top - 17 - l * width);
        magic[l][j] = static_cast<T>(1.5 * (sizeof(T) == 4 ? 0x1p23 : 0x1p52) * quantum);
        if (l % 2 == 1) unit[l / 2][j] = quantum;
      }
      rest[j] = std::ldexp(unit[words<T> - 1][j], log_n - 61);
      rest_inverse[j] = 1 / rest[j];
    }
  }
};

__device__ __forceinline__ int low_bits(float value) { return __float_as_int(value); }
__device__ __forceinline__ int low_bits(double value) { return __double2loint(value); }

/// A block's additions: k x copies rows, each of D x limbs and a count, odd in number, so that the lanes' copies of any clusters lie in different banks.
template <class T, int D>
struct Table {
  static constexpr int pitch = D * limbs<T> + 1;
  unsigned* row;
  int copies, copy;
  Bits* rest;     // of the grid, k x D
  int* any_rest;  // of the block

  __device__ __forceinline__ unsigned* of(int c) const { return row + (c * copies + copy) * pitch; }

  /// A point joins one cluster and, if Leaves, leaves another. Whether it has more than its limbs.
  template <bool Leaves>
  __device__ __forceinline__ bool add(const T (&x)[D], int joins, int leaves, const LimbFormat<T>& q) const {
    unsigned *const to = of(joins), *const from = of(leaves);
    bool more = false;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      T left = x[j];
#pragma unroll
      for (int l = 0; l < limbs<T>; ++l) {
        const T whole = left + q.magic[l][j];
        const unsigned units = low_bits(whole) - low_bits(q.magic[l][j]);
        left -= whole - q.magic[l][j];
        atomicAdd(to + j * limbs<T> + l, units);
        if constexpr (Leaves) atomicAdd(from + j * limbs<T> + l, 0u - units);
      }
      more |= left != 0;
    }
    atomicAdd(to + D * limbs<T>, 1u);
    if constexpr (Leaves) atomicAdd(from + D * limbs<T>, ~0u);
    return more;
  }

  /// What add left of the point at x, its dimensions `stride` apart. leaves: a cluster, or -1.
  __device__ void add_rest(const T* x, int stride, int joins, int leaves, const LimbFormat<T>& q) const {
#pragma unroll 1
    for (int j = 0; j < D; ++j) {
      T left = x[j * stride];
#pragma unroll
      for (int l = 0; l < limbs<T>; ++l) left -= (left + q.magic[l][j]) - q.magic[l][j];
      if (left == 0) continue;
      const long long units = __double2ll_rn(double(left) * q.rest_inverse[j]);
      atomicAdd(rest + joins * D + j, Bits(units));
      if (leaves >= 0) atomicAdd(rest + leaves * D + j, Bits(-units));
    }
    *any_rest = 1;
  }

  /// A warp empties the limbs while others add. word: words x k x D, of the grid.
  __device__ __noinline__ void empty(int k, int width, Bits* word) const {
    for (int at = threadIdx.x % 32; at < k * copies * pitch; at += 32) {
      const int column = at % pitch, cell = at / pitch / copies * D + column / limbs<T>, l = column % limbs<T>;
      const long long value = column == D * limbs<T> ? 0 : static_cast<int>(atomicExch(row + at, 0u));
      if (value != 0) atomicAdd(word + l / 2 * k * D + cell, Bits(l % 2 == 0 ? value << width : value));
    }
  }
};

}  // namespace km::register_tiles
