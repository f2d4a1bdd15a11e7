// How far a score may be off, and what the screen's kernels hand to each other.
// Proof, in the Frame's units, with x = xh + r, c = ch + q (high halves and what they leave), C, Q the greatest |c|, |q|, K dimensions:
//   one product:    |x·c - xh·ch| <= |r| C + |xh| Q
//   three (xh·ch + xh·cl + xl·ch; what second halves leave is at most 2^-11 of r, q, and 2^-25 a dimension where subnormal):
//                   |x·c - sum| <= |r| Q (1 + 2^-9) + 2^-11 (|r| C + |x| Q) + 2^-25 sqrt(K) (C + |x| + ...)
//   sums:           products are exact; an instruction adds 16 of them and the sum so far, or 8, every addend cut at 2^-24 of the
//                   largest or finer, the result at 2^-23: below 2^-23 |x| C a dimension. A start of L - |c|²/2,
//                   its addition: 2^-23 (|x| C + C² + L), L the score_offset of one product's scores.
// tests/tensor_sums_test.cu holds the hardware to that, on drawn and on the worst operands.
#pragma once

#include "impl/gpu/lloyd/screen_halves.cuh"

namespace km::screen {

constexpr int most_stages = 8;

/// How far the share left open has driven the choice: one product, candidates for what it leaves open, three products for those with many;
/// three products for all; no screen at all.
enum Strategy { one_product = 1, three_products = 2, differences = 3 };

/// What a screen does with its scores: decide, or list the candidates of points that were left open.
enum class Task { decide, collect };

constexpr int most_candidates = 8;

/// What an iteration's kernels tell each other and the next iteration's.
struct Progress {
  int strategy;
  unsigned open[3];   // points left open by one product, their candidates not told; with too many candidates; left open by three products
  unsigned known;     // points left open by one product, their candidates told
  unsigned in_doubt;  // that fp32 differences left to fp64
};

/// Points left open: who, and from which score on a centroid may be nearest; then how many are, and the first of them. From the back, those
/// whose candidates the scores told at once.
struct Open {
  int* points;
  float* least;
  int* counts;
  std::int32_t* candidates;  // most_candidates a point
};

struct Points {
  const uint4* high;
  const uint4* low;
  const std::uint32_t* left;
  std::int64_t n;
};

struct Screen {
  Points points;
  const std::uint8_t* image;
  ImageLayout layout;
  int stages;  // pieces of the image in shared memory
  const Lengths* lengths;
  Progress* progress;
  Open open;  // what one product leaves open
  int* many;  // points of those with too many candidates: three products' own
  int* rest;  // what three products leave open
  std::int32_t* labels;
  unsigned long long* changed;
  float score_offset;  // what one product's scores begin with, less |c|²/2, so that they are positive
  float margin_scale;  // the margin in bounds: 1, or nothing is proven
};

/// margin = of_left |r| + of_length |xh| + rest: twice the bound above, and a little for the arithmetic here.
template <int Products>
struct Margin {
  float of_left, of_length, rest;
  __device__ Margin(const Lengths& lengths, int depth, bool chunked, float score_offset, float margin_scale) {
    const float most = sqrtf(lengths.centroid2) * 1.00001f, left = sqrtf(lengths.left2) * 1.00001f;
    const float sums = ldexpf(float(depth), -23) * (Products == 3 && chunked ? 3.0f : 1.01f) + ldexpf(1, -21);
    if constexpr (Products == 1) {
      of_left = 2 * most, of_length = 2 * (left + sums * most), rest = ldexpf(score_offset, -22);
    } else {
      const float tiny = ldexpf(sqrtf(float(depth)), -24), rounding_share = ldexpf(1.01f, -11);
      of_left = 2 * (left * 1.01f + rounding_share * (most + left) + tiny), of_length = 2 * (rounding_share * left + tiny + sums * most),
      rest = 4 * tiny * most;
    }
    rest += ldexpf(most * most, -21);
    const float up = 1.0001f * margin_scale;
    of_left *= up, of_length *= up, rest *= up;
  }
  __device__ float at(std::uint32_t left) const {
    return __uint_as_float(left << 16) * of_left + (__uint_as_float(left & 0xFFFF0000) * of_length + rest);
  }
};

/// The best two of the scores seen so far.
struct Best {
  float first = -cuda::infinity<float>, second = -cuda::infinity<float>;
  int at = 0;
  __device__ __forceinline__ void see(float score, int where) {
    second = fmaxf(second, fminf(first, score));
    at = score > first ? where : at;
    first = fmaxf(first, score);
  }
  __device__ __forceinline__ void merge_with_lane(int lane) {
    const float other = __shfl_xor_sync(0xFFFFFFFF, first, lane), other_second = __shfl_xor_sync(0xFFFFFFFF, second, lane);
    const int other_at = __shfl_xor_sync(0xFFFFFFFF, at, lane);
    second = fmaxf(fmaxf(second, other_second), fminf(first, other));
    at = other > first ? other_at : at;
    first = fmaxf(first, other);
  }
};

}  // namespace km::screen
