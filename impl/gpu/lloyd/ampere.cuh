// A warp's matrix multiply of compute capability 8.0 and later (mma.sync), and its loads from shared memory.
#pragma once

#include <cstdint>

namespace km::ampere {

/// Loads four 8 x 8 tiles of halves from shared memory. Lanes 8 m to 8 m + 7 pass the row addresses of tile m, 16 bytes per row.
__device__ __forceinline__ void load_tiles(std::uint32_t (&b)[4], std::uint32_t row_at) {
#if __CUDA_ARCH__ >= 800
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
               : "r"(row_at)
               : "memory");
#endif
}

/// acc += a * b: 16 x 16 halves of points times 16 x 8 of centroids, sums in fp32.
__device__ __forceinline__ void multiply(float* acc, const std::uint32_t* a, const std::uint32_t* b) {
#if __CUDA_ARCH__ >= 800
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};\n"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
#endif
}

}  // namespace km::ampere
