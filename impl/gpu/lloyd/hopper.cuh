// Hopper's warpgroup matrix multiply (wgmma): 64 x 16 halves of registers times a tile of shared memory, sums in fp32 registers. Also bulk copies
// from global to shared memory that signal a barrier. Build for sm_90a only.
// Tiles in shared memory are K-major without swizzling: 8 rows x 16 bytes, then the next 8 rows, then the next 8 columns.
#pragma once

#include <cstdint>

namespace km::hopper {

/// Lower half of wgmma's descriptor of a tile of `rows` rows in shared memory, in units of 16 bytes.
__device__ __forceinline__ std::uint32_t tile_at(std::uint32_t shared_address, int rows) { return shared_address >> 4 | std::uint32_t(rows) << 16; }

__device__ __forceinline__ std::uint32_t shared_address(const void* at) { return static_cast<std::uint32_t>(__cvta_generic_to_shared(at)); }

/// acc = (add ? acc : 0) + a * b. a: a thread's four registers of 64 x 16 halves.
__device__ __forceinline__ void multiply(float (&acc)[16], const std::uint32_t* a, std::uint32_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\n.reg .b64 tile;\nmov.b64 tile, {%20, 8};\nsetp.ne.b32 p, %21, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n32k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15}, "
      "{%16, %17, %18, %19}, tile, p, 1, 1, 0;\n}\n"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]), "+f"(acc[6]), "+f"(acc[7]), "+f"(acc[8]), "+f"(acc[9]),
        "+f"(acc[10]), "+f"(acc[11]), "+f"(acc[12]), "+f"(acc[13]), "+f"(acc[14]), "+f"(acc[15])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(add));
}

__device__ __forceinline__ void multiply(float (&acc)[32], const std::uint32_t* a, std::uint32_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\n.reg .b64 tile;\nmov.b64 tile, {%36, 8};\nsetp.ne.b32 p, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      "%24, %25, %26, %27, %28, %29, %30, %31}, "
      "{%32, %33, %34, %35}, tile, p, 1, 1, 0;\n}\n"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]), "+f"(acc[6]), "+f"(acc[7]), "+f"(acc[8]), "+f"(acc[9]),
        "+f"(acc[10]), "+f"(acc[11]), "+f"(acc[12]), "+f"(acc[13]), "+f"(acc[14]), "+f"(acc[15]), "+f"(acc[16]), "+f"(acc[17]), "+f"(acc[18]),
        "+f"(acc[19]), "+f"(acc[20]), "+f"(acc[21]), "+f"(acc[22]), "+f"(acc[23]), "+f"(acc[24]), "+f"(acc[25]), "+f"(acc[26]), "+f"(acc[27]),
        "+f"(acc[28]), "+f"(acc[29]), "+f"(acc[30]), "+f"(acc[31])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(add));
}

__device__ __forceinline__ void multiply(float (&acc)[64], const std::uint32_t* a, std::uint32_t b, int add) {
  asm volatile(
      "{\n.reg .pred p;\n.reg .b64 tile;\nmov.b64 tile, {%68, 8};\nsetp.ne.b32 p, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {"
      "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23,"
      "%24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47,"
      "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63}, "
      "{%64, %65, %66, %67}, tile, p, 1, 1, 0;\n}\n"
      : "+f"(acc[0]), "+f"(acc[1]), "+f"(acc[2]), "+f"(acc[3]), "+f"(acc[4]), "+f"(acc[5]), "+f"(acc[6]), "+f"(acc[7]), "+f"(acc[8]), "+f"(acc[9]),
        "+f"(acc[10]), "+f"(acc[11]), "+f"(acc[12]), "+f"(acc[13]), "+f"(acc[14]), "+f"(acc[15]), "+f"(acc[16]), "+f"(acc[17]), "+f"(acc[18]),
        "+f"(acc[19]), "+f"(acc[20]), "+f"(acc[21]), "+f"(acc[22]), "+f"(acc[23]), "+f"(acc[24]), "+f"(acc[25]), "+f"(acc[26]), "+f"(acc[27]),
        "+f"(acc[28]), "+f"(acc[29]), "+f"(acc[30]), "+f"(acc[31]), "+f"(acc[32]), "+f"(acc[33]), "+f"(acc[34]), "+f"(acc[35]), "+f"(acc[36]),
        "+f"(acc[37]), "+f"(acc[38]), "+f"(acc[39]), "+f"(acc[40]), "+f"(acc[41]), "+f"(acc[42]), "+f"(acc[43]), "+f"(acc[44]), "+f"(acc[45]),
        "+f"(acc[46]), "+f"(acc[47]), "+f"(acc[48]), "+f"(acc[49]), "+f"(acc[50]), "+f"(acc[51]), "+f"(acc[52]), "+f"(acc[53]), "+f"(acc[54]),
        "+f"(acc[55]), "+f"(acc[56]), "+f"(acc[57]), "+f"(acc[58]), "+f"(acc[59]), "+f"(acc[60]), "+f"(acc[61]), "+f"(acc[62]), "+f"(acc[63])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b), "r"(add));
}

__device__ __forceinline__ void multiply_begin() { asm volatile("wgmma.fence.sync.aligned;\n" ::: "memory"); }

/// Waits for the products since multiply_begin. Until then acc must not be read, nor a be written.
template <int Size, int Values>
__device__ __forceinline__ void multiply_end(float (&acc)[Size], std::uint32_t (&a)[Values]) {
  asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n" ::: "memory");
#pragma unroll
  for (int u = 0; u < Size; ++u) asm volatile("" : "+f"(acc[u])::"memory");
#pragma unroll
  for (int u = 0; u < Values; ++u) asm volatile("" : "+r"(a[u])::"memory");
}

template <int Registers>
__device__ __forceinline__ void take_registers() {
  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;\n" ::"n"(Registers));
}
template <int Registers>
__device__ __forceinline__ void give_registers() {
  asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;\n" ::"n"(Registers));
}

/// A barrier in shared memory that counts arrivals and copied bytes, phase by phase.
struct Barrier {
  std::uint64_t state;

  __device__ void init(int arrivals) { asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(shared_address(&state)), "r"(arrivals)); }
  __device__ void arrive() { asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];\n" ::"r"(shared_address(&state)) : "memory"); }
  /// Waits until the phase of this parity (0, 1, 0, ...) ends.
  __device__ void wait(unsigned parity) {
    asm volatile("{\n.reg .pred p;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra done;\nbra again;\ndone:\n}\n" ::"r"(
                     shared_address(&state)),
                 "r"(parity)
                 : "memory");
  }
  /// Arrives and copies `bytes` to shared memory within the phase. Multiples of 16 bytes.
  __device__ void copy(void* to, const void* from, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(shared_address(&state)), "r"(bytes) : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(shared_address(to)), "l"(from),
                 "r"(bytes), "r"(shared_address(&state))
                 : "memory");
  }
};

/// A meeting of the first `groups` warpgroups.
__device__ __forceinline__ void meet(int groups) { asm volatile("bar.sync 15, %0;\n" ::"r"(groups * 128) : "memory"); }

/// Makes barriers visible to the copy engine.
__device__ __forceinline__ void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory"); }

}  // namespace km::hopper
