// lutz2018's idea: assign and update in one pass over the points. Both read the same values, and neither computes enough to pay for a second
// read. A block takes tiles of points; each thread labels a point. While the tile is in shared memory, the threads share its values by dimension.
// Thread (g, j) adds dimension j of every G-th point to its own group's sums, without atomics until the block's end. The next tile is prefetched. Up
// to 16 clusters and rows of whole 16-byte pieces need no tile: the lanes of a warp share a point (single_pass_lanes.cuh).
// Cost of an iteration: points and labels read once; k d sums per block to global memory. Points are rows, as given: no transpose.
// Limit: two tiles and k d sums must fit shared memory; with k d beyond a few thousand few blocks fit a multiprocessor.
#include <cuda_pipeline.h>

#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/cost_terms.hpp"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/lloyd/last_block.cuh"
#include "impl/gpu/lloyd/single_pass_lanes.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

constexpr int shared_limit = 160 * 1024;       // of the A100 and later
constexpr int group_bytes_wanted = 16 * 1024;  // more groups shorten the sums, fewer allow more blocks

/// A block's use of shared memory with `block` threads.
struct Plan {
  int block, lanes, groups;  // `lanes` threads of each group share the dimensions
  std::size_t bytes;

  Plan(const ProblemShape& p, int block, int value_bytes) : block(block), lanes(std::min(p.d, block)) {
    const std::int64_t group = std::int64_t(p.k) * (std::int64_t(p.d) * value_bytes + sizeof(unsigned));
    groups = static_cast<int>(std::clamp<std::int64_t>(group_bytes_wanted / group, 1, block / lanes));
    bytes = static_cast<std::size_t>(2 * std::int64_t(block) * p.d * value_bytes + block * sizeof(int) + groups * group);
  }
};

/// Starts copying `count` 16-byte aligned rows of d values into shared memory.
template <class T>
__device__ void stage(T* tile, const T* points, int count, int d) {
  constexpr int width = cuda::Pack<T>::size;
  const int values = count * d, whole = values / width * width;
  for (int at = threadIdx.x * width; at < whole; at += blockDim.x * width) __pipeline_memcpy_async(tile + at, points + at, 16);
  for (int at = whole + threadIdx.x; at < values; at += blockDim.x) tile[at] = points[at];
}

/// points: n x d, centroids, next: k x d. Adds to changed, sums (k x d) and counts. The last block turns them into next and clears them.
template <class T, int D>
__global__ void assign_and_sum(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d_given, int k, int lanes,
                               int groups, std::int32_t* __restrict__ labels, unsigned long long* changed, T* sums, unsigned* counts, unsigned* done,
                               T* next) {
  const int d = D > 0 ? D : d_given, block = blockDim.x, t = threadIdx.x;
  extern __shared__ int4 shared[];
  T* const tiles = reinterpret_cast<T*>(shared);                                            // 2 x block x d
  T* const group_sums = tiles + 2 * block * d;                                              // groups x k x d
  unsigned* const group_counts = reinterpret_cast<unsigned*>(group_sums + groups * k * d);  // groups x k
  int* const tile_labels = reinterpret_cast<int*>(group_counts + groups * k);               // block

  for (int at = t; at < groups * k * d; at += block) group_sums[at] = 0;
  for (int at = t; at < groups * k; at += block) group_counts[at] = 0;

  const std::int64_t stride = std::int64_t(gridDim.x) * block;
  const auto size_at = [&](std::int64_t first) { return static_cast<int>(n - first < block ? n - first : block); };
  std::int64_t first = std::int64_t(blockIdx.x) * block;
  if (first < n) stage(tiles, points + first * d, size_at(first), d);
  __pipeline_commit();

  const int g = t / lanes, lane = t % lanes;
  unsigned moved = 0;
  for (int turn = 0; first < n; first += stride, turn ^= 1) {
    const T* const tile = tiles + turn * block * d;
    const int size = size_at(first);
    if (const std::int64_t next = first + stride; next < n) stage(tiles + (turn ^ 1) * block * d, points + next * d, size_at(next), d);
    __pipeline_commit();
    const std::int32_t old = t < size ? labels[first + t] : no_label;
    __pipeline_wait_prior(1);  // this thread's part of the current tile has arrived
    __syncthreads();           // the others' parts too

    if (t < size) {
      std::int32_t best = 0;
      if constexpr (cuda::fits_registers<T, D>) {
        constexpr int width = D % cuda::Pack<T>::size == 0 ? cuda::Pack<T>::size : 1;
        T x[D];
#pragma unroll
        for (int j = 0; j < D; j += width) {
          if constexpr (width > 1) {
            const auto pack = *reinterpret_cast<const cuda::Pack<T>*>(tile + t * D + j);
#pragma unroll
            for (int u = 0; u < width; ++u) x[j + u] = pack.at[u];
          } else {
            x[j] = tile[t * D + j];
          }
        }
        best = cuda::nearest_of<T>(k, [&](int c) { return cuda::distance(x, centroids + c * D); });
      } else {
        best = cuda::nearest_of<T>(k, [&](int c) { return cuda::squares<T>(d, [&](int j) { return tile[t * d + j] - centroids[c * d + j]; }); });
      }
      tile_labels[t] = best;
      if (old != best) labels[first + t] = best, ++moved;
    }
    __syncthreads();

    if (g < groups) {
      for (int j = lane; j < d; j += lanes) {
        for (int i = g; i < size; i += groups) {
          const int c = tile_labels[i];
          group_sums[(g * k + c) * d + j] += tile[i * d + j];
          if (j == 0) ++group_counts[g * k + c];
        }
      }
    }
    __syncthreads();  // before the tile is overwritten
  }

  __syncthreads();  // blocks without points start here
  add_groups(group_sums, group_counts, groups, k * d, k, sums, counts);
  cuda::add_of_warp(changed, moved);
  if (cuda::is_last_block(done)) cuda::average(sums, counts, centroids, d, k, next);
}

