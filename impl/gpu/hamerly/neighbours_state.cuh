// State of a run and of a block of impl/gpu/hamerly/neighbours.cu, and bounds that hold despite rounding.
// Per point, in fp32 for both precisions: upper >= distance to its own centroid, lower <= distance to every other centroid.
// Proof:
//   distance:   a sum of d squares of differences is widened by yinyang::Widening (proof in bounds.cuh). Its root and the conversion to fp32 round
//               outward: up for upper, down for lower. Beyond fp32's range upper is infinite and lower finite: such points are always compared.
//   shift:      the widened distance between a centroid's old and new place, rounded up; 0 if no value changed.
//   drift:      upper + shift(own) rounds up; lower - drift rounds down. Drift is the greatest shift of another centroid.
//   levels:     centroids no faster than slow(v) keep lower - slow(v). A faster one is at least reach(v) from the own centroid, so at least
//               reach(v) - upper from the point (triangle inequality). The lower of both bounds holds for all others; the best level counts.
//   half:       if upper < half <= s/2, s the distance to the nearest other centroid, all others are at s - upper > upper.
//   apart:      distances² between centroids, widened down, cut to 16 bits (bf16): a non-negative float cut off is no larger.
//   candidates: a centroid is left out if its cut distance² to the own centroid exceeds (2 upper + slack)², rounded up at each step. Then it is at
//               least root - upper > upper from the point: farther, and no tie. It bounds lower by root - upper, rounded down.
//   decision:   in fp32 two candidates are told apart if screen::leads; else fp64 compares all centroids, the lowest index wins. In fp64 the sums
//               decide, as in plain Lloyd's.
//   twins:      a centroid equal to one of a lower index loses every tie. It is left out, and lower bounds ignore it. Its distance to a point is its
//               equal's, which lower covers unless the point belongs to that equal. When the two part, `freed` voids that cluster's lower bounds.
#pragma once

#include <algorithm>

#include "bench/device/cuda.cuh"
#include "impl/gpu/lloyd/fixed_point.cuh"
#include "impl/gpu/lloyd/resident_sums.cuh"
#include "impl/gpu/lloyd/screen_settle.cuh"
#include "impl/gpu/quotient.cuh"
#include "impl/gpu/whole_run.cuh"
#include "impl/gpu/yinyang/bounds.cuh"

