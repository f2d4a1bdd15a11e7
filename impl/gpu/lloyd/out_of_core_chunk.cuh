// Processes a chunk of points on the device, after lutz2018: assign and update as two passes or fused into one. Sums and counts stay on the device
// across chunks (Section 5). A block takes tiles of points: each thread labels a point; then the threads share the tile's values by dimension
// (partitioned features, Section 3.1). Groups of threads have sums in shared memory if they fit. fp64 sums: one addition per block and chunk.
#pragma once

#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/average.cuh"

namespace km::out_of_core {

constexpr int block = 128;                                                              // threads, and points per tile
constexpr unsigned grid = 512;                                                          // most blocks that share a chunk's tiles
constexpr int tile_limit = 64 * 1024, sums_limit = 64 * 1024, sums_wanted = 16 * 1024;  // bytes of shared memory

enum class Step { assign, update, fused };

/// A block's use of shared memory in one step.
struct Plan {
  int lanes, groups, stride;  // `lanes` threads of each group share the dimensions; rows of a tile have an odd stride
  bool tile, local;           // whether a tile and a group's sums fit
  std::size_t bytes;

  Plan(const ProblemShape& p, Step step, int value_bytes) : lanes(std::min(p.d, block)), groups(block / lanes), stride(p.d | 1) {
    const std::int64_t group = std::int64_t(p.k) * (std::int64_t(p.d) * value_bytes + sizeof(unsigned));
    const std::int64_t tile_bytes = std::int64_t(block) * stride * value_bytes;
    local = step != Step::assign && group <= sums_limit;
    if (local) groups = static_cast<int>(std::clamp<std::int64_t>(sums_wanted / group, 1, groups));
    tile = step != Step::update && tile_bytes <= tile_limit;
    bytes = static_cast<std::size_t>(block * sizeof(int) + (tile ? tile_bytes : 0) + (local ? groups * group : 0));
  }
};

/// Nearest centroid of point x. centroids: k x d.
template <class T, int D>
__device__ std::int32_t nearest(const T* from, const T* __restrict__ centroids, int d, int k) {
  if constexpr (D > 0) {
    T x[D];
#pragma unroll
    for (int j = 0; j < D; ++j) x[j] = from[j];
    return cuda::nearest_of<T>(k, [&](int c) { return cuda::distance(x, centroids + std::int64_t(c) * D); });
  } else {
    return cuda::nearest_of<T>(k, [&](int c) { return cuda::squares<T>(d, [&](int j) { return from[j] - centroids[std::int64_t(c) * d + j]; }); });
  }
}

/// points: n x d rows of a chunk, with their labels. Adds to changed, sums (k x d) and counts.
template <class T, int D, Step step>
__global__ void process(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d_given, int k, Plan plan,
                        std::int32_t* __restrict__ labels, unsigned long long* changed, double* sums, unsigned long long* counts) {
  const int d = D > 0 ? D : d_given, t = threadIdx.x, group = t / plan.lanes, lane = t % plan.lanes;
  const std::int64_t cells = std::int64_t(k) * d;
  extern __shared__ int4 shared[];
  T* const tile_values = reinterpret_cast<T*>(shared);                                                              // block x stride
  T* const group_sums = tile_values + (plan.tile ? block * plan.stride : 0);                                        // groups x k x d
  unsigned* const group_counts = reinterpret_cast<unsigned*>(group_sums + (plan.local ? plan.groups * cells : 0));  // groups x k
  int* const tile_labels = reinterpret_cast<int*>(group_counts + (plan.local ? plan.groups * k : 0));               // block
  if (plan.local) {
    for (int at = t; at < plan.groups * cells; at += block) group_sums[at] = 0;
    for (int at = t; at < plan.groups * k; at += block) group_counts[at] = 0;
  }

  unsigned moved = 0;
  for (std::int64_t first = std::int64_t(blockIdx.x) * block; first < n; first += std::int64_t(gridDim.x) * block) {
    const int size = static_cast<int>(n - first < block ? n - first : block);
    const T* const rows = points + first * d;
    __syncthreads();  // before the previous tile is overwritten
    if (plan.tile)
      for (int at = t; at < size * d; at += block) tile_values[at / d * plan.stride + at % d] = rows[at];
    const T* const tile = plan.tile ? tile_values : rows;
    const std::int64_t stride = plan.tile ? plan.stride : d;
    __syncthreads();

    if constexpr (step == Step::update) {
      if (t < size) tile_labels[t] = labels[first + t];
    } else if (t < size) {
      const std::int32_t best = nearest<T, D>(tile + t * stride, centroids, d, k);
      moved += labels[first + t] != best;
      labels[first + t] = tile_labels[t] = best;
    }
    if constexpr (step == Step::assign) continue;
    __syncthreads();

    if (group >= plan.groups) continue;
    for (int i = group; i < size; i += plan.groups) {
      const int c = tile_labels[i];
      for (int j = lane; j < d; j += plan.lanes) {
        const T value = tile[i * stride + j];
        if (plan.local) group_sums[group * cells + std::int64_t(c) * d + j] += value;
        else atomicAdd(&sums[std::int64_t(c) * d + j], double(value));
      }
      if (lane > 0) continue;
      if (plan.local) ++group_counts[group * k + c];
      else atomicAdd(&counts[c], 1ull);
    }
  }

  __syncthreads();
  if (plan.local) add_groups(group_sums, group_counts, plan.groups, cells, k, sums, counts);
  if constexpr (step != Step::update) cuda::add_of_warp(changed, moved);
}

/// The kernel of one step and shape.
template <class T>
class Launch {
 public:
  Launch(const ProblemShape& p, Step step) : d_(p.d), k_(p.k), plan_(p, step, sizeof(T)) {
    with_dimension<2, 4, 8, 16, 32, 64>(p.d, [&](auto D) {
      constexpr int known = decltype(D)::value;
      if (step == Step::assign) kernel_ = process<T, known, Step::assign>;
      else if (step == Step::fused) kernel_ = process<T, known, Step::fused>;
      else kernel_ = process<T, 0, Step::update>;
    });
    cuda::allow_shared(kernel_, plan_.bytes);
  }

  void operator()(const T* points, const T* centroids, std::int64_t n, std::int32_t* labels, unsigned long long* changed, double* sums,
                  unsigned long long* counts, cudaStream_t stream) const {
    kernel_<<<std::min(cuda::blocks(n, block), grid), block, plan_.bytes, stream>>>(points, centroids, n, d_, k_, plan_, labels, changed, sums,
                                                                                    counts);
    cuda::check_launch();
  }

 private:
  int d_, k_;
  Plan plan_;
  decltype(&process<T, 0, Step::update>) kernel_ = nullptr;
};

}  // namespace km::out_of_core
