// What the kernel of compacted_run.cuh knows of a run, what a block keeps in shared memory, and bounds: distances from both sides in fp32,
// every operation rounded the way that keeps them true, counted in the Frame's units (screen_halves.cuh), in which nothing overflows.
// Proof. From a score s, off by at most E (screen_margin.cuh; margin >= 2 E), and |x|² in fp64, rounded once: the distance² is |x|² - 2 s,
// off by at most margin + 2^-22 |x|². From a sum of d squares: off by at most (d + 8) u of itself, and by d quanta where squares underflow.
// Roots, differences and sums of bounds round down for lower ones and up for upper ones.
#pragma once

#include "impl/gpu/lloyd/fixed_point.cuh"
#include "impl/gpu/lloyd/screen_compare.cuh"
#include "impl/gpu/lloyd/screen_settle.cuh"

namespace km::compacted {

constexpr int block = 384, warps = block / 32;
constexpr int warp_rows = 32, batch = warps * warp_rows;  // points a warp scores at once, and a block
constexpr int ahead = 4;                                  // points whose bounds a thread reads at once
constexpr int most_rows = 2 * block;                      // of few dimensions, two a thread
constexpr int together = screen::together;                // points compared with all centroids side by side
constexpr int levels = 8;                                 // of shifts, below which a centroid counts as slow
using Bits = unsigned long long;

/// Few dimensions, which a thread holds: how many values a row is padded to; 0 where there are more.
__host__ __device__ constexpr int few_padded(int d) { return d <= 4 ? 4 : d <= 8 ? 8 : d < 16 ? 16 : 0; }

constexpr int no_twin = 0x7F7F7F7F;

/// What one iteration did, added up over the blocks.
struct Tally {
  Bits changed, past_bound, open, by_differences, in_doubt;
};

template <class T>
struct Run {
  const T* points;
  const uint4* halves;        // n x 4 deep, rows of fp16
  const std::uint32_t* left;  // what rounding to fp16 left of each point: screen::pack_up
  const float* length2;       // |x|²
  std::int64_t n;
  int d, k, k_padded, deep;  // deep: pairs of steps of 16 dimensions
  int max_iters, sets;       // sets: of points to compare by differences, as many as shared memory holds
  double stop_at;            // as many changed labels are few enough
  bool products;             // whether scores are tried
  const double* centre;
  double scale;
  float shift_scale;  // the share of shifts that bounds pay: 1, or nothing is proven
  moved_sums::FixedPoint fixed_point;
  const T* initial;
  T* centroids[2];  // of this iteration and of the next, in turn
  T* transposed;    // for differences: d x k_padded, or with few dimensions k x few_padded(d)
  uint4* image;     // centroids in fp16, 8 of them and 32 dimensions after the other, a lane's 16 bytes beside each other
  float *starts, *shifts;
  float* reach;             // k x levels: how far from each centroid the nearest other is that is faster; null: not looked at
  int *twin, *twin_before;  // of a centroid equal to one of a lower index, the lowest such; else no_twin
  int* freed;               // whether a centroid had a twin that has parted from it
  float* tops;              // the greatest shift; two, in turn, and so are lengths
  screen::Lengths* lengths;
  int copies;           // of the sums, for blocks to take turns
  Bits *coarse, *fine;  // copies x k x d each
  int* counts;          // copies x k
  std::int32_t* labels;
  float *upper, *lower;  // of the distances to the point's centroid and to any other
  Tally* tallies;
  int* iters;
  Bits* ended;  // nanoseconds at the start and after each iteration
  __device__ T& cell(int c, int j) const {
    const int few = few_padded(d);
    return transposed[few > 0 ? std::int64_t(c) * few + j : std::int64_t(j) * k_padded + c];
  }
};

/// What counts as slow in a level, where the greatest shift is `top`.
__device__ __forceinline__ float slow(float top, int level) {
  constexpr float share[levels] = {0x1p-1f, 0x1p-2f, 0x1p-3f, 0x1p-4f, 0x1p-6f, 0x1p-8f, 0x1p-12f, 0};
  return top * share[level];
}

/// A point whose scores leave more than one candidate.
struct OpenRow {
  int i, count;
  float others;  // no centroid beside the candidates scores more
  std::int32_t candidates[screen::most_candidates];
};

struct MovedRow {
  int i;
  std::int32_t from, to;
};

template <class T>
struct SharedState {
  int list[most_rows + ahead * block];  // points past the bound
  int size;
  int moves, opens, unknown_size, doubts;  // of a batch
  float first[warps * warp_rows * 4], second[warps * warp_rows * 4];
  int at[warps * warp_rows * 4];
  OpenRow open[batch];
  int unknown[batch];
  MovedRow moved[most_rows];
  screen::Nearest<T> found[warps][together];
  screen::Nearest<double> exact[warps];
  int doubtful[most_rows];
};

/// Bounds from squared distances in the Frame's units.
__device__ __forceinline__ float upper_from(float dist2) { return __fsqrt_ru(fmaxf(dist2, 0.0f)); }
__device__ __forceinline__ float lower_from(float dist2) { return __fsqrt_rd(fmaxf(dist2, 0.0f)); }

/// The distance² of a score from above and from below.
__device__ __forceinline__ float above(float length2, float score, float margin) {
  return __fadd_ru(__fmul_ru(length2, 1 + 0x1p-22f), __fadd_ru(-2 * score, margin));
}
__device__ __forceinline__ float below(float length2, float score, float margin) {
  return __fadd_rd(__fmul_rd(length2, 1 - 0x1p-22f), __fsub_rd(-2 * score, margin));
}

/// The distance from above and from below, of a sum of d squares made in U.
template <class U>
struct OfDifferences;

template <>
struct OfDifferences<float> {
  float more, less, least;
  double scale;
  __device__ OfDifferences(int d, double to_scale)
      : more(1 + (d + 8) * 0x1.1p-24f + 0x1p-23f), less(1 - (d + 8) * 0x1.1p-24f), least(d * 0x1p-147f), scale(to_scale) {}
  __device__ float above(float dist2) const { return __double2float_ru(__fsqrt_ru(__fadd_ru(__fmul_ru(dist2, more), least)) * scale); }
  __device__ float below(float dist2) const {
    const float least2 = __fsub_rd(__fmul_rd(dist2, less), least);
    return least2 > 0 ? __double2float_rd(__fsqrt_rd(least2) * scale) : 0.0f;
  }
};

template <>
struct OfDifferences<double> {
  double share, least, scale;
  __device__ OfDifferences(int d, double to_scale) : share((d + 8) * 0x1.1p-53), least(d * 0x1p-1072), scale(to_scale) {}
  __device__ float above(double dist2) const { return __double2float_ru(sqrt(dist2 * (1 + share) + least) * (scale * (1 + 0x1p-40))); }
  __device__ float below(double dist2) const {
    const double least2 = dist2 * (1 - share) - least;
    return least2 > 0 ? __double2float_rd(sqrt(least2) * (scale * (1 - 0x1p-40))) : 0.0f;
  }
};

/// How many lanes share a row's dimensions: a power of two.
__device__ __forceinline__ int lanes_of(int d) { return d >= 32 ? 32 : 1 << (32 - __clz(max(d - 1, 0))); }

/// A point's new label and bounds; where the label changed, the point goes to the block's list.
template <class T>
__device__ __forceinline__ void settled(const Run<T>& r, SharedState<T>& s, int i, int old, int label, float upper, float lower) {
  r.upper[i] = upper, r.lower[i] = lower;
  if (label >= r.k) label = old >= 0 ? old : 0;  // no distance was a number
  if (label == old) return;
  r.labels[i] = label;
  s.moved[atomicAdd(&s.moves, 1)] = {i, old, label};
}

}  // namespace km::compacted
