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
struct Quanta {
  T magic[limbs<T>][most_dimensions];
  double unit[words<T>][most_dimensions];  // of a word
  double rest[most_dimensions], rest_inverse[most_dimensions];
  int width;  // bits of a limb but the first

  Quanta() = default;
  /// n values of dimension j are at most greatest[j] in magnitude.
  Quanta(const double (&greatest)[most_dimensions], std::int64_t n) {
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

/// A block's additions. limb: cells x limbs x copies; counts: k x copies.
template <class T>
struct Table {
  unsigned *limb, *counts;
  int copies, copy;
  Bits* rest;     // of the grid, cells
  int* any_rest;  // of the block

  /// The value x of dimension j, of a point that joins one cluster and leaves another; cells of both, or -1.
  template <bool Leaves>
  __device__ __forceinline__ void add(T x, int j, int joins, int leaves, const Quanta<T>& q) const {
    unsigned* const to = limb + joins * limbs<T> * copies + copy;
    unsigned* const from = limb + leaves * limbs<T> * copies + copy;
#pragma unroll
    for (int l = 0; l < limbs<T>; ++l) {
      const T whole = x + q.magic[l][j];
      const unsigned quanta = low_bits(whole) - low_bits(q.magic[l][j]);
      x -= whole - q.magic[l][j];
      atomicAdd(to + l * copies, quanta);
      if constexpr (Leaves) atomicAdd(from + l * copies, 0u - quanta);
    }
    if (x != 0) [[unlikely]] {
      const long long left = __double2ll_rn(double(x) * q.rest_inverse[j]);
      atomicAdd(rest + joins, Bits(left));
      if constexpr (Leaves) atomicAdd(rest + leaves, Bits(-left));
      *any_rest = 1;
    }
  }
  template <bool Leaves>
  __device__ __forceinline__ void count(int joins, int leaves) const {
    atomicAdd(counts + joins * copies + copy, 1u);
    if constexpr (Leaves) atomicAdd(counts + leaves * copies + copy, ~0u);
  }

  /// A warp empties the limbs while others add. word: words x cells, of the grid.
  __device__ void empty(int cells, int width, Bits* word) const {
    for (int at = threadIdx.x % 32; at < cells * limbs<T> * copies; at += 32) {
      const long long value = static_cast<int>(atomicExch(limb + at, 0u));
      const int l = at / copies % limbs<T>, cell = at / copies / limbs<T>;
      if (value != 0) atomicAdd(word + l / 2 * cells + cell, Bits(l % 2 == 0 ? value << width : value));
    }
  }
};

}  // namespace km::register_tiles
