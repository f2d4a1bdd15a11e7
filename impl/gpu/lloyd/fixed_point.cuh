// Exact sums of floating-point values: each is a multiple of a coarse unit plus one of a much finer unit, both 64-bit integers. Sums are independent
// of the order and reversible. With n below 2^22, fp32 values are exact from the greatest down to 2^-56 of it; fp64 values keep 2^-80 of their column's
// greatest: each column has units of its own.
// Cost per value: a conversion and four fp64 additions; in fp64 a multiplication.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bench/device/cuda_host.cuh"
#include "impl/column_scale.hpp"

namespace km::moved_sums {

/// The two units. Adding 1.5 2^52 units rounds to whole units and leaves their number in the low bits.
template <class T>
struct FixedPoint {
  double coarse, fine;              // the two units
  double coarse_magic, fine_magic;  // 1.5 2^52 units
  const double* scales = nullptr;   // fp64: powers of two, by which columns are multiplied

  FixedPoint() = default;
  /// |value| <= most; n values do not overflow. A value uses at most `most_bits` bits of the coarse unit.
  FixedPoint(double most, std::int64_t n, int most_bits) {
    const int bits = std::min(most_bits, 61 - (n > 1 ? std::ilogb(double(n - 1)) + 1 : 0));
    const int top = most > 0 && std::isfinite(most) ? std::ilogb(most) + 1 : 0;
    coarse = std::ldexp(1.0, std::clamp(top - bits, -900, 900));
    fine = std::ldexp(coarse, -bits);
    coarse_magic = 1.5 * 0x1p52 * coarse, fine_magic = 1.5 * 0x1p52 * fine;
  }

  __device__ __forceinline__ double scale(int j) const {
    if constexpr (sizeof(T) == 4) return 1;
    else return __ldg(scales + j);
  }
  /// Splits a value, or a sum, of column j into numbers of both units.
  __device__ __forceinline__ void split(double value, int j, long long& of_coarse, long long& of_fine) const {
    const double scaled = value * scale(j), whole = scaled + coarse_magic;
    of_coarse = __double_as_longlong(whole) - __double_as_longlong(coarse_magic);
    of_fine = __double_as_longlong((scaled - (whole - coarse_magic)) + fine_magic) - __double_as_longlong(fine_magic);
  }
  __device__ __forceinline__ double value(unsigned long long of_coarse, unsigned long long of_fine, int j) const {
    const double sum = double(static_cast<long long>(of_coarse)) * coarse + double(static_cast<long long>(of_fine)) * fine;
    if constexpr (sizeof(T) == 4) return sum;
    else return sum / scale(j);
  }
};

/// The units of points, on one device.
template <class T>
class Units {
 public:
  static constexpr int most_bits = 50;
  Units() = default;
  /// greatest: |value| by column. n: values whose sum does not overflow, each of up to `together` points.
  Units(std::span<const double> greatest, std::int64_t n, cudaStream_t stream, int bits = most_bits, double together = 1)
      : fixed_point_((sizeof(T) == 4 ? *std::ranges::max_element(greatest) : std::nextafter(1.0, 0.0)) * together, n, bits) {
    if constexpr (sizeof(T) == 8) {
      std::vector<double> scales(greatest.size() + most_padding, 1);
      for (std::size_t j = 0; j < greatest.size(); ++j) scales[j] = column_scale(greatest[j]);
      scales_ = cuda::Buffer<double>(std::ssize(scales));
      cuda::upload(scales_, std::span<const double>(scales), stream);
      cuda::check(cudaStreamSynchronize(stream));
      fixed_point_.scales = scales_.data();
    }
  }
  operator FixedPoint<T>() const { return fixed_point_; }

 private:
  static constexpr int most_padding = 32;  // columns of zeros that kernels add
  FixedPoint<T> fixed_point_{};
  cuda::Buffer<double> scales_;
};

/// A thread looks at one column only: there are d threads at least, and their number is taken as a multiple of d.
template <class T>
__global__ void find_greatest(const T* __restrict__ values, std::int64_t size, int d, double* greatest) {
  const T* const from = values + blockIdx.y * size;
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x / d * d, first = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  double most = 0;
  for (std::int64_t at = first; at < size && first < stride; at += stride) most = fmax(most, fabs(double(from[at])));
  double* const of_column = greatest + blockIdx.y + first % d;
  if (most > __ldcg(of_column)) cuda::raise(of_column, most);
}

/// The greatest |value| of each column: of n rows of d, or of d columns of n. Waits.
template <class T>
std::vector<double> greatest_of_columns(const T* values, std::int64_t n, int d, cudaStream_t stream, bool by_columns = false) {
  cuda::Buffer<double> greatest(d);
  cuda::clear(stream, greatest);
  const std::int64_t size = by_columns ? n : n * d;
  const int across = by_columns ? 1 : d;
  const dim3 grid(std::max(std::min(cuda::blocks(size, 1024), 1056u), cuda::blocks(across, 256)), by_columns ? d : 1);
  find_greatest<<<grid, 256, 0, stream>>>(values, size, across, greatest.data());
  cuda::check_launch();
  return cuda::fetched(greatest, stream);
}

}  // namespace km::moved_sums
