// Measures tensor cores through cuBLAS.
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <dlfcn.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "bench/ceilings/ceilings.cuh"

namespace km::ceilings {
namespace {

/// cuBLAS, loaded at run time so that the program starts without it, and never unloaded. Throws if it is missing.
class Cublas {
 public:
  explicit Cublas(cudaStream_t stream) : gemm_(find<Gemm>("cublasGemmEx")), handle_(nullptr, find<Destroy>("cublasDestroy_v2")) {
    cublasHandle_t handle = nullptr;
    succeed(find<Create>("cublasCreate_v2")(&handle));
    handle_.reset(handle);
    succeed(find<SetStream>("cublasSetStream_v2")(handle, stream));
  }

  /// c = a b for square matrices of one type, accumulated in fp32.
  void multiply(int side, cudaDataType type, cublasComputeType_t compute, const void* a, const void* b, void* c) {
    const float one = 1, zero = 0;
    succeed(gemm_(handle_.get(), CUBLAS_OP_N, CUBLAS_OP_N, side, side, side, &one, a, type, side, b, type, side, &zero, c, type, side, compute,
                  CUBLAS_GEMM_DEFAULT));
  }

 private:
  using Create = cublasStatus_t (*)(cublasHandle_t*);
  using Destroy = cublasStatus_t (*)(cublasHandle_t);
  using SetStream = cublasStatus_t (*)(cublasHandle_t, cudaStream_t);
  using Gemm = cublasStatus_t (*)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int, int, int, const void*, const void*, cudaDataType, int,
                                  const void*, cudaDataType, int, const void*, void*, cudaDataType, int, cublasComputeType_t, cublasGemmAlgo_t);

  /// Searches as the loader does (LD_LIBRARY_PATH first), then the toolkit's usual folders, newest version first.
  static void* open() {
    std::vector<std::string> folders = {""};
    for (const char* name : {"CUDA_HOME", "CUDA_PATH"})
      if (const char* root = std::getenv(name)) folders.push_back(std::string(root) + "/lib64/");
    folders.insert(folders.end(), {"/usr/local/cuda/lib64/", "/usr/local/cuda/lib/"});
    for (const char* name : {"libcublas.so.13", "libcublas.so.12", "libcublas.so"})
      for (const auto& folder : folders)
        if (void* library = dlopen((folder + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return library;
    return nullptr;
  }

  template <class Function>
  static Function find(const char* name) {
    static void* const library = open();
    if (!library) throw std::runtime_error("cuBLAS was not found: put its folder on LD_LIBRARY_PATH");
    void* const function = dlsym(library, name);
    if (!function) throw std::runtime_error(std::string("cuBLAS has no ") + name);
    return reinterpret_cast<Function>(function);
  }

  static void succeed(cublasStatus_t status) {
    if (status != CUBLAS_STATUS_SUCCESS) throw std::runtime_error("cuBLAS failed with status " + std::to_string(status));
  }

  Gemm gemm_;
  std::unique_ptr<cublasContext, Destroy> handle_;
};

template <class T>
double tensor_gflops(const cuda::Stream& stream, cudaDataType type, cublasComputeType_t compute) {
  constexpr int side = 8192;
  int device = 0, major = 0;
  cuda::check(cudaGetDevice(&device));
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
  if (major < 8) throw std::runtime_error("TF32 and BF16 need compute capability 8.0");
  Cublas cublas(stream);
  const auto a = random_buffer<T>(side * side, stream), b = random_buffer<T>(side * side, stream);
  cuda::Buffer<T> c(side * side);
  const double seconds = least_event_s(stream, [&] { cublas.multiply(side, type, compute, a.data(), b.data(), c.data()); });
  return 2.0 * side * side * side / seconds * 1e-9;
}

}  // namespace

double tensor_tf32_gflops(const cuda::Stream& stream) { return tensor_gflops<float>(stream, CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32); }
double tensor_bf16_gflops(const cuda::Stream& stream) { return tensor_gflops<__nv_bfloat16>(stream, CUDA_R_16BF, CUBLAS_COMPUTE_32F); }

}  // namespace km::ceilings