namespace km::neighbours {

using Bits = unsigned long long;
using cuda::highest;
using cuda::quotient;
using moved_sums::FixedPoint;
using screen::Nearest;
using yinyang::Widening;

constexpr unsigned all = 0xFFFFFFFF;
constexpr int slice = 32;  // points of a warp
template <class T>
constexpr int most_dimensions = sizeof(T) == 4 ? 48 : 32;  // a point is in a thread's registers
constexpr int ahead = 5;                                   // slices whose bounds a warp reads at once
constexpr int queue_size = (1 + ahead) * slice;            // per warp
constexpr int levels = 4;                                  // of shifts
constexpr int no_twin = 0x7FFFFFFF;
constexpr int limb_width = 17;       // bits of a limb of the first iteration's sums
constexpr int slices_a_flush = 256;  // of those sums, per copy: 2^13 additions of 17 bits fit 31
constexpr int touch_bit = 34;        // a cluster's word counts moves from here on; below: points that joined minus points that left
constexpr float slack_shifts = 4;    // candidates reach so many top shifts further, so that the new lower bound lasts
constexpr unsigned no_distance = 0xFFFF, infinite = 0x7F80;  // 16 bits
constexpr unsigned none_left_out = 0x7FFF7FFF;               // two halves: the greatest signed ones

/// The shift below which a centroid is slow at a level; `top` is the greatest shift.
__device__ __forceinline__ float slow(float top, int level) {
  constexpr float share[levels] = {0x1p-2f, 0x1p-4f, 0x1p-7f, 0};
  return level + 1 < levels ? top * share[level] : 0.0f;  // also if top is infinite
}

/// Length of a centroid's row: an odd number of 16-byte packs, so that gathers of rows meet different banks.
template <class T, int D>
constexpr int row_pitch = (((D + cuda::Pack<T>::size - 1) / cuda::Pack<T>::size) | 1) * cuda::Pack<T>::size;

/// Threads of a block: with few values in a point, registers suffice for more.
template <class T, int D>
constexpr int most_threads = D * sizeof(T) <= 32 ? 1024 : 512;

/// Counters of one iteration.
enum { changed, past, tight, evaluated, in_doubt, tally_size };

template <class T>
struct Run {
  const T* points;  // slices x D x 32
  float2* bounds;   // upper, lower; slices x 32, as labels
  std::uint16_t* labels;
  const std::int32_t* numbers;  // of copies for which each point stands; null: one each
  std::int64_t n;
  int slices, d, k, max_iters;
  double stop_at;                   // stop at so few changed labels
  float shift_scale;                // scales shifts: 1, or nothing is proven
  int state_cached, points_cached;  // slices of a block whose bounds and labels, whose points are in shared memory
  int table_copies, copies;         // of the sums: in a block in the first iteration, in the grid
  FixedPoint<T> fixed_point;
  Widening<T> widening = Widening<T>(most_dimensions<T>);
  Widening<double> finer = Widening<double>(most_dimensions<T>);
  const T* initial;
  Bits* changes;   // of the sums, three, alternating: copies x (coarse k x D, fine k x D, words k), and whether any is fine; initially zero
  Bits* meetings;  // per iteration: blocks that arrived, and from bit 16 on changed labels; initially zero
  Bits* tallies;   // per iteration tally_size; initially zero
  T *assigned, *next;
  std::int32_t* labels_out;
  int* iters;
  cuda::Stamps* stamps;
};

/// Layout of a block's shared memory, in this order. The first iteration's table lies where later distances and points are.
template <class T, int D>
struct Layout {
  int k, warps, table_copies, state_cached, points_cached;

  __host__ __device__ int cells() const { return k * D; }
  __host__ __device__ int groups() const { return (k + 31) / 32; }
  __host__ __device__ int pairs() const { return (k + 63) / 64 * 32; }  // of centroids, in a row of distances
  __host__ __device__ int apart_pitch() const { return pairs() + 1; }   // odd: gathers of rows meet different banks
  __host__ __device__ std::size_t row_bytes() const { return 2 * sizeof(T) * k * row_pitch<T, D>; }
  __host__ __device__ std::size_t total_bytes() const { return 2 * sizeof(Bits) * cells(); }
  __host__ __device__ std::size_t cluster_bytes() const { return 2 * sizeof(float4) * k; }
  __host__ __device__ std::size_t word_bytes() const { return up(4 * ((levels + 1 + 4) * std::size_t(k) + 33 * std::size_t(groups()))); }
  __host__ __device__ std::size_t queue_bytes() const { return 4 * queue_size * std::size_t(warps); }
  __host__ __device__ static std::size_t state_bytes() { return slice * (sizeof(float2) + sizeof(std::uint16_t)); }
  __host__ __device__ static std::size_t slice_bytes() { return slice * D * sizeof(T); }
  __host__ __device__ std::size_t apart_bytes() const { return up(4 * std::size_t(k) * apart_pitch()); }
  __host__ __device__ std::size_t table_bytes() const { return up(resident::Table::bytes_of(k, cells(), table_copies)); }
  __host__ __device__ std::size_t fixed_bytes() const {
    return row_bytes() + total_bytes() + cluster_bytes() + word_bytes() + queue_bytes() + state_cached * state_bytes();
  }
  __host__ __device__ std::size_t bytes() const {
    const std::size_t later = apart_bytes() + points_cached * slice_bytes();
    return fixed_bytes() + (later > table_bytes() ? later : table_bytes());
  }

