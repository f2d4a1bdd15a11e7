// A block's exact sums by cluster in impl/gpu/lloyd/register_tiles.cu, in integers, independent of the order. A value is split into limbs, integer
// multiples of decreasing units, by adding and subtracting 1.5 2^23 (2^52) units. fp32 has two limbs, 35 bits below the power of two above its
// dimension's greatest; fp64 has four, 71 bits. Limbs are added to 32 bits of shared memory, with a copy per lane if they fit. The rest below the
// limbs, if any, goes to 64 bits in global memory, which reach 61 - log2(n) bits further. fp32 values above 2^-11 of the greatest have no rest.
// A limb is at most 2^17 units, so 2^14 additions fit a copy. A warp flushes the table before its share of them is used up.
// The 64 bits of a word hold 2^27 values of both fp32 limbs. For more points the word's unit grows, and what a block's sum has below it joins the
// rest. Limbs with fewer bits would leave more values with a rest of their own, each a slow addition to global memory.
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
constexpr int words = limbs<T> / 2;  // two limbs per 64-bit word

/// Units by dimension.
template <class T>
struct LimbFormat {
  T magic[limbs<T>][most_dimensions];
  double unit[words<T>][most_dimensions];  // per word
  double rest[most_dimensions], rest_inverse[most_dimensions];
  int width;      // bits of a limb except the first
  int below = 0;  // bits of the last fp32 limb below the word's unit
  int rest_bits;  // bits of the rest's part below the last word's unit

  LimbFormat() = default;
  /// |value| <= greatest[j] for n values of dimension j.
  LimbFormat(const double (&greatest)[most_dimensions], std::int64_t n) {
    const int log_n = n > 1 ? std::ilogb(double(n - 1)) + 1 : 0;
    const int fits = 62 - 17 - log_n;
    width = sizeof(T) == 4 ? 18 : std::clamp(fits, 8, 18);
    if (sizeof(T) == 4) below = std::max(width - fits, 0);
    rest_bits = 61 - log_n;
    for (int j = 0; j < most_dimensions; ++j) {
      const int lowest = sizeof(T) == 4 ? -149 + 17 + width : -800;  // the last unit is representable and its magic normal
      const int top = std::max(greatest[j] > 0 ? std::ilogb(greatest[j]) + 1 : 0, lowest);
      for (int l = 0; l < limbs<T>; ++l) {
        const double quantum = std::ldexp(1.0, top - 17 - l * width);
        magic[l][j] = static_cast<T>(1.5 * (sizeof(T) == 4 ? 0x1p23 : 0x1p52) * quantum);
        if (l % 2 == 1) unit[l / 2][j] = std::ldexp(quantum, below);
      }
      rest[j] = std::ldexp(unit[words<T> - 1][j], -rest_bits);
      rest_inverse[j] = 1 / rest[j];
    }
  }

  /// Splits a sum in units of the last limb: what the rest takes, in its units. `sum` is then in units of the word.
  __host__ __device__ Bits split(long long& sum) const {
    const Bits low = Bits(sum) & ((Bits(1) << below) - 1);
    sum >>= below;
    return low << (rest_bits - below);
  }
  /// Moves whole units of the word from the rest, so that a total does not depend on how blocks split their sums.
  __host__ __device__ void carry(Bits& word, Bits& remainder) const {
    if (below == 0) return;
    const long long whole = (long long)(remainder) >> rest_bits;
    word += Bits(whole);
    remainder -= Bits(whole) << rest_bits;
  }
};

__device__ __forceinline__ int low_bits(float value) { return __float_as_int(value); }
__device__ __forceinline__ int low_bits(double value) { return __double2loint(value); }

/// A block's additions: k x copies rows of D x limbs and a count. Row lengths are odd, so that the lanes' copies are in different banks.
template <class T, int D>
struct Table {
  static constexpr int pitch = D * limbs<T> + 1;
  unsigned* row;
  int copies, copy;
  Bits* rest;     // of the grid, k x D
  int* any_rest;  // of the block

  __device__ __forceinline__ unsigned* of(int c) const { return row + (c * copies + copy) * pitch; }

  /// Adds a point to one cluster and, if Leaves, subtracts it from another. Returns true if it has a rest below its limbs.
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

  /// Adds the rest of the point at x, whose dimensions are `stride` apart. leaves: a cluster, or -1.
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

  /// Adds a sum of many values, in units of its last limb, to a word of the grid.
  __device__ __forceinline__ void add_sum(long long sum, Bits* word, int cell, const LimbFormat<T>& q) const {
    if (q.below > 0) {
      const Bits low = q.split(sum);
      if (low != 0) atomicAdd(rest + cell, low);
    }
    if (sum != 0) atomicAdd(word, Bits(sum));
  }

  /// A warp flushes the limbs while others add. word: words x k x D, of the grid.
  __device__ __noinline__ void empty(int k, const LimbFormat<T>& q, Bits* word) const {
    for (int at = threadIdx.x % 32; at < k * copies * pitch; at += 32) {
      const int column = at % pitch, cell = at / pitch / copies * D + column / limbs<T>, l = column % limbs<T>;
      const long long value = column == D * limbs<T> ? 0 : static_cast<int>(atomicExch(row + at, 0u));
      if (value != 0) add_sum(l % 2 == 0 ? value << q.width : value, word + l / 2 * k * D + cell, cell, q);
    }
  }
};

}  // namespace km::register_tiles
