// lutz2018's single pass (Section 4, Figure 4b) over a range of column-major points, added to running sums. A block of t threads labels t x V
// points, V per thread ("vector length"). It keeps them and their labels in local memory (CUDA: shared), which transposes them. After a barrier each
// thread adds one feature (partitioned features); the labelling thread counts masses (partitioned private).
// Local memory: labels, masses (t k), sums (t k), points (t V d), in this order. The rest is in global memory; points are then read again.
// Cost: points and labels read once if they fit, else twice; a block's tables merged with k d atomicAdds.
#pragma once

#include <bit>

#include "impl/gpu/lloyd/column_assign.cuh"
#include "impl/gpu/lloyd/column_means.cuh"

namespace km::lutz {

/// Layout of a block's memory.
struct FusedPlan {
  int block, vector, width, groups;  // `groups` groups of `width` threads add one feature each
  int table_pitch, tile_pitch;       // pitches of clusters and features, without bank conflicts
  bool local_masses, local_sums, local_points;
  std::int64_t mass_bytes, sum_bytes, bytes;  // of a block's tables; in local memory

  FusedPlan(int d, int k, int block, int vector, std::int64_t budget, int value_bytes)
      : block(block), vector(vector), width(std::min(d, block)), groups(block / width), table_pitch((groups * d + 31) / 32 * 32),
        tile_pitch(block * vector + std::max(1, 32 / width)) {
    mass_bytes = std::int64_t(k) * block * sizeof(unsigned);
    sum_bytes = std::int64_t(k) * table_pitch * value_bytes;
    const std::int64_t point_bytes = std::int64_t(d) * tile_pitch * value_bytes;
    bytes = std::int64_t(block) * vector * sizeof(int);
    const auto fits = [&](std::int64_t more) { return bytes + more <= budget ? (bytes += more, true) : false; };
    local_masses = fits(mass_bytes);
    local_sums = fits(sum_bytes);
    local_points = fits(point_bytes);
  }
};

/// Values of the points from `first` on, as the labelling thread stored them.
template <class T>
struct KeptPoints {
  static constexpr bool kept = true;
  T* const tile;
  const int pitch;
  __device__ KeptPoints(T* tile_memory, const T*, std::int64_t, std::int64_t, int pitch) : tile(tile_memory), pitch(pitch) {}
  __device__ T& at(int j, int q) const { return tile[j * pitch + q]; }
  __device__ T own(int j, int q) const { return at(j, q); }
};

/// The same, read again: `own` for the labelling thread, `at` for those that add features.
template <class T>
struct PointsReadAgain {
  static constexpr bool kept = false;
  const T* const points;
  const std::int64_t n;
  __device__ PointsReadAgain(T*, const T* points, std::int64_t n, std::int64_t first, int) : points(points + first), n(n) {}
  __device__ T own(int j, int q) const { return points[j * n + q]; }
  __device__ T at(int j, int q) const { return own(j, q); }
};

/// Memory access patterns (Section 6.1): place of point v of V of thread t in a block's batch. Strided: neighbouring threads read neighbouring points.
struct Strided {
  static __device__ int place(int v, int, int t, int block) { return v * block + t; }
};
/// A thread reads neighbouring points.
struct Contiguous {
  static __device__ int place(int v, int V, int t, int) { return t * V + v; }
};

/// Adds a block's tables to sums (k x d) and counts.
template <class T>
__device__ __forceinline__ void merge_tables(const T* sum_table, const unsigned* mass_table, int groups, int pitch, int d, int k, T* sums,
                                             unsigned* counts) {
  const int t = threadIdx.x, block = blockDim.x;
  for (std::int64_t at = t; at < std::int64_t(k) * d; at += block) {
    const T* const of_groups = sum_table + at / d * pitch + at % d;
    T sum = 0;
    for (int group = 0; group < groups; ++group) sum += of_groups[group * d];
    if (sum != 0) atomicAdd(&sums[at], sum);
  }
  add_masses(mass_table, block, k, counts);
}

/// points: d x n, centroids: k x d. mass_tables, sum_tables: of all blocks, if not in local memory.
template <class T, int V, template <class> class Tile, class Pattern>
__global__ void label_and_add(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, FusedPlan plan,
                              std::int32_t* __restrict__ labels, unsigned long long* changed, T* sum_tables, unsigned* mass_tables, T* sums,
                              unsigned* counts) {
  constexpr int C = 4;  // clusters, features and additions at a time
  extern __shared__ int4 local[];
  const int t = threadIdx.x, block = blockDim.x, batch = block * V;
  T* const local_sums = reinterpret_cast<T*>(local);                                                                // k x table_pitch
  T* const tile_memory = local_sums + (plan.local_sums ? k * plan.table_pitch : 0);                                 // d x tile_pitch
  auto* const local_masses = reinterpret_cast<unsigned*>(tile_memory + (Tile<T>::kept ? d * plan.tile_pitch : 0));  // k x block
  int* const tile_labels = reinterpret_cast<int*>(local_masses + (plan.local_masses ? k * block : 0));              // batch
  T* const sum_table = plan.local_sums ? local_sums : sum_tables + std::int64_t(blockIdx.x) * k * plan.table_pitch;
  unsigned* const mass_table = plan.local_masses ? local_masses : mass_tables + std::int64_t(blockIdx.x) * k * block;
  for (std::int64_t at = t; at < std::int64_t(k) * plan.table_pitch; at += block) sum_table[at] = 0;
  for (std::int64_t at = t; at < std::int64_t(k) * block; at += block) mass_table[at] = 0;
  __syncthreads();

  const int lane = t % plan.width, g = t / plan.width;
  unsigned moved = 0;
  for (std::int64_t first = std::int64_t(blockIdx.x) * batch; first < n; first += std::int64_t(gridDim.x) * batch) {
    const int size = static_cast<int>(min(n - first, std::int64_t(batch)));
    const Tile<T> tile(tile_memory, points, n, first, plan.tile_pitch);
    int place[V], q[V];
#pragma unroll
    for (int v = 0; v < V; ++v) place[v] = Pattern::place(v, V, t, block), q[v] = Tile<T>::kept ? place[v] : min(place[v], size - 1);
    std::int32_t old[V];  // read all before writing any
#pragma unroll
    for (int v = 0; v < V; ++v) old[v] = labels[first + min(place[v], size - 1)];
    if constexpr (Tile<T>::kept) {
      for (int j0 = 0; j0 < d; j0 += C) {
        T x[C][V];
#pragma unroll
        for (int u = 0; u < C; ++u)
#pragma unroll
          for (int v = 0; v < V; ++v) x[u][v] = j0 + u < d && q[v] < size ? points[(j0 + u) * n + first + q[v]] : T(0);
#pragma unroll
        for (int u = 0; u < C; ++u)
#pragma unroll
          for (int v = 0; v < V; ++v)
            if (j0 + u < d) tile.at(j0 + u, q[v]) = x[u][v];
      }
    }
    std::int32_t best[V];
    label_together<V, C>(
        centroids, d, k, [&](int j, int v) { return tile.own(j, q[v]); }, best);
#pragma unroll
    for (int v = 0; v < V; ++v) {
      if (place[v] >= size) continue;
      tile_labels[place[v]] = best[v];
      ++mass_table[std::int64_t(best[v]) * block + t];
      if (old[v] != best[v]) labels[first + q[v]] = best[v], ++moved;
    }
    __syncthreads();
    if (g < plan.groups)
      for (int j = lane; j < d; j += plan.width)
        for (int p0 = g; p0 < size; p0 += C * plan.groups) {
          T x[C];
          int c[C];
#pragma unroll
          for (int u = 0; u < C; ++u) {
            const int p = p0 + u * plan.groups;
            x[u] = p < size ? tile.at(j, p) : T(0);
            c[u] = tile_labels[p < size ? p : p0];
          }
#pragma unroll
          for (int u = 0; u < C; ++u) sum_table[std::int64_t(c[u]) * plan.table_pitch + g * d + j] += x[u];
        }
    __syncthreads();  // before the points are overwritten
  }

  merge_tables(sum_table, mass_table, plan.groups, plan.table_pitch, d, k, sums, counts);
  cuda::add_of_warp(changed, moved);
}

/// Those of `grid` blocks that have points and memory for their tables.
inline unsigned fused_blocks(const FusedPlan& plan, std::int64_t n, int grid) {
  const std::int64_t outside = (plan.local_sums ? 0 : plan.sum_bytes) + (plan.local_masses ? 0 : plan.mass_bytes);
  return blocks_with_tables(std::min<std::int64_t>(grid, cuda::blocks(n, std::int64_t(plan.block) * plan.vector)), outside);
}

/// Labels and adds chunks of at most n points. Not concurrently: it owns the tables in global memory. ReadAgain: reads points that were not kept.
template <class T, template <class> class ReadAgain = PointsReadAgain, class Pattern = Strided>
class Fused {
 public:
  /// block: a multiple of 32; grid: most blocks; vector: 1, 2, 4 or 8; budget: bytes of local memory per block.
  Fused(std::int64_t n, int d, int k, int block, int grid, int vector, std::int64_t budget)
      : d_(d), k_(k), plan_(d, k, block, vector, budget, sizeof(T)), grid_(fused_blocks(plan_, n, grid)) {
    if (!plan_.local_sums) sum_tables_ = cuda::Buffer<T>(grid_ * plan_.sum_bytes / sizeof(T));
    if (!plan_.local_masses) mass_tables_ = cuda::Buffer<unsigned>(grid_ * plan_.mass_bytes / sizeof(unsigned));
    kernel_ = vector == 1 ? with_vector<1>() : vector == 2 ? with_vector<2>() : vector == 4 ? with_vector<4>() : with_vector<8>();
    cuda::allow_shared(kernel_, plan_.bytes);
  }

