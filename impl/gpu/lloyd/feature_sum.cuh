// lutz2018's feature sums (Section 3.1) over a range of column-major points, added to running sums.
// Cluster merge (Li et al., Figure 2): a thread adds whole points to its own table of k d sums, without atomics. Then a block's tables are merged.
// They are in local memory (CUDA: shared) if block k d values fit, else in global memory.
// Partitioned features (Figure 3): a thread adds one feature, so its table has k sums; all threads of a block read each label. With d < t threads a
// block processes several points at once; with d > t blocks share the features too. Local memory transposes a tile of points.
// Cost: points and labels read once (labels once per t / 2 features); a block's table merged with k d atomicAdds.
#pragma once

#include <bit>
#include <string_view>

#include "impl/gpu/lloyd/column_means.cuh"

namespace km::lutz {

/// One thread per point. tables: if local memory is too small, k d x threads of the grid, with a stride of one value per thread.
template <class T, bool Local>
__global__ void merge_clusters(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k, T* tables,
                               T* sums) {
  extern __shared__ int4 local[];
  const int t = threadIdx.x, block = blockDim.x, cells = k * d;
  const std::int64_t threads = std::int64_t(gridDim.x) * block, stride = Local ? block : threads;
  T* const of_block = Local ? reinterpret_cast<T*>(local) : tables + std::int64_t(blockIdx.x) * block;
  T* const table = of_block + t;
  for (int cell = 0; cell < cells; ++cell) table[cell * stride] = 0;
  for (std::int64_t i = std::int64_t(blockIdx.x) * block + t; i < n; i += threads) {
    const std::int64_t row = std::int64_t(labels[i]) * d;
#pragma unroll 4
    for (int j = 0; j < d; ++j) table[(row + j) * stride] += points[j * n + i];
  }
  __syncthreads();
  for (int cell = t / 32; cell < cells; cell += block / 32) {  // one warp per sum
    T sum = 0;
    for (int u = t % 32; u < block; u += 32) sum += of_block[cell * stride + u];
    cuda::sum_over_warp(sum);
    if (t % 32 == 0) atomicAdd(&sums[cell], sum);
  }
}

/// Shares of a tile: `groups` groups of `width` threads, one feature each; `tile` points.
struct Partition {
  static constexpr int values = 16, labels = 4;  // of a tile per thread, at most

  int width, groups, tile, log_tile, pitch;  // pitch: of a tile's rows in local memory, without bank conflicts

