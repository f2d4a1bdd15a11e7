// The chain with sparse eigenvectors on the GPU: products by cuSPARSE, orthogonalization by cuBLAS, small dense problems by cuSOLVER. They replace
// the paper's nvGRAPH, which is discontinued. All libraries are found at run time.
// Wu, Simon, "Thick-restart Lanczos method for large symmetric eigenvalue problems", 2000, with full orthogonalization, twice.
// Cost of a step beyond the product: the basis is read four times.
#include <cublas_v2.h>
#include <cusparse.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "bench/contract/library.hpp"
#include "bench/device/toolkit.hpp"
#include "impl/cpu/spectral/chain.hpp"
#include "impl/gpu/spectral/dense.cuh"

namespace km::spectral {
namespace {

void* cusparse() {
  static void* const found = cuda::toolkit_library({"libcusparse.so.12", "libcusparse.so"});
  return found;
}
#define KM_CUSPARSE(name, ...) cuda::call<decltype(&name)>(cusparse(), #name, __VA_ARGS__)
#define KM_CUBLAS(name, ...) cuda::call<decltype(&name)>(cuda::cublas(), #name, __VA_ARGS__)

std::string cusparse_missing() {
  if (!cusparse() || !cuda::cublas()) return "no cuSPARSE or cuBLAS found (parts of the CUDA Toolkit)";
  return cusolver_missing();
}

constexpr int least_basis = 160, most_restarts = 3000;
constexpr double tolerance = 1e-11;  // of an eigenvector's residual, beside the largest eigenvalue
constexpr double broken = 1e-13;     // a step of this length has left no new direction

/// bound - A as compressed rows: the smallest eigenvalues of A are the largest here, where Lanczos converges without a factorization.
class Operator {
 public:
  Operator(cusparseHandle_t handle, const Laplacian& matrix) : handle_(handle) {
    const Graph& g = matrix.graph;
    std::vector<std::int32_t> starts = {0}, columns;
    std::vector<double> values;
    for (std::int64_t i = 0; i < g.size; ++i) {
      columns.push_back(std::int32_t(i));
      values.push_back(matrix.bound - matrix.diagonal[std::size_t(i)]);
      g.visit(i, [&](std::int64_t j, double weight) {
        columns.push_back(std::int32_t(j));
        values.push_back(matrix.scale[std::size_t(i)] * weight * matrix.scale[std::size_t(j)]);
      });
      if (std::ssize(values) > std::numeric_limits<std::int32_t>::max()) throw std::runtime_error("the graph has more than 2^31 edges");
      starts.push_back(std::int32_t(values.size()));
    }
    starts_ = on_gpu(starts), columns_ = on_gpu(columns), values_ = on_gpu(values);
    KM_CUSPARSE(cusparseCreateCsr, matrix_.out(), g.size, g.size, std::ssize(values), static_cast<void*>(starts_.data()),
                static_cast<void*>(columns_.data()), static_cast<void*>(values_.data()), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F);
    KM_CUSPARSE(cusparseCreateDnVec, in_.out(), g.size, static_cast<void*>(values_.data()), CUDA_R_64F);  // set before each product
    KM_CUSPARSE(cusparseCreateDnVec, out_.out(), g.size, static_cast<void*>(values_.data()), CUDA_R_64F);
    std::size_t bytes = 0;
    KM_CUSPARSE(cusparseSpMV_bufferSize, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, in_, &zero, out_, CUDA_R_64F,
                CUSPARSE_SPMV_CSR_ALG2, &bytes);  // the same sums in every run
    work_ = cuda::Buffer<char>(std::int64_t(bytes) + 1);
  }

  void multiply(double* x, double* y) {
    KM_CUSPARSE(cusparseDnVecSetValues, in_, static_cast<void*>(x));
    KM_CUSPARSE(cusparseDnVecSetValues, out_, static_cast<void*>(y));
    KM_CUSPARSE(cusparseSpMV, handle_, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix_, in_, &zero, out_, CUDA_R_64F, CUSPARSE_SPMV_CSR_ALG2,
                static_cast<void*>(work_.data()));
  }