template <class T>
class SinglePass : public cuda::OnLloyd<T> {
 public:
  SinglePass(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::rows), sums_(std::int64_t(problem.k) * problem.d), counts_(problem.k), done_(1),
        plan_(problem, config.integer("block"), sizeof(T)), grid_(config.integer("grid")) {
    if (lanes::fits(problem.d, problem.k, sizeof(T))) {
      lanes_ = lanes::kernel<T>(problem.d, problem.k);
      grid_ = std::min(grid_, lanes::blocks<T>(lanes_, problem, plan_.block));
    } else {
      cuda::with_paper_dimension(problem.d, [&](auto D) { tiles_ = assign_and_sum<T, decltype(D)::value>; });
      cuda::allow_shared(tiles_, plan_.bytes);
      grid_ = std::min(grid_, cuda::blocks(problem.n, plan_.block));
    }
    lloyd_.record([this] { cuda::clear(lloyd_.stream(), sums_, counts_, done_); }, {"fused", [this] { launch_fused(); }});
  }

  int iterate(Trace& trace) { return lloyd_.run(trace); }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void launch_fused() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const cudaStream_t stream = lloyd_.stream();
    if (lanes_)
      lanes_<<<grid_, plan_.block, 0, stream>>>(points_.data(), lloyd_.assigned(), n, d, k, lloyd_.labels(), lloyd_.changed(), sums_.data(),
                                                counts_.data(), done_.data(), lloyd_.next());
    else
      tiles_<<<grid_, plan_.block, plan_.bytes, stream>>>(points_.data(), lloyd_.assigned(), n, d, k, plan_.lanes, plan_.groups, lloyd_.labels(),
                                                          lloyd_.changed(), sums_.data(), counts_.data(), done_.data(), lloyd_.next());
    cuda::check_launch();
  }

  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_, done_;
  Plan plan_;
  unsigned grid_;
  lanes::Kernel<T> lanes_ = nullptr;
  decltype(&assign_and_sum<T, 0>) tiles_ = nullptr;
};

/// Longest chain of additions with tiles: a group's points, groups, blocks.
std::int64_t tiles_depth(const ProblemShape& p, int block, int grid) {
  const int groups = Plan(p, block, sizeof(double)).groups;  // fp32 has at least as many
  const std::int64_t tiles = (p.n + block - 1) / block;
  return (tiles / grid + 1) * (block / groups + 1) + block + std::min<std::int64_t>(grid, tiles);
}

const Register<SinglePass> registration{{
    .summary = "assign and update in one pass: a tile is labelled and summed while it is in shared memory",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters = {tunable("block", 128, {32, 64, 128, 256}, "threads of a block and points of its tile, where it has one; a multiple of 32"),
                   tunable("grid", 2112, {66, 132, 264, 528, 1056, 2112, 4224}, "blocks; they share the points")},
    .unsupported = [](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
      if (config.integer("block") % 32 != 0) return "block is not a multiple of 32";
      if (!lanes::fits(p.d, p.k, value_bytes) && Plan(p, config.integer("block"), value_bytes).bytes > shared_limit)
        return "two tiles of points and k d sums exceed 160 KiB of shared memory";
      return counts_overflow(p);
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      const int block = config.integer("block"), grid = config.integer("grid");
      std::int64_t depth = 0;  // of either precision
      for (const int value_bytes : {4, 8})
        depth = std::max(depth, lanes::fits(p.d, p.k, value_bytes) ? lanes::depth(p, block, grid) : tiles_depth(p, block, grid));
      return depth;
    },
    .cost = cost::plain,
}};

}  // namespace
}  // namespace km
