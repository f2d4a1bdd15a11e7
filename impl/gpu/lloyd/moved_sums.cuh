// An exact update that processes moved points only. Sums are in fixed point (fixed_point.cuh): exact, independent of the order, and reversible. A
// mean is rounded once, to the same bits in every run.
// Moved points are sorted by cluster (indices only, a counting sort), once to leave and once to join. Groups of threads, a lane per piece of the
// row, walk through the sorted rows and sum in registers until the cluster changes. Only then they use atomicAdd. Rows are shared, not clusters.
// With few clusters a block sorts its own share in shared memory, with several counters per cluster against contention within a warp. With many
// clusters that would flush to memory after every few rows, so all blocks sort together.
// Cost: labels read four times; moved points read twice (once in the first iteration); per value a conversion and four fp64 additions.
#pragma once

#include <cooperative_groups.h>

#include <algorithm>
#include <cmath>

#include "impl/gpu/early_start.cuh"
#include "impl/gpu/lloyd/fixed_point.cuh"

namespace km::moved_sums {

constexpr int block = 384;            // threads that sum, two blocks per multiprocessor
constexpr int sort_block = 1024;      // threads that sort together with other blocks
constexpr int batch = 8;              // rows in flight per thread
constexpr int chunk_limit = 16384;    // points that a block sorts by itself at a time
constexpr int counters_wanted = 512;  // with fewer, a cluster has several
constexpr int rows_wanted = 64;       // least points per cluster and chunk for a block to sort by itself
constexpr int counted_apart = 12288;  // clusters whose counters fit 48 KiB; of more, all blocks share the counters

struct Sum {
  unsigned long long coarse = 0, fine = 0;
  /// scaled: see FixedPoint::scale.
  template <class T>
  __device__ __forceinline__ void add(double scaled, const FixedPoint<T>& q) {
    const double whole = scaled + q.coarse_magic;
    coarse += static_cast<unsigned long long>(__double_as_longlong(whole));
    fine += static_cast<unsigned long long>(__double_as_longlong((scaled - (whole - q.coarse_magic)) + q.fine_magic));
  }
  /// Adds to memory, without the magic numbers of `added` values, and restarts from zero.
  template <class T>
  __device__ __forceinline__ void flush(Sum* to, int added, const FixedPoint<T>& q) {
    atomicAdd(&to->coarse, coarse - added * static_cast<unsigned long long>(__double_as_longlong(q.coarse_magic)));
    atomicAdd(&to->fine, fine - added * static_cast<unsigned long long>(__double_as_longlong(q.fine_magic)));
    coarse = fine = 0;
  }
};

/// A point that joins or leaves: its index, with the top bit for leaving.
template <class Index>
struct Entry {
  static constexpr Index leaves = Index(1) << (8 * sizeof(Index) - 1);
  Index at;
  __device__ std::uint32_t point() const { return at & Index(leaves - 1); }
  __device__ bool leaving() const { return at & leaves; }
};

template <class Index>
struct alignas(16) Entries {
  Entry<Index> at[batch];
};

/// Adds entries begin to end - 1, dimensions j to j + Width - 1, to the sums of their clusters. end_of(c): end of cluster c's entries.
template <int Width, class T, class Index, class EndOf>
__device__ __forceinline__ void sum_runs(const T* __restrict__ points, const Entry<Index>* __restrict__ entries, int begin, int end, int j, int d,
                                         int k, EndOf end_of, const FixedPoint<T>& q, Sum* sums, int* counts) {
  using Values = cuda::Values<T, Width>;
  int c = 0;
  for (int above = k - 1; c < above;) {  // the first cluster that ends after `begin`
    const int middle = (c + above) / 2;
    if (end_of(middle) > begin) above = middle;
    else c = middle + 1;
  }
  int run_begin = begin, run_end = end_of(c), joined = 0;
  Sum sum[Width];
  double scale[Width];
#pragma unroll
  for (int w = 0; w < Width; ++w) scale[w] = q.scale(j + w);
  const auto flush = [&](int p) {
#pragma unroll
    for (int w = 0; w < Width; ++w) sum[w].flush(&sums[std::int64_t(c) * d + j + w], p - run_begin, q);
    if (j == 0) atomicAdd(&counts[c], joined);
    run_begin = p, joined = 0;
  };
  for (int p = begin; p < end; p += batch) {
    const auto next = *reinterpret_cast<const Entries<Index>*>(entries + p);
    Values x[batch];
#pragma unroll
    for (int u = 0; u < batch; ++u)
      if (p + u < end) x[u] = *reinterpret_cast<const Values*>(points + std::int64_t(next.at[u].point()) * d + j);
#pragma unroll
    for (int u = 0; u < batch; ++u) {
      if (p + u >= end) break;
      if (p + u == run_end) {
        flush(p + u);
        do run_end = end_of(++c);
        while (run_end <= p + u);
      }
      const bool leaving = next.at[u].leaving();
      joined += leaving ? -1 : 1;
#pragma unroll
      for (int w = 0; w < Width; ++w) sum[w].add(double(leaving ? -x[u].at[w] : x[u].at[w]) * scale[w], q);
    }
  }
  flush(end);
}

/// Inclusive prefix sum over a block of Threads, one value each. warp_sums: one per warp. All threads call it.
template <int Threads>
__device__ int sum_up_to(int value, int* warp_sums, int& all) {
  const int t = threadIdx.x;
  for (int step = 1; step < 32; step *= 2)
    if (const int left = __shfl_up_sync(0xFFFFFFFF, value, step); t % 32 >= step) value += left;
  if (t % 32 == 31) warp_sums[t / 32] = value;
  __syncthreads();
  all = 0;
  for (int warp = 0; warp < Threads / 32; ++warp) {
    if (warp == t / 32) value += all;
    all += warp_sums[warp];
  }
  __syncthreads();
  return value;
}

/// Calls visit(i, cluster, leaves), once or twice, for each of `size` points from `first` whose label changed.
template <int Threads, class Visit>
__device__ __forceinline__ void each_moved(const std::int32_t* __restrict__ labels, const std::int32_t* before, std::int64_t first, int size,
                                           Visit visit) {
#pragma unroll 4
  for (int i = threadIdx.x; i < size; i += Threads) {
    const std::int32_t now = labels[first + i], old = before[first + i];
    if (now == old) continue;
    visit(i, now, false);
    if (old >= 0) visit(i, old, true);
  }
}

struct Moved {
  std::int64_t n;
  int d, k;
  const std::int32_t* labels;
  std::int32_t* before;  // the labels of the sums
  Sum* sums;             // k x d
  int* counts;
};

/// `lanes` threads of a group share the dimensions, Width values each. copies: counters per cluster.
template <class T, int Width>
__global__ void __launch_bounds__(block, 2)
    sort_and_sum(const T* __restrict__ points, const Moved m, FixedPoint<T> q, int copies, int chunk, int lanes) {
  cuda::await_previous();
  using Packed = Entry<std::uint16_t>;
  extern __shared__ int4 shared[];
  auto* const order = reinterpret_cast<Packed*>(shared);        // 2 chunk: entries by cluster, as indices within the chunk
  int* const ends = reinterpret_cast<int*>(order + 2 * chunk);  // k x copies: end of each counter's entries
  __shared__ int warp_sums[block / 32];
  const int t = threadIdx.x, groups = block / lanes, g = t / lanes, lane = t % lanes, counters = m.k * copies, copy = t % copies;
  const auto end_of = [&](int c) { return ends[(c + 1) * copies - 1]; };

  for (std::int64_t first = std::int64_t(blockIdx.x) * chunk; first < m.n; first += std::int64_t(gridDim.x) * chunk) {
    const int points_here = static_cast<int>(m.n - first < chunk ? m.n - first : chunk);
    for (int c = t; c < counters; c += block) ends[c] = 0;
    __syncthreads();
    each_moved<block>(m.labels, m.before, first, points_here, [&](int, int c, bool) { atomicAdd(&ends[c * copies + copy], 1); });
    __syncthreads();
    for (int c0 = 0, before = 0, all; c0 < counters; c0 += block, before += all) {  // exclusive prefix sum
      const int c = c0 + t, count = c < counters ? ends[c] : 0, up_to = sum_up_to<block>(count, warp_sums, all);
      if (c < counters) ends[c] = before + up_to - count;
    }
    __syncthreads();
    each_moved<block>(m.labels, m.before, first, points_here, [&](int i, int c, bool leaves) {
      order[atomicAdd(&ends[c * copies + copy], 1)].at = static_cast<std::uint16_t>(i | (leaves ? Packed::leaves : 0));
      if (leaves || m.before[first + i] < 0) m.before[first + i] = m.labels[first + i];  // the point's last entry
    });
    __syncthreads();

    const int size = ends[counters - 1], share = (size + groups * batch - 1) / (groups * batch) * batch;
    const int begin = g * share, end = min(begin + share, size);
    for (int j = lane * Width; g < groups && begin < end && j < m.d; j += lanes * Width)
      sum_runs<Width>(points + first * m.d, order, begin, end, j, m.d, m.k, end_of, q, m.sums, m.counts);
    __syncthreads();  // before order and ends are overwritten
  }
}

/// All blocks together, one per multiprocessor. order: entries by cluster, at most 2 n; ends: end of each cluster; totals, cursors: k zeros.
static __global__ void __launch_bounds__(sort_block, 1)
    sort_together(const Moved m, unsigned* totals, unsigned* cursors, int* ends, Entry<std::uint32_t>* order) {
  using Packed = Entry<std::uint32_t>;
  extern __shared__ int mine[];  // k, if the block counts apart: its count per cluster, then the place of its next entry
  __shared__ int warp_sums[sort_block / 32];
  const int t = threadIdx.x;
  const bool apart = m.k <= counted_apart;
  const std::int64_t share = (m.n + gridDim.x - 1) / gridDim.x, first = blockIdx.x * share;
  const int points_here = static_cast<int>(max(min(share, m.n - first), std::int64_t(0)));
  for (int c = t; apart && c < m.k; c += sort_block) mine[c] = 0;
  __syncthreads();
  each_moved<sort_block>(m.labels, m.before, first, points_here,
                         [&](int, int c, bool) { apart ? atomicAdd(&mine[c], 1) : atomicAdd(&totals[c], 1); });
  __syncthreads();
  for (int c = t; apart && c < m.k; c += sort_block)
    if (mine[c] > 0) atomicAdd(&totals[c], mine[c]);
  cooperative_groups::this_grid().sync();
  for (int c0 = 0, before = 0, all; c0 < m.k && (apart || blockIdx.x == 0); c0 += sort_block, before += all) {
    const int c = c0 + t, count = c < m.k ? int(__ldcg(&totals[c])) : 0, up_to = before + sum_up_to<sort_block>(count, warp_sums, all);
    if (c >= m.k) continue;
    if (blockIdx.x == 0) ends[c] = up_to;
    if (!apart) cursors[c] = up_to - count;
    else if (mine[c] > 0) mine[c] = up_to - count + int(atomicAdd(&cursors[c], mine[c]));
  }
  if (apart) __syncthreads();
  else cooperative_groups::this_grid().sync();
  each_moved<sort_block>(m.labels, m.before, first, points_here, [&](int i, int c, bool leaves) {
    const int at = apart ? atomicAdd(&mine[c], 1) : int(atomicAdd(&cursors[c], 1));
    order[at].at = static_cast<std::uint32_t>(first + i) | (leaves ? Packed::leaves : 0);
    if (leaves || m.before[first + i] < 0) m.before[first + i] = m.labels[first + i];  // the point's last entry
  });
}

template <class T, int Width>
__global__ void __launch_bounds__(block, 2) sum_ordered(const T* __restrict__ points, const Moved m, FixedPoint<T> q,
                                                        const Entry<std::uint32_t>* __restrict__ order, const int* ends, unsigned* spent, int lanes) {
  cuda::await_previous();
  for (int c = blockIdx.x * block + threadIdx.x; c < 2 * m.k; c += gridDim.x * block) spent[c] = 0;  // totals and cursors, for the next sort
  const int groups = block / lanes, g = threadIdx.x / lanes, lane = threadIdx.x % lanes;
  const std::int64_t size = ends[m.k - 1], all = std::int64_t(gridDim.x) * groups * batch, share = (size + all - 1) / all * batch;
  const std::int64_t begin = (std::int64_t(blockIdx.x) * groups + g) * share, end = min(begin + share, size);
  for (int j = lane * Width; g < groups && begin < end && j < m.d; j += lanes * Width)
    sum_runs<Width>(
        points, order, int(begin), int(end), j, m.d, m.k, [&](int c) { return __ldg(&ends[c]); }, q, m.sums, m.counts);
}

/// Keeps the sums and counts of clusters up to date with the labels.
template <class T>
class Sums {
 public:
  Sums(const ProblemShape& p, int grid)
      : p_(p), width_(widest(p.d)), lanes_(std::min((p.d + width_ - 1) / width_, block)), before_(p.n), sums_(std::int64_t(p.k) * p.d), counts_(p.k) {
    const std::int64_t n = std::max<std::int64_t>(p.n, 1), turns = (n + std::int64_t(grid) * chunk_limit - 1) / (std::int64_t(grid) * chunk_limit);
    chunk_ = static_cast<int>((n + grid * turns * batch - 1) / (grid * turns * batch) * batch);
    grid_ = std::min(cuda::blocks(n, chunk_), static_cast<unsigned>(grid));
    together_ = p.k > 1 && chunk_ < std::int64_t(rows_wanted) * p.k;
    copies_ = std::clamp(counters_wanted / p.k, 1, 32);
    if (together_) {
      totals_ = cuda::Buffer<unsigned>(2 * p.k), ends_ = cuda::Buffer<int>(p.k);
      order_ = cuda::Buffer<Entry<std::uint32_t>>(2 * p.n + batch);
    }
    bytes_ = together_ ? (p.k <= counted_apart ? p.k * sizeof(int) : 0) : 2 * chunk_ * sizeof(std::uint16_t) + p.k * copies_ * sizeof(int);
    const auto use = [&]<int Width>() {
      sort_and_sum_ = sort_and_sum<T, Width>;
      sum_ordered_ = sum_ordered<T, Width>;
    };
    if (width_ == 4) use.template operator()<sizeof(T) == 4 ? 4 : 2>();
    else if (width_ == 2) use.template operator()<2>();
    else use.template operator()<1>();
    if (together_) cuda::allow_shared(sort_together, bytes_);
    else cuda::allow_shared(sort_and_sum_, bytes_);
  }