 private:
  static constexpr double one = 1, zero = 0;
  cusparseHandle_t handle_;
  cuda::Buffer<std::int32_t> starts_, columns_;
  cuda::Buffer<double> values_;
  cuda::Buffer<char> work_;
  cuda::Owned<cusparseSpMatDescr_t, cusparse> matrix_{"cusparseDestroySpMat"};
  cuda::Owned<cusparseDnVecDescr_t, cusparse> in_{"cusparseDestroyDnVec"}, out_{"cusparseDestroyDnVec"};
};

constexpr int threads = 256;

/// next = x / length; the projected column gains what the second orthogonalization removed.
__global__ void end_step(double* next, const double* x, const double* length, double* column, const double* again, int known, std::int64_t n) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) next[i] = *length > 0 ? x[i] / *length : 0;
  if (i < known) column[i] += again[i];
}

struct Handles {
  Handles() {
    KM_CUSPARSE(cusparseCreate, sparse.out());
    KM_CUBLAS(cublasCreate_v2, blas.out());
  }

  cuda::Owned<cusparseHandle_t, cusparse> sparse{"cusparseDestroy"};
  cuda::Owned<cublasHandle_t, cuda::cublas> blas{"cublasDestroy_v2"};
  DenseSolver dense;
};

/// Vectors of the basis: more of them converge in fewer products where eigenvalues are close together, as along a curve.
int basis_size_of(int count) { return std::max(2 * count + 1, least_basis); }

/// The basis on the GPU: n x (m + 1), column-major, and bound - A projected on it.
class Lanczos {
 public:
  Lanczos(const Handles& handles, const Laplacian& matrix, int count)
      : handles_(handles), n_(matrix.graph.size), count_(count), size_(basis_size_of(count)), bound_(matrix.bound), operator_(handles.sparse, matrix),
        basis_(n_ * (size_ + 1)), kept_(n_ * size_), x_(n_), projected_(std::int64_t(size_) * size_), again_(size_), lengths_(size_) {
    std::vector<double> start(std::size_t(n_), 0);
    std::mt19937_64 draws(1);  // every run is the same
    double square = 0;
    for (double& x : start) x = double(draws() >> 11) * 0x1p-53 - 0.5, square += x * x;
    for (double& x : start) x /= std::sqrt(square);
    cuda::check(cudaMemcpy(basis_.data(), start.data(), start.size() * sizeof(double), cudaMemcpyHostToDevice));
    cuda::check(cudaMemset(projected_.data(), 0, projected_.bytes()));
  }

  Eigenpairs smallest_pairs() {
    const int keep = count_ + (size_ - count_) / 3;
    for (int restart = 0, known = 0; restart < most_restarts; ++restart, known = keep) {
      extend(known);
      const std::vector<double> lengths = on_host(lengths_, size_);
      if (std::any_of(lengths.begin() + known, lengths.end(), [&](double l) { return !(l > broken * bound_); })) return {};  // no basis
      const std::vector<double> values = handles_.dense.solve(projected_, size_, size_ - keep + 1, size_);
      const std::vector<double> rotation = on_host(projected_, std::size_t(keep) * size_);
      rotate(keep);
      const auto residual = [&](int e) { return std::abs(lengths.back() * rotation[std::size_t(e) * size_ + size_ - 1]); };
      bool done = true;
      for (int e = keep - count_; e < keep; ++e) done &= residual(e) <= tolerance * bound_;
      if (done) return ended(values, keep);
      restore(values, keep);
    }
    throw std::runtime_error("Lanczos found not all of " + std::to_string(count_) + " eigenvectors in " + std::to_string(most_restarts) +
                             " restarts");
  }

 private:
  /// Adds Lanczos vectors to the `known` first until the basis is full.
  void extend(int known) {
    const auto blocks = unsigned((n_ + threads - 1) / threads);
    for (int j = known; j < size_; ++j) {
      double* const column = projected_.data() + std::int64_t(j) * size_;
      operator_.multiply(basis_.data() + j * n_, x_.data());
      remove(j + 1, column);
      remove(j + 1, again_.data());
      KM_CUBLAS(cublasSetPointerMode_v2, handles_.blas, CUBLAS_POINTER_MODE_DEVICE);
      KM_CUBLAS(cublasDnrm2_v2, handles_.blas, int(n_), x_.data(), 1, lengths_.data() + j);
      KM_CUBLAS(cublasSetPointerMode_v2, handles_.blas, CUBLAS_POINTER_MODE_HOST);
      end_step<<<blocks, threads>>>(basis_.data() + (j + 1) * n_, x_.data(), lengths_.data() + j, column, again_.data(), j + 1, n_);
      cuda::check_launch();
    }
  }

