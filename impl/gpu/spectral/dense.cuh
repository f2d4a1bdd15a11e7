// Dense symmetric eigenproblems on the GPU, by cuSOLVER.
#pragma once

#include "impl/cpu/spectral/laplacian.hpp"
#include "impl/gpu/spectral/copies.cuh"

namespace km::spectral {

/// Returns why there is no cuSOLVER, or "".
std::string cusolver_missing();

/// One cuSOLVER handle. Not for two threads at once.
class DenseSolver {
 public:
  DenseSolver();
  ~DenseSolver();

  /// Eigenpairs `first` to `last` (from 1, ascending) of the symmetric m x m matrix `a`, column-major, of which the upper triangle counts. Writes the
  /// eigenvectors over `a`, one after the other, and returns the eigenvalues. Throws std::runtime_error.
  std::vector<double> solve(cuda::Buffer<double>& a, std::int64_t m, std::int64_t first, std::int64_t last) const;

  /// The `count` smallest pairs of a Laplacian, made on the GPU.
  Eigenpairs operator()(const Laplacian& matrix, int count) const;

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace km::spectral
