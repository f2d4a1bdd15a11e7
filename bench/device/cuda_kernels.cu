// The harness's own kernels: fill and transpose.
#include "bench/device/cuda.cuh"

namespace km::cuda {
namespace {

__global__ void fill_kernel(std::int32_t* values, std::int64_t size, std::int32_t value) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < size) values[i] = value;
}

constexpr int tile_rows = 128, tile_columns = 32;

/// One block transposes 128 rows x up to 32 columns through shared memory. It reads along rows, one contiguous range for few columns, and writes
/// along columns.
template <class T>
__global__ void transpose_kernel(const T* __restrict__ from, std::int64_t rows, std::int64_t columns, T* __restrict__ to) {
  __shared__ T tile[tile_columns][tile_rows + 1];
  const std::int64_t row0 = std::int64_t(blockIdx.x) * tile_rows, column0 = std::int64_t(blockIdx.y) * tile_columns;
  const int height = static_cast<int>(rows - row0 < tile_rows ? rows - row0 : tile_rows);
  const int width = static_cast<int>(columns - column0 < tile_columns ? columns - column0 : tile_columns);
  for (int at = threadIdx.x; at < height * width; at += blockDim.x) {
    const int row = at / width, column = at % width;
    tile[column][row] = from[(row0 + row) * columns + column0 + column];
  }
  __syncthreads();
  for (int at = threadIdx.x; at < tile_rows * width; at += blockDim.x) {
    const int row = at % tile_rows, column = at / tile_rows;
    if (row < height) to[(column0 + column) * rows + row0 + row] = tile[column][row];
  }
}

}  // namespace

void fill(std::int32_t* values, std::int64_t size, std::int32_t value, cudaStream_t stream) {
  fill_kernel<<<blocks(size, 256), 256, 0, stream>>>(values, size, value);
  check_launch();
}

template <class T>
void transpose(const T* from, std::int64_t rows, std::int64_t columns, T* to, cudaStream_t stream) {
  transpose_kernel<<<dim3(blocks(rows, tile_rows), blocks(columns, tile_columns)), 256, 0, stream>>>(from, rows, columns, to);
  check_launch();
}
template void transpose<float>(const float*, std::int64_t, std::int64_t, float*, cudaStream_t);
template void transpose<double>(const double*, std::int64_t, std::int64_t, double*, cudaStream_t);

}  // namespace km::cuda