  /// Removes from x its parts along the first `count` vectors, and keeps their lengths.
  void remove(int count, double* parts) {
    const double one = 1, minus = -1, zero = 0;
    const int n = int(n_);
    KM_CUBLAS(cublasDgemv_v2, handles_.blas, CUBLAS_OP_T, n, count, &one, basis_.data(), n, x_.data(), 1, &zero, parts, 1);
    KM_CUBLAS(cublasDgemv_v2, handles_.blas, CUBLAS_OP_N, n, count, &minus, basis_.data(), n, parts, 1, &one, x_.data(), 1);
  }

  /// The first `keep` vectors become the Ritz vectors, ascending; the next is the last Lanczos vector.
  void rotate(int keep) {
    const double one = 1, zero = 0;
    const int n = int(n_);
    KM_CUBLAS(cublasDgemm_v2, handles_.blas, CUBLAS_OP_N, CUBLAS_OP_N, n, keep, size_, &one, basis_.data(), n, projected_.data(), size_, &zero,
              kept_.data(), n);
    const auto bytes = std::size_t(n_) * sizeof(double);
    cuda::check(cudaMemcpyAsync(basis_.data(), kept_.data(), bytes * std::size_t(keep), cudaMemcpyDeviceToDevice));
    cuda::check(cudaMemcpyAsync(basis_.data() + keep * n_, basis_.data() + size_ * n_, bytes, cudaMemcpyDeviceToDevice));
  }

  /// The projection on the kept vectors: their Ritz values. The next step finds how the new vector couples to them.
  void restore(const std::vector<double>& values, int keep) {
    std::vector<double> projected(std::size_t(size_) * std::size_t(keep), 0);
    for (int e = 0; e < keep; ++e) projected[std::size_t(e) * (size_ + 1)] = values[std::size_t(e)];
    cuda::check(cudaMemset(projected_.data(), 0, projected_.bytes()));
    cuda::check(cudaMemcpy(projected_.data(), projected.data(), projected.size() * sizeof(double), cudaMemcpyHostToDevice));
  }

  Eigenpairs ended(const std::vector<double>& values, int keep) {
    const auto n = std::size_t(n_);
    const std::vector<double> vectors = on_host(basis_, n * std::size_t(keep));
    Eigenpairs out;
    for (int e = keep - 1; e >= keep - count_; --e) {  // the largest there is the smallest here
      out.values.push_back(bound_ - values[std::size_t(e)]);
      out.vectors.insert(out.vectors.end(), vectors.begin() + std::ptrdiff_t(std::size_t(e) * n),
                         vectors.begin() + std::ptrdiff_t((std::size_t(e) + 1) * n));
    }
    return out;
  }

  const Handles& handles_;
  std::int64_t n_;
  int count_, size_;
  double bound_;
  Operator operator_;
  cuda::Buffer<double> basis_, kept_, x_, projected_, again_, lengths_;
};

Eigenpairs first_by_lanczos(const Handles& handles, const Laplacian& matrix, int count) {
  if (matrix.graph.size < 3 * basis_size_of(count)) return handles.dense(matrix, count);  // as fast there
  note_library({"cuSPARSE", ""});
  Eigenpairs found = Lanczos(handles, matrix, count).smallest_pairs();
  return found.values.empty() ? handles.dense(matrix, count) : found;  // a graph with few different eigenvalues, as a complete one, has a short basis
}

template <class T>
struct Cusparse : Chain<T> {
  Cusparse(const Problem<T>& problem, const Config& config, Trace&)
      : Chain<T>(problem, config, [handles = std::make_shared<const Handles>()](const Laplacian& matrix, int count) {
          return with_transfers([&] { return first_by_lanczos(*handles, matrix, count); });
        }) {}
};

const Register<Cusparse> registration{
    chain_description("spectral clustering of representatives: sparse eigenvectors by Lanczos over cuSPARSE", cusparse_missing, Device::gpu)};

}  // namespace
}  // namespace km::spectral