  /// points: d x n, centroids, sums: k x d, labels: n, counts: k.
  void add(const T* points, const T* centroids, std::int64_t n, std::int32_t* labels, unsigned long long* changed, T* sums, unsigned* counts,
           cudaStream_t stream) {
    kernel_<<<grid_, plan_.block, plan_.bytes, stream>>>(points, centroids, n, d_, k_, plan_, labels, changed, sum_tables_.data(),
                                                         mass_tables_.data(), sums, counts);
    cuda::check_launch();
  }

 private:
  template <int V>
  auto with_vector() const {
    return plan_.local_points ? label_and_add<T, V, KeptPoints, Pattern> : label_and_add<T, V, ReadAgain, Pattern>;
  }

  int d_, k_;
  FusedPlan plan_;
  unsigned grid_;
  cuda::Buffer<T> sum_tables_;
  cuda::Buffer<unsigned> mass_tables_;
  decltype(&label_and_add<T, 1, KeptPoints, Pattern>) kernel_ = nullptr;
};

/// Longest chain of additions of a chunk of n points: thread, block, grid.
inline std::int64_t fused_depth(const ProblemShape& p, int block, int grid, int vector, std::int64_t budget) {
  const FusedPlan plan(p.d, p.k, block, vector, budget, sizeof(double));  // fp32 has at least as many blocks
  const std::int64_t blocks = fused_blocks(plan, p.n, grid), batch = std::int64_t(block) * vector;
  const std::int64_t batches = (p.n + blocks * batch - 1) / (blocks * batch);
  return batches * ((batch + plan.groups - 1) / plan.groups) + plan.groups + grid;
}

}  // namespace km::lutz