  Partition(int d, int block)
      : width(std::min(d, block / 2)), groups(block / width), tile(int(std::bit_floor(unsigned(std::min(values * block / width, labels * block))))),
        log_tile(std::countr_zero(unsigned(tile))), pitch(tile + std::max(1, 32 / width)) {}
};

/// One thread per feature; blockIdx.y: which `width` features. tables: if local memory is too small, k x block values per block.
template <class T, bool Local>
__global__ void partition_features(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k, Partition by,
                                   T* tables, T* sums) {
  constexpr int U = 4;  // additions with operands read together
  extern __shared__ int4 local[];
  const int t = threadIdx.x, block = blockDim.x, j0 = blockIdx.y * by.width, here = min(by.width, d - j0);
  T* const rows = reinterpret_cast<T*>(local);                                              // width x pitch
  T* const shared_table = rows + by.width * by.pitch;                                       // k x block, where Local
  int* const tile_labels = reinterpret_cast<int*>(shared_table + (Local ? k * block : 0));  // tile
  T* const table = Local ? shared_table : tables + (std::int64_t(blockIdx.y) * gridDim.x + blockIdx.x) * k * block;
  for (int c = 0; c < k; ++c) table[std::int64_t(c) * block + t] = 0;

  T ahead[Partition::values];
  std::int32_t labels_ahead[Partition::labels];
  const T* const corner = points + j0 * n;
  const auto load = [&](std::int64_t first) {
    const int size = static_cast<int>(min(n - first, std::int64_t(by.tile)));
#pragma unroll
    for (int u = 0; u < Partition::values; ++u) {
      const int at = t + u * block, row = at >> by.log_tile, q = at & (by.tile - 1);
      ahead[u] = row < here && q < size ? corner[row * n + first + q] : T(0);
    }
#pragma unroll
    for (int u = 0; u < Partition::labels; ++u) labels_ahead[u] = t + u * block < size ? labels[first + t + u * block] : 0;  // of padding zeros
  };

  const int j = t % by.width, g = t / by.width;
  const std::int64_t stride = std::int64_t(gridDim.x) * by.tile;
  std::int64_t first = std::int64_t(blockIdx.x) * by.tile;
  if (first < n) load(first);
  for (; first < n; first += stride) {
#pragma unroll
    for (int u = 0; u < Partition::values; ++u) {
      const int at = t + u * block, row = at >> by.log_tile, q = at & (by.tile - 1);
      if (row < by.width) rows[row * by.pitch + q] = ahead[u];
    }
#pragma unroll
    for (int u = 0; u < Partition::labels; ++u)
      if (t + u * block < by.tile) tile_labels[t + u * block] = labels_ahead[u];
    __syncthreads();
    if (first + stride < n) load(first + stride);
    if (g < by.groups)
      for (int q0 = g; q0 < by.tile; q0 += U * by.groups) {
        T x[U];
        int c[U];
#pragma unroll
        for (int u = 0; u < U; ++u) {
          const int q = q0 + u * by.groups;
          x[u] = q < by.tile ? rows[j * by.pitch + q] : T(0);
          c[u] = q < by.tile ? tile_labels[q] : 0;
        }
#pragma unroll
        for (int u = 0; u < U; ++u) table[std::int64_t(c[u]) * block + t] += x[u];
      }
    __syncthreads();  // before the tile and finally the table are read by other threads
  }
  if (blockIdx.x * std::int64_t(by.tile) >= n) return;
  for (std::int64_t at = t; at < std::int64_t(k) * here; at += block) {
    const std::int64_t c = at / here, feature = at % here;
    T sum = 0;
    for (int group = 0; group < by.groups; ++group) sum += table[c * block + group * by.width + feature];
    atomicAdd(&sums[c * d + j0 + feature], sum);
  }
}

/// One of the two strategies, for chunks of at most n points. Not concurrently: it owns the tables in global memory.
template <class T>
class FeatureSum {
 public:
  FeatureSum(std::string_view strategy, std::int64_t n, int d, int k, int block, int grid)
      : merging_(strategy == "cluster merge"), d_(d), k_(k), block_(block), by_(d, block) {
    const std::int64_t tile_bytes = merging_ ? 0 : std::int64_t(by_.width) * by_.pitch * sizeof(T) + by_.tile * sizeof(int);
    const std::int64_t table_bytes = std::int64_t(k) * (merging_ ? d : 1) * block * sizeof(T);
    const bool local = tile_bytes + table_bytes <= local_limit;
    const unsigned parts = merging_ ? 1 : cuda::blocks(d, by_.width);
    const std::int64_t wanted = std::min<std::int64_t>(std::max<std::int64_t>(grid / parts, 1), cuda::blocks(n, merging_ ? block : by_.tile));
    grid_ = dim3(local ? static_cast<unsigned>(wanted) : blocks_with_tables(wanted, table_bytes * parts), parts);
    if (!local) tables_ = cuda::Buffer<T>(std::int64_t(grid_.x) * parts * table_bytes / sizeof(T));
    bytes_ = tile_bytes + (local ? table_bytes : 0);
    merge_ = local ? merge_clusters<T, true> : merge_clusters<T, false>;
    partition_ = local ? partition_features<T, true> : partition_features<T, false>;
    if (merging_) cuda::allow_shared(merge_, bytes_);
    else cuda::allow_shared(partition_, bytes_);
  }

  /// points: d x n, labels: n, sums: k x d.
  void add(const T* points, const std::int32_t* labels, std::int64_t n, T* sums, cudaStream_t stream) {
    if (merging_) merge_<<<grid_, block_, bytes_, stream>>>(points, labels, n, d_, k_, tables_.data(), sums);
    else partition_<<<grid_, block_, bytes_, stream>>>(points, labels, n, d_, k_, by_, tables_.data(), sums);
    cuda::check_launch();
  }

 private:
  bool merging_;
  int d_, k_, block_;
  Partition by_;
  dim3 grid_;
  std::size_t bytes_ = 0;
  cuda::Buffer<T> tables_;
  decltype(&merge_clusters<T, true>) merge_ = nullptr;
  decltype(&partition_features<T, true>) partition_ = nullptr;
};

/// Longest chain of additions of a chunk of n points: thread, block, grid.
inline std::int64_t feature_sum_depth(std::string_view strategy, const ProblemShape& p, int block, int grid) {
  if (strategy == "cluster merge") {
    const std::int64_t bytes = std::int64_t(p.k) * p.d * block * sizeof(double);  // fp32 has at least as many blocks
    const std::int64_t wanted = std::min<std::int64_t>(grid, cuda::blocks(p.n, block));
    const std::int64_t blocks = bytes <= local_limit ? wanted : blocks_with_tables(wanted, bytes);
    return (p.n + blocks * block - 1) / (blocks * block) + block / 32 + 5 + wanted;
  }
  const Partition by(p.d, block);
  const unsigned parts = cuda::blocks(p.d, by.width);
  const std::int64_t wanted = std::min<std::int64_t>(std::max<std::int64_t>(grid / parts, 1), cuda::blocks(p.n, by.tile));
  const std::int64_t blocks = blocks_with_tables(wanted, std::int64_t(p.k) * block * sizeof(double) * parts);
  const std::int64_t tiles = (p.n + blocks * by.tile - 1) / (blocks * by.tile);
  return tiles * ((by.tile + by.groups - 1) / by.groups) + by.groups + wanted;
}

}  // namespace km::lutz
