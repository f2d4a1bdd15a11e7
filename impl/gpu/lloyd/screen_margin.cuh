// Error bounds of scores, and the data that the screen's kernels share.
// Proof, in the Frame's units, with x = xh + r, c = ch + q (high halves and residuals), C, Q the greatest |c|, |q|, K dimensions:
//   one product:    |x·c - xh·ch| <= |r| C + |xh| Q
//   three (xh·ch + xh·cl + xl·ch; residuals of second halves are at most 2^-11 of r, q, and 2^-25 per dimension where subnormal):
//                   |x·c - sum| <= |r| Q (1 + 2^-9) + 2^-11 (|r| C + |x| Q) + 2^-25 sqrt(K) (C + |x| + ...)
//   sums:           products are exact. An instruction adds 16 of them, or 8, and the sum so far. Every addend is truncated at 2^-24 of the largest
//                   or finer, the result at 2^-23: below 2^-23 |x| C per dimension. If P parts of the dimensions are summed apart, a part adds
//                   2^-23 |x'| |c'| for each of its dimensions. Together that is a P-th of before (Cauchy, Schwarz); an addition adds 2^-24 |x| C.
//                   A start of L - |c|²/2, its addition: 2^-23 (|x| C + C² + L), with L the score_offset of one product. As products of the last
//                   instruction, 17 addends truncated beside it: 10 2^-23 (|x| C + C² + L), and 2^-31 of what three halves lose.
// tests/tensor_sums_test.cu checks the hardware against that, with random and worst operands.
#pragma once

#include "impl/gpu/lloyd/screen_halves.cuh"

namespace km::screen {

constexpr int most_stages = 8;

/// Strategy of an iteration, by what the one before left open. One product: candidates for its open points, three products for those with many. Three
/// products: candidates for their open points. Differences: for all.
enum Strategy { one_product = 1, three_products = 2, differences = 3 };

/// Task of a screen: decide points, or list the candidates of open points.
enum class Task { decide, collect };

constexpr int most_candidates = 8;
constexpr int most_started = 4 * step;  // dimensions with which initial scores may cost 16 more

/// State that an iteration's kernels share and pass to the next iteration.
struct alignas(8) Progress {
  unsigned unknown, known;  // open points by their candidates; one atomic counts both
  int strategy;
  unsigned many;      // points with too many candidates of one product
  unsigned rest;      // points for differences with all centroids
  unsigned in_doubt;  // points that fp32 differences leave to fp64
};

/// Open points: index, least score of a candidate, number of candidates, first candidates. Points with known candidates are listed from the back.
struct Open {
  int* points;
  float* least;
  int* counts;
  std::int32_t* candidates;  // most_candidates per point
};

struct Points {
  const uint4* high;
  const uint4* low;
  const std::uint32_t* left;
  int steps;  // of 16 dimensions, of a point
  std::int64_t n;
};

struct Screen {
  Points points;
  const std::uint8_t* image;
  ImageLayout layout;
  int stages;  // pieces of the image in shared memory
  const Lengths* lengths;
  Progress* progress;
  Open open;
  int* many;  // points with too many candidates of one product
  int* rest;  // points for differences with all centroids
  std::int32_t* labels;
  unsigned long long* changed;
  float score_offset;  // makes scores of one product positive: they start at score_offset - |c|²/2
  float margin_scale;  // scales the margin: 1, or nothing is proven
};

using Kernel = void (*)(Screen);

/// A matrix instruction. Each function returns the kernel for a layout and sets its threads.
struct Unit {
  Kernel (*decide)(const ImageLayout& one, int& threads);
  Kernel (*collect)(const ImageLayout& one, int& threads);
  Kernel (*decide_by_three)(const ImageLayout& three, int& threads);
  Kernel (*collect_by_three)(const ImageLayout& three, int& threads);
};
extern const Unit wgmma;  // screened.cu: compute capability 9.0
extern const Unit mma;    // screened_mma.cu: 8.0 and later

/// Initial scores of one product go into three dimensions where these cost little: none of 16 more, or few beside comparisons.
inline ImageLayout layout_for(const ProblemShape& p, int products) {
  const auto steps_for = [](int d) { return d <= 6 * step ? up_to(d, step) / step : up_to(d, deepest * step) / step; };
  const bool started = p.d <= 256 && (steps_for(p.d + start_dimensions) == steps_for(p.d) || p.d <= most_started);
  const int needed = up_to(p.d + (started ? start_dimensions : 0), step) / step;
  const bool apart = products == 3 && needed > deepest;  // chunks are summed apart
  const int steps = needed <= 6 ? needed : apart ? deepest / 2 : deepest;
  const int columns = p.k <= 32 && products == 1 ? 32 : p.k <= 64 || (products == 3 && !apart) ? 64 : 128;
  return {columns, steps, (needed + steps - 1) / steps, products == 3 ? 2 : 1, (p.k + columns - 1) / columns, products == 1 && started};
}

/// margin = of_left |r| + of_length |xh| + rest: twice the bound above, with slack for the arithmetic here. depth: dimensions; parts: summed apart.
template <int Products>
struct Margin {
  float of_left, of_length, rest;
  __device__ Margin(const Lengths& lengths, int depth, int parts, float score_offset, float margin_scale, bool started = false) {
    const float most = sqrtf(lengths.centroid2) * 1.00001f, left = sqrtf(lengths.left2) * 1.00001f;
    const float sums = ldexpf(float(depth) / parts * 1.01f + parts, -23) + ldexpf(1, -21);
    if constexpr (Products == 1) {
      const float start = started ? 20 : 2;
      of_left = 2 * most, of_length = 2 * (left + sums * most) + ldexpf(start * most, -23);
      rest = ldexpf(start * score_offset, -23) + ldexpf(start * most * most, -23) + ldexpf(1, -30);
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

/// The best two scores so far.
struct Best {
  float first = -cuda::infinity<float>, second = -cuda::infinity<float>;
  int at = 0;
  __device__ __forceinline__ void add(float score, int where) {
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
