// lutz2018's single pass without a tile in shared memory, for few dimensions and clusters: each thread has its own k d sums in registers. A thread
// loads a few points in 16-byte accesses and labels them. It adds each to all clusters' sums, times one or zero, because registers cannot be indexed
// at run time. Sums are merged at the end: by shuffles in the warp, in shared memory in the block, by k d atomicAdds per block.
// Cost of an iteration: points (rows) and labels read once, changed labels written; 3 k d + 4 k instructions per point, k rounded up to 2^i.
// Floor: n (d values + a label) from memory (docs/kernels.md). Limit: 8 dimensions and 8 clusters, or 2 and 32; larger sums exceed the registers.
#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/last_block.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

constexpr int block = 256, limit = 8;
constexpr int most_clusters(int d) { return d <= 2 ? 32 : limit; }

/// Points per step of a thread: `packs` packs, each filling whole 16-byte pieces.
template <class T, int D>
struct Batch {
  static constexpr int bytes = D * sizeof(T), pack = bytes % 16 == 0 ? 1 : bytes % 8 == 0 ? 2 : 4;
  static constexpr int packs = std::clamp(64 / (pack * bytes), 1, 4 / pack), points = pack * packs;
};

template <int Size>
using Labels = cuda::Values<std::int32_t, Size>;

/// Blocks that fit a multiprocessor's 65,536 registers, with `values` four-byte registers per thread for sums and points.
constexpr int resident(int values) { return values <= 32 ? 4 : values <= 72 ? 2 : 1; }

/// Adds all threads' sums and counts to those of the grid (k x D, k).
template <class T, int D, int K>
__device__ __forceinline__ void merge(T (&sum)[K][D], const unsigned (&count)[K], int k, T* sums, unsigned* counts) {
  constexpr int warps = block / 32;
  __shared__ T warp_sums[warps][K * D];
  __shared__ unsigned warp_counts[warps][K];
  const int t = threadIdx.x;
#pragma unroll
  for (int c = 0; c < K; ++c) {
    const unsigned warp_count = __reduce_add_sync(0xFFFFFFFF, count[c]);
    if (t % 32 == 0) warp_counts[t / 32][c] = warp_count;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      cuda::sum_over_warp(sum[c][j]);
      if (t % 32 == 0) warp_sums[t / 32][c * D + j] = sum[c][j];
    }
  }
  __syncthreads();
  for (int at = t; at < k * D; at += block) {
    T total = 0;
    for (int warp = 0; warp < warps; ++warp) total += warp_sums[warp][at];
    atomicAdd(&sums[at], total);
  }
  for (int c = t; c < k; c += block) {
    unsigned total = 0;
    for (int warp = 0; warp < warps; ++warp) total += warp_counts[warp][c];
    if (total > 0) atomicAdd(&counts[c], total);
  }
}

/// Reads a thread's points and labels of a block's batch from `first` on. Beyond n: zeros without a label.
template <class T, int D, int P>
__device__ __forceinline__ void load_batch(const T* __restrict__ points, const std::int32_t* labels, std::int64_t n, std::int64_t first, T (&x)[P][D],
                                           std::int32_t (&old)[P]) {
  constexpr int width = cuda::Pack<T>::size, pack = Batch<T, D>::pack;
#pragma unroll
  for (int v = 0; v < Batch<T, D>::packs; ++v) {
    const std::int64_t i = first + (v * block + int(threadIdx.x)) * pack;
    if (i + pack <= n) {
      const auto* const from = reinterpret_cast<const cuda::Pack<T>*>(points + i * D);
#pragma unroll
      for (int piece = 0; piece < pack * D / width; ++piece) {
        const auto values = from[piece];
#pragma unroll
        for (int w = 0; w < width; ++w) x[v * pack + (piece * width + w) / D][(piece * width + w) % D] = values.at[w];
      }
      const auto given = *reinterpret_cast<const Labels<pack>*>(labels + i);
#pragma unroll
      for (int u = 0; u < pack; ++u) old[v * pack + u] = given.at[u];
    } else {
#pragma unroll
      for (int u = 0; u < pack; ++u) {
        old[v * pack + u] = i + u < n ? labels[i + u] : no_label;
#pragma unroll
        for (int j = 0; j < D; ++j) x[v * pack + u][j] = i + u < n ? points[(i + u) * D + j] : T(0);
      }
    }
  }
}

