// Quotients of small integers. A division by a value that the compiler does not know takes some 40 instructions, which a warp waits for 150 cycles.
#pragma once

namespace km::cuda {

/// The place of the highest set bit: one instruction, where that of the lowest takes two.
__device__ __forceinline__ int highest(unsigned bits) { return 31 - __clz(bits); }
/// a / b for 0 <= a < 2^20, 0 < b: the float's error is less than the half that is added.
__device__ __forceinline__ int quotient(int a, int b) { return int(__fdividef(float(a) + 0.5f, float(b))); }
/// a / power for a power of two.
__device__ __forceinline__ int by_power(int a, int power) { return a >> highest(power); }

}  // namespace km::cuda
