// State of a run and a block of compacted_run.cuh, and bounds. These are distances from both sides in fp32, rounded outward, in the Frame's units
// (screen_halves.cuh), in which nothing overflows.
// Proof. A score s is off by at most E (screen_margin.cuh; margin >= 2 E); |x|² is in fp64, rounded once. The distance² |x|² - 2 s is off by at most
// margin + 2^-22 |x|². A sum of d squares is off by at most (d + 8) u of itself, and by d least numbers where squares underflow. Roots, differences
// and sums of bounds round down for lower bounds and up for upper ones.
#pragma once

#include "impl/gpu/lloyd/fixed_point.cuh"
#include "impl/gpu/lloyd/screen_compare.cuh"
#include "impl/gpu/lloyd/screen_settle.cuh"
#include "impl/gpu/quotient.cuh"

namespace km::compacted {

constexpr int block = 384, warps = block / 32;
constexpr int warp_rows = 32, batch = warps * warp_rows;  // points that a warp, a block scores at once
constexpr int ahead = 4;                                  // points whose bounds a thread reads at once
constexpr int most_rows = 2 * block;                      // with few dimensions: two per thread
constexpr int together = screen::together;                // points compared with all centroids at once
constexpr int levels = 8;                                 // of shifts: slower centroids count as slow
constexpr int few_named = 16, most_named = 64;            // candidates of a point that scores leave open
using Bits = unsigned long long;
using cuda::by_power;
using cuda::quotient;

/// Values per row if a thread holds a point (few dimensions), else 0.
__host__ __device__ constexpr int few_padded(int d) { return d <= 4 ? 4 : d <= 8 ? 8 : d < 16 ? 16 : 0; }

constexpr int no_twin = 0x7F7F7F7F;

/// Counters of one iteration, summed over the blocks.
struct Tally {
  Bits changed, past_bound, open, by_differences, in_doubt;  // by_differences: with more than few_named centroids
  Bits saved, twins, reached;  // points that the levels alone keep within their bounds; equal centroids; whether the levels were made
};

template <class T>
struct Run {
  const T* points;
  const uint4* halves;          // n x 4 deep, rows of fp16
  const std::uint32_t* left;    // rounding residual and length (screen::pack_up)
  const float* length2;         // |x|²
  const std::int32_t* numbers;  // of copies for which each point stands; null: one each
  std::int64_t n;
  int d, k, k_padded, deep;     // deep: pairs of steps of 16 dimensions
  int max_iters, sets;          // sets of points compared by differences, as shared memory allows
  int mean_warps, reach_warps;  // that share a mean, the distances of a centroid to 32 others: divisors of `warps`
  double stop_at;               // stop at so few changed labels
  bool products;                // whether to try scores
  const double* centre;
  double scale;
  float shift_scale;  // scales shifts in bounds: 1, or nothing is proven
  moved_sums::FixedPoint<T> fixed_point;
  const T* initial;
  T* centroids[2];  // this iteration's and the next, alternating
  T* transposed;    // for differences: d x k_padded, or k x few_padded(d)
  uint4* image;     // centroids in fp16: 8 centroids and 32 dimensions at a time, a lane's 16 bytes adjacent
  float *starts, *shifts;
  float* reach;             // k x levels: distance to the nearest faster centroid; null: unused
  Bits reach_worth;         // saved points that cost as much
  int *twin, *twin_before;  // lowest equal centroid of a lower index, else no_twin
  int* freed;               // whether a former twin has parted from it
  float* tops;              // greatest shift; two, alternating, as are lengths
  screen::Lengths* lengths;
  int copies;           // of the sums, so that blocks contend less
  Bits *coarse, *fine;  // copies x k x d each
  int* counts;          // copies x k
  std::int32_t* labels;
  float *upper, *lower;  // bounds of the distances to the point's centroid and to any other
  Bits* meetings;        // three per iteration; initially zero
  Tally* tallies;
  int* iters;
  Bits* ended;  // nanoseconds at the start and after each iteration
  __device__ T& cell(int c, int j) const {
    const int few = few_padded(d);
    return transposed[few > 0 ? std::int64_t(c) * few + j : std::int64_t(j) * k_padded + c];
  }
};

/// The shift below which a centroid is slow at a level; `top` is the greatest shift.
__device__ __forceinline__ float slow(float top, int level) {
  constexpr float share[levels] = {0x1p-1f, 0x1p-2f, 0x1p-3f, 0x1p-4f, 0x1p-6f, 0x1p-8f, 0x1p-12f, 0};
  return top * share[level];
}

struct MovedRow {
  int i;
  std::int32_t from, to;
};

template <class T>
struct SharedState {
  int list[most_rows + ahead * block];  // points past their bounds
  int size;
  int moves, moved_points, opens, unknown_size, doubts;  // per batch; moved points with copies
  int many;                                              // points of a batch with more than few_named candidates
  Tally tally;                                           // of an iteration; but for `saved` thread 0 alone
  float first[warps * warp_rows * 4], second[warps * warp_rows * 4];
  float third[warps * warp_rows * 4];  // of all scores but the best and, if there is one, the second at second_at
  int at[warps * warp_rows * 4], second_at[warps * warp_rows * 4];
  int open[batch];      // rows of a batch whose scores leave several candidates
  float enough[batch];  // a candidate's least score, of an open row
  int unknown[batch];   // points with more than most_named candidates
  std::int32_t named[2 * warps][most_named];
  MovedRow moved[most_rows];
  screen::Nearest<T> found[warps][together];
  screen::Nearest<double> exact[warps];
  int doubtful[most_rows];
  double squares[warps][3];  // of a mean's shift, length and rounding residual
  T parts[warps][32];        // of distances between centroids
};

/// Bounds of distances from distances² in the Frame's units.
__device__ __forceinline__ float upper_from(float dist2) { return __fsqrt_ru(fmaxf(dist2, 0.0f)); }
__device__ __forceinline__ float lower_from(float dist2) { return __fsqrt_rd(fmaxf(dist2, 0.0f)); }

/// Upper and lower bound of a score's distance².
__device__ __forceinline__ float above(float length2, float score, float margin) {
  return __fadd_ru(__fmul_ru(length2, 1 + 0x1p-22f), __fadd_ru(-2 * score, margin));
}
__device__ __forceinline__ float below(float length2, float score, float margin) {
  return __fadd_rd(__fmul_rd(length2, 1 - 0x1p-22f), __fsub_rd(-2 * score, margin));
}

/// Upper and lower bound of the distance from a sum of d squares in U.
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

/// Lanes that share a row's dimensions: a power of two.
__device__ __forceinline__ int lanes_of(int d) { return d >= 32 ? 32 : 1 << (32 - __clz(max(d - 1, 0))); }

/// Sets a point's label and bounds, and lists it as moved if the label changed.
template <class T>
__device__ __forceinline__ void settled(const Run<T>& r, SharedState<T>& s, int i, int old, int label, float upper, float lower) {
  r.upper[i] = upper, r.lower[i] = lower;
  if (label >= r.k) label = old >= 0 ? old : 0;  // every distance was NaN
  if (label == old) return;
  r.labels[i] = label;
  s.moved[atomicAdd(&s.moves, 1)] = {i, old, label};
  if (r.numbers) atomicAdd(&s.moved_points, r.numbers[i]);
}

}  // namespace km::compacted
