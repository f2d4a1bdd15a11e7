// Kernels of every step of he2021's two-step ladder: the work on one package. Templates in a named namespace, for relocatable device code.
#pragma once

#include "impl/gpu/lloyd/two_step.cuh"

namespace km::two_step {

/// Step 1, Listing 5's child kernel, on one package. A block of bsxp x bsyd threads loads a tile of bsxp points by bsyd dimensions and the labels
/// into shared memory. Thread c sums the tile's points of cluster c and adds the sums to the package's with one atomicAdd per dimension. blockIdx.x:
/// `tiles` tiles of points (1 in the paper), blockIdx.y: dimensions. Sums are in registers if bsyd is known (BSYD > 0); else the tile is read once
/// per dimension. Up to 32 clusters one warp sums and reads ahead without branches; with more it skips points of other warps' clusters.
template <class T, int BSYD>
__global__ void __launch_bounds__(1024) sum_package(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d,
                                                    int k, Package package, int index, int tiles, PackageSums<T> out) {
  constexpr int rows = BSYD > 0 ? BSYD : 1;
  const int bsxp = blockDim.x, bsyd = BSYD > 0 ? BSYD : blockDim.y;
  const int width = (bsxp + 3) / 4 * 4;  // for reads of four points; those beyond the tile have no label
  extern __shared__ int4 shared[];
  T* const tile = reinterpret_cast<T*>(shared);                          // bsyd x width
  int* const tile_labels = reinterpret_cast<int*>(tile + bsyd * width);  // width

  const int c = threadIdx.y * bsxp + threadIdx.x;
  const int row0 = blockIdx.y * bsyd, row = row0 + threadIdx.y;
  const T* const line = points + row * n + package.first;  // read only if row < d
  for (int x = c; x < width; x += bsxp * bsyd) tile_labels[x] = no_label;

  for (int y0 = 0; y0 < bsyd && row0 + y0 < d; y0 += rows) {
    T sum[rows] = {};
    unsigned count = 0;
    for (int t = 0; t < tiles; ++t) {
      const std::int64_t at = (std::int64_t(blockIdx.x) * tiles + t) * bsxp + threadIdx.x;
      const bool inside = at < package.length;
      __syncthreads();  // the previous tile is done
      tile[threadIdx.y * width + threadIdx.x] = inside && row < d ? line[at] : T(0);
      if (threadIdx.y == 0) tile_labels[threadIdx.x] = inside ? labels[package.first + at] : no_label;
      __syncthreads();
      if (c >= k) continue;
      if (k <= 32) {
#pragma unroll(rows * sizeof(T) > 16 ? 1 : 2)
        for (int x = 0; x < width; x += 4) {
          const int4 four = *reinterpret_cast<const int4*>(tile_labels + x);
          const int label[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int u = 0; u < 4; ++u) count += label[u] == c;
#pragma unroll
          for (int y = 0; y < rows; ++y) {
            const auto values = *reinterpret_cast<const Four<T>*>(tile + (y0 + y) * width + x);
#pragma unroll
            for (int u = 0; u < 4; ++u)
              if (label[u] == c) sum[y] += values.at[u];
          }
        }
      } else {
        for (int x = 0; x < width; x += 4) {
          const int4 four = *reinterpret_cast<const int4*>(tile_labels + x);
          const int label[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
          for (int u = 0; u < 4; ++u) {
            if (label[u] == c) {
              ++count;
#pragma unroll
              for (int y = 0; y < rows; ++y) sum[y] += tile[(y0 + y) * width + x + u];
            }
          }
        }
      }
    }
    if (count == 0) continue;  // true of c >= k
    if (row0 + y0 == 0) atomicAdd(&out.counts[std::int64_t(index) * out.pitch + c], count);
#pragma unroll
    for (int y = 0; y < rows; ++y)
      if (row0 + y0 + y < d) atomicAdd(&out.sums[(std::int64_t(row0 + y0 + y) * out.packages + index) * out.pitch + c], sum[y]);
  }
}

/// Step 2 on one package: a thread adds one of its k d sums to the cluster's (d x k), initially zero. Dimension 0 also adds the count.
template <class T>
__global__ void add_package(PackageSums<T> package_sums, int index, int d, int k, T* sums, unsigned* counts) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= k * d) return;
  const int j = at / k, c = at % k;
  const unsigned count = package_sums.counts[std::int64_t(index) * package_sums.pitch + c];
  if (count == 0) return;
  atomicAdd(&sums[at], package_sums.sums[(std::int64_t(j) * package_sums.packages + index) * package_sums.pitch + c]);
  if (j == 0) atomicAdd(&counts[c], count);
}

/// A parent's thread (Listing 5): launches every blockDim.x-th package of step 1 on the stream. failure: error of a failed launch.
template <class T, int BSYD>
__device__ __forceinline__ void launch_sums(const T* points, const std::int32_t* labels, std::int64_t n, int d, int k, dim3 block, int shared,
                                            int tiles, PackageSums<T> out, int* failure, const cudaStream_t& stream) {
  for (int index = threadIdx.x; index < out.packages; index += blockDim.x) {
    const Package package = package_at(n, out.packages, index);
    if (package.length == 0) continue;
    const dim3 grid(cuda::blocks(package.length, std::int64_t(block.x) * tiles), cuda::blocks(d, block.y));
    sum_package<T, BSYD><<<grid, block, shared, stream>>>(points, labels, n, d, k, package, index, tiles, out);
    if (const auto code = cudaGetLastError(); code != cudaSuccess) *failure = code;
  }
}

/// The same of step 2.
template <class T>
__device__ __forceinline__ void launch_additions(PackageSums<T> package_sums, int d, int k, int block, T* sums, unsigned* counts, int* failure,
                                                 const cudaStream_t& stream) {
  for (int index = threadIdx.x; index < package_sums.packages; index += blockDim.x) {
    add_package<<<cuda::blocks(std::int64_t(k) * d, block), block, 0, stream>>>(package_sums, index, d, k, sums, counts);
    if (const auto code = cudaGetLastError(); code != cudaSuccess) *failure = code;
  }
}

}  // namespace km::two_step
