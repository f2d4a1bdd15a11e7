// The chain with eigenvectors by ARPACK: products of the matrix and a vector alone, which suits sparse graphs. ARPACK is found at run time and takes
// one shared library (Debian: libarpack2); Spectra would add its own headers and Eigen's to every build.
// Lehoucq, Sorensen, Yang, "ARPACK users' guide", 1998: implicitly restarted Lanczos.
#include <dlfcn.h>

#include <algorithm>
#include <random>
#include <stdexcept>

#include "bench/contract/library.hpp"
#include "impl/cpu/spectral/chain.hpp"
#include "impl/cpu/spectral/lapack.hpp"

namespace km::spectral {
namespace {

// Fortran's routines, with the hidden lengths of their words.
using Dsaupd = void (*)(int* ask, const char* kind, const int* n, const char* which, const int* count, const double* tolerance, double* residual,
                        const int* basis_size, double* basis, const int* ldv, int* settings, int* places, double* exchange, double* work,
                        const int* work_size, int* info, std::size_t, std::size_t);
using Dseupd = void (*)(const int* vectors_too, const char* all, int* chosen, double* values, double* vectors, const int* ldz, const double* shift,
                        const char* kind, const int* n, const char* which, const int* count, const double* tolerance, double* residual,
                        const int* basis_size, double* basis, const int* ldv, int* settings, int* places, double* exchange, double* work,
                        const int* work_size, int* info, std::size_t, std::size_t, std::size_t);

struct Found {
  Dsaupd dsaupd = nullptr;
  Dseupd dseupd = nullptr;
};

const Found& found() {
  static const Found first = [] {
    void* const library = dlopen("libarpack.so.2", RTLD_NOW | RTLD_LOCAL);
    if (!library) return Found{};
    return Found{reinterpret_cast<Dsaupd>(dlsym(library, "dsaupd_")), reinterpret_cast<Dseupd>(dlsym(library, "dseupd_"))};
  }();
  return first;
}

std::string arpack_missing() {
  if (!found().dsaupd || !found().dseupd) return "no ARPACK found (Debian: libarpack2)";
  return lapack_missing();
}

constexpr int most_restarts = 20'000, smallest = 64;  // vertices; below, a dense solver is as fast
constexpr double tolerance = 1e-11;

/// Lanczos vectors: more of them converge in fewer products where eigenvalues are close together, as along a curve.
int basis_size_of(int n, int count) { return std::min(n, std::max(2 * count + 1, 80)); }

/// Finds the largest of `bound` - A, where Lanczos converges without a factorization.
Eigenpairs first_by_arpack(const Laplacian& matrix, int count) {
  const int n = int(matrix.graph.size), basis_size = basis_size_of(n, count), work_size = basis_size * (basis_size + 8);
  if (n < smallest || count >= n) return first_by_lapack(matrix, count);
  note_library({"ARPACK", ""});
  std::vector<double> residual(std::size_t(n), 0), basis(std::size_t(n) * std::size_t(basis_size)), exchange(3 * std::size_t(n)),
      work(std::size_t(work_size), 0);
  std::mt19937_64 draws(1);
  for (double& x : residual) x = double(draws() >> 11) * 0x1p-53 - 0.5;  // the start, so that every run is the same
  int settings[11] = {1, 0, most_restarts, 1, 0, 0, 1}, places[14] = {}, ask = 0, info = 1;
  for (;;) {
    found().dsaupd(&ask, "I", &n, "LA", &count, &tolerance, residual.data(), &basis_size, basis.data(), &n, settings, places, exchange.data(),
                   work.data(), &work_size, &info, 1, 2);
    if (ask != 1 && ask != -1) break;
    const double* const x = exchange.data() + places[0] - 1;
    double* const y = exchange.data() + places[1] - 1;
    matrix.multiply(x, y);
    for (int i = 0; i < n; ++i) y[i] = matrix.bound * x[i] - y[i];
  }
  if (info != 0 || settings[4] < count)
    throw std::runtime_error("ARPACK found " + std::to_string(settings[4]) + " of " + std::to_string(count) + " eigenvectors, info " +
                             std::to_string(info));
  std::vector<int> chosen(std::size_t(basis_size), 0);
  std::vector<double> values(std::size_t(count), 0), vectors(std::size_t(n) * std::size_t(count), 0);
  const int vectors_too = 1;
  const double shift = 0;
  found().dseupd(&vectors_too, "A", chosen.data(), values.data(), vectors.data(), &n, &shift, "I", &n, "LA", &count, &tolerance, residual.data(),
                 &basis_size, basis.data(), &n, settings, places, exchange.data(), work.data(), &work_size, &info, 1, 1, 2);
  if (info != 0) throw std::runtime_error("ARPACK's dseupd failed, info " + std::to_string(info));
  Eigenpairs out;
  for (int e = count - 1; e >= 0; --e) {  // the largest there is the smallest here
    out.values.push_back(matrix.bound - values[std::size_t(e)]);
    out.vectors.insert(out.vectors.end(), vectors.begin() + std::ptrdiff_t(e) * n, vectors.begin() + std::ptrdiff_t(e + 1) * n);
  }
  return out;
}

template <class T>
struct Arpack : Chain<T> {
  Arpack(const Problem<T>& problem, const Config& config, Trace&) : Chain<T>(problem, config, first_by_arpack) {}
};

const Register<Arpack> registration{chain_description("spectral clustering of representatives: sparse eigenvectors by ARPACK", arpack_missing)};

}  // namespace
}  // namespace km::spectral
