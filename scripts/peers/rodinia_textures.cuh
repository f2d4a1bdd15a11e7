// Compiled before Rodinia's kmeans: CUDA 12 has neither texture references nor symbols by name. References become managed pointers that are read
// through the read-only cache, and the only symbol is named.
#pragma once

#include <cuda_runtime.h>

template <class T, int, cudaTextureReadMode>
struct TextureReference {
  const T* data;
  cudaTextureFilterMode filterMode;
  bool normalized;
  cudaChannelFormatDesc channelDesc;
};
#define texture __managed__ TextureReference

template <class T, int Dimensions, cudaTextureReadMode Mode>
int cudaBindTexture(std::size_t*, TextureReference<T, Dimensions, Mode>* reference, const void* data, const cudaChannelFormatDesc*, std::size_t) {
  reference->data = static_cast<const T*>(data);
  return 0;
}

template <class T, int Dimensions, cudaTextureReadMode Mode>
__device__ T tex1Dfetch(const TextureReference<T, Dimensions, Mode>& reference, int at) {
  return __ldg(reference.data + at);
}

#define cudaMemcpyToSymbol(name, ...) (cudaMemcpyToSymbol)(c_clusters, __VA_ARGS__)
#define cudaThreadSynchronize cudaDeviceSynchronize
#define main rodinia_main