 private:
  __host__ __device__ static std::size_t up(std::size_t bytes) { return (bytes + 15) / 16 * 16; }
};

__device__ __forceinline__ float above(float dist, const Widening<float>& w) { return w.at_most(dist); }
__device__ __forceinline__ float above(double dist, const Widening<double>& w) { return __double2float_ru(w.at_most(dist)); }
__device__ __forceinline__ float below(float dist, const Widening<float>& w) { return w.at_least(dist); }
__device__ __forceinline__ float below(double dist, const Widening<double>& w) { return __double2float_rd(w.at_least(dist)); }

/// A lower bound of the true distance² as 16 bits, the upper half of a float.
template <class T>
__device__ __forceinline__ unsigned cut(T dist, const Widening<T>& w) {
  const T least = max(yinyang::fma_down(min(dist, std::numeric_limits<T>::max()), w.down, -w.tiny), T(0));
  if constexpr (sizeof(T) == 4) return __float_as_uint(least) >> 16;
  else return __float_as_uint(__double2float_rd(least)) >> 16;
}
__device__ __forceinline__ float root_of_cut(unsigned distance2) {
  return distance2 >= infinite ? cuda::infinity<float> : __fsqrt_rd(__uint_as_float(distance2 << 16));
}

/// Distances² between P points in registers and a row of whole packs, summed in order of dimensions.
template <int P, int D, class T>
__device__ __forceinline__ void distances(const T (&x)[P][D], const T* row, T (&dist)[P]) {
  constexpr int width = cuda::Pack<T>::size;
#pragma unroll
  for (int p = 0; p < P; ++p) dist[p] = 0;
#pragma unroll
  for (int j = 0; j < D; j += width) {
    const auto values = *reinterpret_cast<const cuda::Pack<T>*>(row + j);
#pragma unroll
    for (int w = 0; w < width; ++w)
      if (j + w < D)
#pragma unroll
        for (int p = 0; p < P; ++p) {
          const T diff = x[p][j + w] - values.at[w];
          dist[p] += diff * diff;
        }
  }
}
template <int D, class T>
__device__ __forceinline__ T distance(const T (&x)[1][D], const T* row) {
  T dist[1];
  distances(x, row, dist);
  return dist[0];
}

/// The nearest two of all centroids without twins, in fp64, by a warp. x: dimensions a slice apart.
template <int D, class T>
__device__ __noinline__ Nearest<double> settle(const T* x, const T* rows, const int* twin, int k) {
  Nearest<double> best;
  for (int c = threadIdx.x % 32; c < k; c += 32) {
    if (twin[c] != no_twin) continue;
    double dist = 0;
#pragma unroll 4
    for (int j = 0; j < D; ++j) {
      const double diff = double(x[j * slice]) - double(rows[c * row_pitch<T, D> + j]);
      dist += diff * diff;
    }
    best.add(dist, c);
  }
  for (int away = 16; away > 0; away /= 2) merge_from_lane(best, best, away);
  return best;
}

/// True if fp32 does not tell which of the nearest two is nearer.
__device__ __forceinline__ bool doubtful(const Nearest<float>& best, int d) { return best.second < cuda::infinity<float> && !screen::leads(best, d); }
__device__ __forceinline__ bool doubtful(const Nearest<double>&, int) { return false; }

/// A cluster's word of moves, and points that joined minus points that left.
__device__ __forceinline__ Bits moves_of(long long joined, Bits touches) { return (touches << touch_bit) + Bits(joined); }
__device__ __forceinline__ int joined_of(Bits word) { return static_cast<int>((long long)(word << (64 - touch_bit)) >> (64 - touch_bit)); }

/// A block's shared memory, and its share of the points. Its slice s is slice s gridDim + blockIdx of all, so that neighbours in time go to
/// different blocks.
template <class T, int D>
struct Block {
  static constexpr int pitch = row_pitch<T, D>;
  const Run<T>& r;
  T* rows;              // two sets, alternating, k x pitch
  Bits *coarse, *fine;  // sums of all points so far, k x D
  float4* loosen;       // per cluster: shift, half, drift
  float4* reach;        // per cluster and level: least distance to a faster centroid
  unsigned* nearest;    // (levels + 1) x k: the same, squared and cut; at last to any other
  float* shift;         // 32 groups
  int *count, *joined, *twin, *freed;
  unsigned* renewed;  // bits of centroids whose distances are made anew
  unsigned* queue;    // slice and lane of points past their bounds
  float2* bounds;
  std::uint16_t* labels;
  unsigned char* overlay;
  unsigned* apart;  // k x apart_pitch pairs of distances² between centroids, cut, with bit 15 set; no_distance: itself, a twin, none
  T* points;
  int apart_pitch, groups, warps, slices, points_here;
  int copy;  // of the grid's sums, that the block changes

