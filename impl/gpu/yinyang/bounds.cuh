// Bounds that hold despite rounding. A bound is a computed distance² times its factor (widening.hpp). Its root and all sums with drifts are rounded
// outward: a skipped centroid is farther, and no tie.
#pragma once

#include "bench/device/cuda.cuh"
#include "impl/gpu/yinyang/widening.hpp"

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

/// Upper and lower bounds of the true distance from the computed distance² of d dimensions.
template <class T>
struct Widening : Factors<T> {
  using Factors<T>::Factors;
  __device__ __forceinline__ T at_most(T dist) const { return root_up(fma_up(dist, this->up, this->tiny)); }
  /// Finite even if the square overflowed.
  __device__ __forceinline__ T at_least(T dist) const {
    return root_down(max(fma_down(min(dist, Factors<T>::Limits::max()), this->down, -this->tiny), T(0)));
  }
};

}  // namespace km::yinyang
