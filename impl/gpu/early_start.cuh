// Kernels that start as the kernel before them in the stream ends (programmatic dependent launch, CUDA C++ Programming Guide). Their launch overlaps
// with that end. Needs compute capability 9.0; elsewhere kernels start one after the other.
#pragma once

#include <type_traits>

#include "bench/device/cuda_host.cuh"

namespace km::cuda {

/// Such a kernel begins with this. Waits for the kernels before; nothing of theirs may be read or written earlier. Then the next one may start.
__device__ __forceinline__ void await_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// True if `kernel` may start early: the card can, and the kernel was compiled to wait.
template <class Kernel>
bool may_start_early(Kernel kernel) {
  cudaFuncAttributes own;
  check(cudaFuncGetAttributes(&own, kernel));
  return own.ptxVersion >= 90 && attribute(cudaDevAttrComputeCapabilityMajor) >= 9;
}

/// Launches a kernel, early or not.
template <class... Parameters>
void launch(bool early, void (*kernel)(Parameters...), int grid, int block, std::size_t shared_bytes, cudaStream_t stream,
            std::type_identity_t<Parameters>... arguments) {
  cudaLaunchAttribute how{};
  how.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  how.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = static_cast<unsigned>(grid), config.blockDim = static_cast<unsigned>(block);
  config.dynamicSmemBytes = shared_bytes, config.stream = stream, config.attrs = &how, config.numAttrs = early;
  check(cudaLaunchKernelEx(&config, kernel, arguments...));
}

}  // namespace km::cuda