/// points: n x D, centroids, next: k x D, k <= K. Adds to changed, sums (k x D) and counts. The last block turns them into next and clears them.
template <class T, int D, int K>
__global__ void __launch_bounds__(block, resident((K + Batch<T, D>::points) * D * sizeof(T) / 4))
    assign_and_sum(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int k, std::int32_t* __restrict__ labels,
                   unsigned long long* changed, T* sums, unsigned* counts, unsigned* done, T* next) {
  using Shape = Batch<T, D>;
  constexpr int pack = Shape::pack;
  __shared__ T rows[K * D];
  const int t = threadIdx.x;
  for (int at = t; at < K * D; at += block) rows[at] = at / D < k ? centroids[at] : cuda::infinity<T>;  // never the nearest
  __syncthreads();

  T sum[K][D] = {};
  unsigned count[K] = {}, moved = 0;
  const std::int64_t stride = std::int64_t(gridDim.x) * block * Shape::points;
  for (std::int64_t first = std::int64_t(blockIdx.x) * block * Shape::points; first < n; first += stride) {
    T x[Shape::points][D];
    std::int32_t old[Shape::points], best[Shape::points];
    load_batch(points, labels, n, first, x, old);

    T best_dist[Shape::points];
#pragma unroll
    for (int p = 0; p < Shape::points; ++p) best[p] = 0, best_dist[p] = cuda::infinity<T>;
#pragma unroll
    for (int c = 0; c < K; ++c) {
      T row[D];
#pragma unroll
      for (int j = 0; j < D; ++j) row[j] = rows[c * D + j];
      cuda::keep_nearest(x, row, c, best_dist, best);
    }

#pragma unroll
    for (int v = 0; v < Shape::packs; ++v) {
      const std::int64_t i = first + (v * block + t) * pack;
      Labels<pack> made;
      unsigned differ = 0;
#pragma unroll
      for (int u = 0; u < pack; ++u) {
        std::int32_t& label = best[v * pack + u];
        if (i + u >= n) label = no_label;  // added to no sum
        differ += label != old[v * pack + u];
        made.at[u] = label;
      }
      moved += differ;
      if (differ == 0) continue;
      if (i + pack <= n) {
        *reinterpret_cast<Labels<pack>*>(labels + i) = made;
      } else {
#pragma unroll
        for (int u = 0; u < pack; ++u)
          if (i + u < n) labels[i + u] = made.at[u];
      }
    }

#pragma unroll
    for (int p = 0; p < Shape::points; ++p)
#pragma unroll
      for (int c = 0; c < K; ++c) {
        const bool mine = best[p] == c;
        const T share = mine ? 1 : 0;
        count[c] += mine;
#pragma unroll
        for (int j = 0; j < D; ++j) sum[c][j] += share * x[p][j];
      }
  }

  cuda::add_of_warp(changed, moved);
  merge(sum, count, k, sums, counts);
  if (cuda::is_last_block(done)) cuda::average(sums, counts, centroids, D, k, next);
}

/// Calls f(D, K) with d and the number of clusters that the registers are laid out for.
template <class F>
void with_shape(int d, int k, F&& f) {
  with_dimension<1, 2, 3, 4, 5, 6, 7>(d, [&](auto D) {
    constexpr std::integral_constant<int, decltype(D)::value == 0 ? limit : decltype(D)::value> dimensions;
    if (k <= 2) f(dimensions, std::integral_constant<int, 2>{});
    else if (k <= 4) f(dimensions, std::integral_constant<int, 4>{});
    else if (k <= limit) f(dimensions, std::integral_constant<int, limit>{});
    if constexpr (decltype(dimensions)::value <= 2) {
      if (k > limit && k <= 16) f(dimensions, std::integral_constant<int, 16>{});
      else if (k > 16) f(dimensions, std::integral_constant<int, 32>{});
    }
  });
}

template <class T>
class Registers : public cuda::OnLloyd<T> {
 public:
  Registers(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::rows), sums_(std::int64_t(problem.k) * problem.d), counts_(problem.k), done_(1) {
    with_shape(problem.d, problem.k, [&](auto D, auto K) {
      kernel_ = assign_and_sum<T, decltype(D)::value, decltype(K)::value>;
      const int tile = block * Batch<T, decltype(D)::value>::points;
      grid_ = std::min({cuda::blocks(problem.n, tile), cuda::resident_blocks(kernel_, block), static_cast<unsigned>(config.integer("grid"))});
    });
    lloyd_.record([this] { cuda::clear(lloyd_.stream(), sums_, counts_, done_); }, {"fused", [this] { launch_fused(); }});
  }

  int iterate(Trace& trace) { return lloyd_.run(trace); }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void launch_fused() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    kernel_<<<grid_, block, 0, lloyd_.stream()>>>(points_.data(), lloyd_.assigned(), n, k, lloyd_.labels(), lloyd_.changed(), sums_.data(),
                                                  counts_.data(), done_.data(), lloyd_.next());
    cuda::check_launch();
  }

  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_, done_;
  unsigned grid_ = 1;
  decltype(&assign_and_sum<T, 1, 2>) kernel_ = nullptr;
};

const Register<Registers> registration{{
    .summary = "assign and update in one pass, all sums in every thread's registers",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters = {tunable("grid", 528, {66, 132, 264, 528, 1056, 2112},
                           "blocks of 256 threads, at most as many as run at once; they share the points")},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.d > limit) return "more than 8 dimensions: k d sums exceed a thread's registers";
      if (p.k > most_clusters(p.d)) return "more than 8 clusters, or 32 in two dimensions: k d sums exceed a thread's registers";
      return counts_overflow(p);
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      const std::int64_t grid = std::min<std::int64_t>(config.number("grid"), 66), threads = grid * block;  // fewer run at once on small cards
      return p.n / threads + 16 + 5 + block / 32 + grid;  // a thread's points and its last batch, warp, block, grid
    },
    .cost = cost::plain,
}};

}  // namespace
}  // namespace km
