// Bounds that hold despite rounding. A computed distance² is a sum of d squares of differences, and each term passes at most d + 2 roundings. It is
// off by at most a share g = m u / (1 - m u), m = d + 3 (Higham, Accuracy and Stability of Numerical Algorithms, 3.1), and by d least numbers where
// squares underflow. The origin does not matter, because a difference of two numbers is rounded once. A bound is the distance² widened by this. Its
// root and all sums with drifts are rounded outward: a skipped centroid is farther, and no tie.
#pragma once

#include <cmath>
#include <limits>

#include "bench/device/cuda.cuh"

namespace km::yinyang {

__device__ __forceinline__ float sum_up(float a, float b) { return __fadd_ru(a, b); }
__device__ __forceinline__ double sum_up(double a, double b) { return __dadd_ru(a, b); }
__device__ __forceinline__ float sum_down(float a, float b) { return __fadd_rd(a, b); }
__device__ __forceinline__ double sum_down(double a, double b) { return __dadd_rd(a, b); }
__device__ __forceinline__ float root_up(float a) { return __fsqrt_ru(a); }
__device__ __forceinline__ double root_up(double a) { return __dsqrt_ru(a); }
__device__ __forceinline__ float root_down(float a) { return __fsqrt_rd(a); }
__device__ __forceinline__ double root_down(double a) { return __dsqrt_rd(a); }
__device__ __forceinline__ float fma_up(float a, float b, float c) { return __fmaf_ru(a, b, c); }
__device__ __forceinline__ double fma_up(double a, double b, double c) { return __fma_ru(a, b, c); }
__device__ __forceinline__ float fma_down(float a, float b, float c) { return __fmaf_rd(a, b, c); }
__device__ __forceinline__ double fma_down(double a, double b, double c) { return __fma_rd(a, b, c); }

/// Atomic maximum of non-negative values: they order as their bits.
__device__ __forceinline__ void raise(float* most, float value) { atomicMax(reinterpret_cast<int*>(most), __float_as_int(value)); }
__device__ __forceinline__ void raise(double* most, double value) {
  atomicMax(reinterpret_cast<unsigned long long*>(most), static_cast<unsigned long long>(__double_as_longlong(value)));
}

/// Upper and lower bounds of the true distance from the computed distance² of d dimensions.
template <class T>
struct Widening {
  using Limits = std::numeric_limits<T>;
  T up, down, tiny;

  explicit Widening(int d) {
    const double roundings = (d + 3) * (Limits::epsilon() / 2.0), share = roundings / (1 - roundings);
    up = std::nextafter(T(1 / (1 - share)), Limits::infinity());
    down = std::nextafter(T(1 / (1 + share)), T(0));
    tiny = d * Limits::denorm_min();
  }
  __device__ __forceinline__ T at_most(T dist) const { return root_up(fma_up(dist, up, tiny)); }
  /// Finite even if the square overflowed.
  __device__ __forceinline__ T at_least(T dist) const { return root_down(max(fma_down(min(dist, Limits::max()), down, -tiny), T(0))); }
};

}  // namespace km::yinyang
