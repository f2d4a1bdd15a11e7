// The chain with dense eigenvectors on the GPU by cuSOLVER (syevdx: tridiagonal, then divide and conquer; 4/3 m³ operations), as in he2021, Section
// 2.3. The graph goes to the GPU, which makes its Laplacian there; eigenvectors come back. cuSOLVER is found at run time.
#include <cusolverDn.h>
#include <dlfcn.h>

#include <memory>
#include <stdexcept>

#include "bench/contract/library.hpp"
#include "bench/device/cuda.cuh"
#include "impl/cpu/spectral/chain.hpp"

namespace km::spectral {
namespace {

/// Searches as the loader does, then the toolkit's usual folder.
void* library() {
  static void* const first = [] {
    for (const char* name : {"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"})
      for (const char* folder : {"", "/usr/local/cuda/lib64/"})
        if (void* const found = dlopen((std::string(folder) + name).c_str(), RTLD_LAZY | RTLD_LOCAL)) return found;
    return static_cast<void*>(nullptr);
  }();
  return first;
}

/// Calls the library's function of this name and of the header's type F, which alone is used: nothing links to cuSOLVER.
template <class F, class... Arguments>
void call(const char* name, Arguments... arguments) {
  const auto function = reinterpret_cast<F>(dlsym(library(), name));
  if (!function) throw std::runtime_error(std::string("this cuSOLVER has no ") + name);
  const cusolverStatus_t status = function(arguments...);
  if (status != CUSOLVER_STATUS_SUCCESS) throw std::runtime_error(std::string(name) + " failed: status " + std::to_string(status));
}
#define KM_CUSOLVER(name, ...) call<decltype(&name)>(#name, __VA_ARGS__)

class Handle {
 public:
  Handle() {
    KM_CUSOLVER(cusolverDnCreate, &handle_);
    KM_CUSOLVER(cusolverDnCreateParams, &params_);
  }
  ~Handle() {  // without a check: a destructor must not throw
    if (const auto destroy = reinterpret_cast<decltype(&cusolverDnDestroyParams)>(dlsym(library(), "cusolverDnDestroyParams"))) destroy(params_);
    if (const auto destroy = reinterpret_cast<decltype(&cusolverDnDestroy)>(dlsym(library(), "cusolverDnDestroy"))) destroy(handle_);
  }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  cusolverDnHandle_t get() const { return handle_; }
  cusolverDnParams_t params() const { return params_; }

 private:
  cusolverDnHandle_t handle_ = nullptr;
  cusolverDnParams_t params_ = nullptr;
};

template <class T>
cuda::Buffer<T> on_gpu(const std::vector<T>& host) {
  cuda::Buffer<T> copy(std::ssize(host));
  cuda::check(cudaMemcpy(copy.data(), host.data(), copy.bytes(), cudaMemcpyHostToDevice));
  return copy;
}

template <class T>
std::vector<T> on_host(const cuda::Buffer<T>& buffer, std::size_t count) {
  std::vector<T> copy(count);
  cuda::check(cudaMemcpy(copy.data(), buffer.data(), count * sizeof(T), cudaMemcpyDeviceToHost));
  return copy;
}

constexpr int threads = 256;

/// A block per row: -scale S scale, in place of a dense S.
__global__ void scale_dense(double* a, const double* scale, std::int64_t m) {
  double* const row = a + blockIdx.x * m;
  for (std::int64_t j = threadIdx.x; j < m; j += blockDim.x) row[j] *= -(scale[blockIdx.x] * scale[j]);
}

/// A block per row of compressed rows, into zeros.
__global__ void scale_sparse(double* a, const std::int64_t* starts, const std::int32_t* neighbours, const double* weights, const double* scale,
                             std::int64_t m) {
  double* const row = a + blockIdx.x * m;
  for (std::int64_t at = starts[blockIdx.x] + threadIdx.x; at < starts[blockIdx.x + 1]; at += blockDim.x)
    row[neighbours[at]] = -(scale[blockIdx.x] * weights[at] * scale[neighbours[at]]);
}

__global__ void add_diagonal(double* a, const double* diagonal, std::int64_t m) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < m) a[i * (m + 1)] += diagonal[i];
}

