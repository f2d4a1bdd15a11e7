// The chain with dense eigenvectors on the GPU by cuSOLVER (syevdx: divide and conquer), as in he2021, Section 2.3. Representatives and the other
// stages run where their parameters say; only the matrix goes to the GPU, and only the eigenvectors come back. cuSOLVER is found at run time.
#include <cusolverDn.h>
#include <dlfcn.h>

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

/// The library's function of this header's type.
template <class F>
F* found(F*, const char* name) {
  return reinterpret_cast<F*>(dlsym(library(), name));
}

void succeed(cusolverStatus_t status, const char* what) {
  if (status != CUSOLVER_STATUS_SUCCESS) throw std::runtime_error(std::string("cuSOLVER's ") + what + " failed: status " + std::to_string(status));
}

class Handle {
 public:
  Handle() { succeed(found(cusolverDnCreate, "cusolverDnCreate")(&handle_), "cusolverDnCreate"); }
  ~Handle() { static_cast<void>(found(cusolverDnDestroy, "cusolverDnDestroy")(handle_)); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  operator cusolverDnHandle_t() const { return handle_; }

 private:
  cusolverDnHandle_t handle_ = nullptr;
};

Eigenpairs first_by_cusolver(const Laplacian& matrix, int count) {
  note_library({"cuSOLVER", ""});
  const Handle handle;
  const auto ask = found(cusolverDnDsyevdx_bufferSize, "cusolverDnDsyevdx_bufferSize");
  const auto solve = found(cusolverDnDsyevdx, "cusolverDnDsyevdx");
  const int n = int(matrix.graph.size);
  const std::vector<double> host = matrix.dense();
  cuda::Buffer<double> a(std::int64_t(n) * n), values(n);
  cuda::Buffer<int> info(1);
  cuda::check(cudaMemcpy(a.data(), host.data(), a.bytes(), cudaMemcpyHostToDevice));
  int made = 0, work_size = 0, failed = 0;
  succeed(ask(handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, 0, 0, 1, count, &made, values.data(),
              &work_size),
          "cusolverDnDsyevdx_bufferSize");
  cuda::Buffer<double> work(work_size);
  succeed(solve(handle, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_LOWER, n, a.data(), n, 0, 0, 1, count, &made, values.data(),
                work.data(), work_size, info.data()),
          "cusolverDnDsyevdx");
  cuda::check(cudaMemcpy(&failed, info.data(), info.bytes(), cudaMemcpyDeviceToHost));
  if (failed != 0 || made < count) throw std::runtime_error("cuSOLVER's syevdx found no eigenvectors: info " + std::to_string(failed));
  Eigenpairs out{std::vector<double>(std::size_t(count)), std::vector<double>(std::size_t(n) * std::size_t(count))};
  cuda::check(cudaMemcpy(out.values.data(), values.data(), out.values.size() * sizeof(double), cudaMemcpyDeviceToHost));
  cuda::check(cudaMemcpy(out.vectors.data(), a.data(), out.vectors.size() * sizeof(double), cudaMemcpyDeviceToHost));
  return out;
}

std::string cusolver_missing() { return library() ? "" : "no cuSOLVER found (a part of the CUDA Toolkit)"; }

template <class T>
struct Cusolver : Chain<T> {
  Cusolver(const Problem<T>& problem, const Config& config, Trace&) : Chain<T>(problem, config, first_by_cusolver) {}
};

const Register<Cusolver> registration{
    chain_description("spectral clustering of representatives: dense eigenvectors by cuSOLVER", cusolver_missing, Device::gpu)};

}  // namespace
}  // namespace km::spectral