  /// Call before the first enqueue. greatest: |value| by column, of all `n` points.
  void set_units(std::span<const double> greatest, std::int64_t n, cudaStream_t stream) { units_ = Units<T>(greatest, n, stream); }
  FixedPoint<T> fixed_point() const { return units_; }
  const Sum* sums() const { return sums_.data(); }
  const int* counts() const { return counts_.data(); }

  /// Empties all clusters.
  void clear(cudaStream_t stream) {
    cuda::clear(stream, sums_, counts_, totals_);
    cuda::poison(stream, before_);
  }

  /// points: n x d. early: see cuda::launch.
  void enqueue(const T* points, const std::int32_t* labels, bool early, cudaStream_t stream) {
    Moved moved{p_.n, p_.d, p_.k, labels, before_.data(), sums_.data(), counts_.data()};
    if (!together_) {
      cuda::launch(early, sort_and_sum_, int(grid_), block, bytes_, stream, points, moved, fixed_point(), copies_, chunk_, lanes_);
      return;
    }
    unsigned *totals = totals_.data(), *cursors = totals + p_.k;
    int* ends = ends_.data();
    Entry<std::uint32_t>* order = order_.data();
    cuda::launch_together(sort_together, unsigned(multiprocessors_), sort_block, bytes_, stream, moved, totals, cursors, ends, order);
    cuda::launch(early, sum_ordered_, int(grid_), block, 0, stream, points, moved, fixed_point(), order, ends, totals, lanes_);
  }

 private:
  /// Values per access: rows are a multiple of it.
  static int widest(int d) { return d % 4 == 0 && sizeof(T) == 4 ? 4 : d % 2 == 0 ? 2 : 1; }

  ProblemShape p_;
  int width_, lanes_, chunk_ = 0, copies_ = 1, multiprocessors_ = cuda::multiprocessors();
  unsigned grid_ = 1;
  bool together_ = false;
  std::size_t bytes_ = 0;
  Units<T> units_;
  cuda::Buffer<std::int32_t> before_;
  cuda::Buffer<Sum> sums_;
  cuda::Buffer<int> counts_;
  cuda::Buffer<unsigned> totals_;  // and cursors
  cuda::Buffer<int> ends_;
  cuda::Buffer<Entry<std::uint32_t>> order_;
  decltype(&sort_and_sum<T, 1>) sort_and_sum_ = nullptr;
  decltype(&sum_ordered<T, 1>) sum_ordered_ = nullptr;
};

}  // namespace km::moved_sums