/// The matrix, m x m; row-major or column-major are the same.
cuda::Buffer<double> laplacian_on_gpu(const Laplacian& matrix) {
  const Graph& g = matrix.graph;
  const auto rows = static_cast<unsigned>(g.size);
  const auto scale = on_gpu(matrix.scale), diagonal = on_gpu(matrix.diagonal);
  cuda::Buffer<double> a = g.is_dense() ? on_gpu(g.dense) : cuda::Buffer<double>(g.size * g.size);
  if (g.is_dense()) scale_dense<<<rows, threads>>>(a.data(), scale.data(), g.size);
  else {
    const auto starts = on_gpu(g.starts);
    const auto neighbours = on_gpu(g.neighbours);
    const auto weights = on_gpu(g.weights);
    cuda::check(cudaMemset(a.data(), 0, a.bytes()));
    scale_sparse<<<rows, threads>>>(a.data(), starts.data(), neighbours.data(), weights.data(), scale.data(), g.size);
    cuda::check_launch();
    cuda::check(cudaDeviceSynchronize());  // before the lists are released
  }
  cuda::check_launch();
  add_diagonal<<<(rows + threads - 1) / threads, threads>>>(a.data(), diagonal.data(), g.size);
  cuda::check_launch();
  cuda::check(cudaDeviceSynchronize());
  return a;
}

/// The `count` smallest pairs; the library writes eigenvectors over the matrix.
Eigenpairs first_by_cusolver(const Handle& handle, const Laplacian& matrix, int count) {
  note_library({"cuSOLVER", ""});
  const std::int64_t m = matrix.graph.size, first = 1, last = count;
  cuda::Buffer<double> a = laplacian_on_gpu(matrix), values(m);
  cuda::Buffer<int> info(1);
  double unused = 0;
  std::int64_t made = 0;
  std::size_t device_bytes = 0, host_bytes = 0;
  KM_CUSOLVER(cusolverDnXsyevdx_bufferSize, handle.get(), handle.params(), CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, m,
              CUDA_R_64F, a.data(), m, &unused, &unused, first, last, &made, CUDA_R_64F, values.data(), CUDA_R_64F, &device_bytes, &host_bytes);
  cuda::Buffer<char> work(std::int64_t(device_bytes) + 1);
  std::vector<char> host_work(host_bytes + 1);
  KM_CUSOLVER(cusolverDnXsyevdx, handle.get(), handle.params(), CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, m, CUDA_R_64F,
              a.data(), m, &unused, &unused, first, last, &made, CUDA_R_64F, values.data(), CUDA_R_64F, work.data(), device_bytes, host_work.data(),
              host_bytes, info.data());
  const int failed = on_host(info, 1).front();
  if (failed != 0 || made < count)
    throw std::runtime_error("cuSOLVER found " + std::to_string(made) + " of " + std::to_string(count) + " eigenvectors, info " +
                             std::to_string(failed));
  return {on_host(values, std::size_t(count)), on_host(a, std::size_t(m) * std::size_t(count))};
}

std::string cusolver_missing() { return library() ? "" : "no cuSOLVER found (a part of the CUDA Toolkit)"; }

template <class T>
struct Cusolver : Chain<T> {
  Cusolver(const Problem<T>& problem, const Config& config, Trace&)
      : Chain<T>(problem, config, [handle = std::make_shared<const Handle>()](const Laplacian& matrix, int count) {
          return first_by_cusolver(*handle, matrix, count);
        }) {}
};

const Register<Cusolver> registration{
    chain_description("spectral clustering of representatives: dense eigenvectors by cuSOLVER", cusolver_missing, Device::gpu)};

}  // namespace
}  // namespace km::spectral
