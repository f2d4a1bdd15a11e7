// The chain with dense eigenvectors on the GPU by cuSOLVER (syevdx: tridiagonal, then divide and conquer; 4/3 m³ operations), as in he2021, Section
// 2.3. The graph goes to the GPU, which makes its Laplacian there; eigenvectors come back. cuSOLVER is found at run time.
#include <cusolverDn.h>

#include "bench/contract/library.hpp"
#include "bench/device/toolkit.hpp"
#include "impl/cpu/spectral/chain.hpp"
#include "impl/gpu/spectral/dense.cuh"

namespace km::spectral {
namespace {

void* library() {
  static void* const found = cuda::toolkit_library({"libcusolver.so.12", "libcusolver.so.11", "libcusolver.so"});
  return found;
}
#define KM_CUSOLVER(name, ...) cuda::call<decltype(&name)>(library(), #name, __VA_ARGS__)

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

}  // namespace

struct DenseSolver::Handle {
  cuda::Owned<cusolverDnHandle_t, library> handle{"cusolverDnDestroy"};
  cuda::Owned<cusolverDnParams_t, library> params{"cusolverDnDestroyParams"};
};

std::string cusolver_missing() { return library() ? "" : "no cuSOLVER found (a part of the CUDA Toolkit)"; }

DenseSolver::DenseSolver() : handle_(std::make_unique<Handle>()) {
  KM_CUSOLVER(cusolverDnCreate, handle_->handle.out());
  KM_CUSOLVER(cusolverDnCreateParams, handle_->params.out());
}

DenseSolver::~DenseSolver() = default;

std::vector<double> DenseSolver::solve(cuda::Buffer<double>& a, std::int64_t m, std::int64_t first, std::int64_t last) const {
  const auto& [handle, params] = *handle_;
  cuda::Buffer<double> values(m);
  cuda::Buffer<int> info(1);
  double unused = 0;
  std::int64_t made = 0;
  std::size_t device_bytes = 0, host_bytes = 0;
  KM_CUSOLVER(cusolverDnXsyevdx_bufferSize, handle, params, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_UPPER, m, CUDA_R_64F,
              a.data(), m, &unused, &unused, first, last, &made, CUDA_R_64F, values.data(), CUDA_R_64F, &device_bytes, &host_bytes);
  cuda::Buffer<char> work(std::int64_t(device_bytes) + 1);
  std::vector<char> host_work(host_bytes + 1);
  KM_CUSOLVER(cusolverDnXsyevdx, handle, params, CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_RANGE_I, CUBLAS_FILL_MODE_UPPER, m, CUDA_R_64F, a.data(), m,
              &unused, &unused, first, last, &made, CUDA_R_64F, values.data(), CUDA_R_64F, work.data(), device_bytes, host_work.data(), host_bytes,
              info.data());
  const int failed = on_host(info, 1).front();
  if (failed != 0 || made != last - first + 1)
    throw std::runtime_error("cuSOLVER found " + std::to_string(made) + " of " + std::to_string(last - first + 1) + " eigenvectors, info " +
                             std::to_string(failed));
  return on_host(values, std::size_t(made));
}

Eigenpairs DenseSolver::operator()(const Laplacian& matrix, int count) const {
  note_library({"cuSOLVER", ""});
  const std::int64_t m = matrix.graph.size;
  cuda::Buffer<double> a = laplacian_on_gpu(matrix);
  auto values = solve(a, m, 1, count);
  return {std::move(values), on_host(a, std::size_t(m) * std::size_t(count))};
}

namespace {

template <class T>
struct Cusolver : Chain<T> {
  Cusolver(const Problem<T>& problem, const Config& config, Trace&)
      : Chain<T>(problem, config, [dense = std::make_shared<const DenseSolver>()](const Laplacian& matrix, int count) {
          return with_transfers([&] { return (*dense)(matrix, count); });
        }) {}
};

const Register<Cusolver> registration{
    chain_description("spectral clustering of representatives: dense eigenvectors by cuSOLVER", cusolver_missing, Device::gpu)};

}  // namespace
}  // namespace km::spectral