  __device__ Block(const Run<T>& run, unsigned char* shared) : r(run) {
    const int k = r.k;
    warps = blockDim.x / 32;
    const Layout<T, D> layout{k, warps, r.table_copies, r.state_cached, r.points_cached};
    copy = static_cast<int>(blockIdx.x) % r.copies;
    apart_pitch = layout.apart_pitch(), groups = layout.groups();
    slices = (r.slices - int(blockIdx.x) + int(gridDim.x) - 1) / int(gridDim.x), points_here = 0;
    rows = reinterpret_cast<T*>(shared), shared += layout.row_bytes();
    coarse = reinterpret_cast<Bits*>(shared), fine = coarse + layout.cells(), shared += layout.total_bytes();
    loosen = reinterpret_cast<float4*>(shared), reach = loosen + k, shared += layout.cluster_bytes();
    nearest = reinterpret_cast<unsigned*>(shared), shared += layout.word_bytes();
    shift = reinterpret_cast<float*>(nearest + (levels + 1) * k);
    count = reinterpret_cast<int*>(shift + groups * 32), joined = count + k, twin = joined + k, freed = twin + k;
    renewed = reinterpret_cast<unsigned*>(freed + k);
    queue = reinterpret_cast<unsigned*>(shared), shared += layout.queue_bytes();
    bounds = reinterpret_cast<float2*>(shared), labels = reinterpret_cast<std::uint16_t*>(bounds + r.state_cached * slice);
    overlay = shared + r.state_cached * layout.state_bytes();
    apart = reinterpret_cast<unsigned*>(overlay), points = reinterpret_cast<T*>(overlay + layout.apart_bytes());
  }

  __device__ __forceinline__ T* rows_of(int set) const { return rows + (set % 2) * r.k * pitch; }
  __device__ __forceinline__ std::int64_t whole(int s) const { return std::int64_t(s) * gridDim.x + blockIdx.x; }
  __device__ __forceinline__ const T* points_of(int s) const {
    return s < points_here ? points + s * (slice * D) : r.points + whole(s) * (slice * D);
  }
  __device__ __forceinline__ float2* bounds_of(int s) const { return s < r.state_cached ? bounds + s * slice : r.bounds + whole(s) * slice; }
  __device__ __forceinline__ std::uint16_t* labels_of(int s) const { return s < r.state_cached ? labels + s * slice : r.labels + whole(s) * slice; }
  __device__ __forceinline__ std::uint16_t& apart_at(int a, int c) const { return reinterpret_cast<std::uint16_t*>(apart + a * apart_pitch)[c]; }

  /// Copies of the block's point at a place: its slice and lane.
  __device__ __forceinline__ int copies(unsigned place) const { return r.numbers ? r.numbers[whole(place / slice) * slice + place % slice] : 1; }

  __device__ __forceinline__ int cells() const { return r.k * D; }
  __device__ __forceinline__ int change_size() const { return r.copies * (2 * cells() + r.k) + 1; }
  /// An iteration's changes of the sums.
  __device__ __forceinline__ Bits* change(int iter) const { return r.changes + std::int64_t(iter % 3) * change_size(); }
};

}  // namespace km::neighbours
