// LAPACK, found at run time: OpenBLAS's, else Netlib's.
#pragma once

#include "impl/cpu/spectral/laplacian.hpp"

namespace km::spectral {

/// Returns why there is no LAPACK, or "".
std::string lapack_missing();

/// The `count` smallest pairs of the dense matrix, by dsyevr (Dhillon, Parlett, Vömel, "The design and implementation of the MRRR algorithm", 2006).
Eigenpairs first_by_lapack(const Laplacian& matrix, int count);

}  // namespace km::spectral
