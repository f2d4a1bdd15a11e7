// The chain with dense eigenvectors by LAPACK: 4/3 m³ operations and m² numbers.
#include "impl/cpu/spectral/lapack.hpp"

#include <dlfcn.h>

#include <stdexcept>

#include "bench/base/openblas.hpp"
#include "bench/contract/library.hpp"
#include "impl/cpu/spectral/chain.hpp"

namespace km::spectral {
namespace {

/// Fortran's dsyevr, with the hidden lengths of its three words.
using Dsyevr = void (*)(const char* job, const char* range, const char* triangle, const int* n, double* a, const int* lda, const double* low,
                        const double* high, const int* first, const int* last, const double* tolerance, int* found, double* values, double* vectors,
                        const int* ldz, int* support, double* work, const int* work_size, int* integers, const int* integers_size, int* info,
                        std::size_t, std::size_t, std::size_t);

struct Found {
  void* library = nullptr;
  const char* name = "";
  Dsyevr dsyevr = nullptr;
};

const Found& found() {
  static const Found first = [] {
    const auto solver = [](void* library) { return library ? reinterpret_cast<Dsyevr>(dlsym(library, "dsyevr_")) : nullptr; };
    if (void* const library = openblas::load(); solver(library)) return Found{library, "OpenBLAS", solver(library)};
    for (const char* file : {"liblapack.so.3", "liblapack.so"})
      if (void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL); solver(library)) return Found{library, "LAPACK", solver(library)};
    return Found{};
  }();
  return first;
}

}  // namespace

std::string lapack_missing() { return found().dsyevr ? "" : "no LAPACK found (Debian: libopenblas0 or liblapack3)"; }

Eigenpairs first_by_lapack(const Laplacian& matrix, int count) {
  if (matrix.graph.size > 30'000) throw std::runtime_error("a dense matrix of more than 30,000 vertices: take cpu/spectral/arpack");
  const openblas::Threads threads(found().library, 0);
  note_library({found().name, openblas::version(found().library)});
  std::vector<double> a = matrix.dense();
  const int n = int(matrix.graph.size), first = 1;
  Eigenpairs out{std::vector<double>(std::size_t(n)), std::vector<double>(std::size_t(n) * std::size_t(count))};
  std::vector<int> support(2 * std::size_t(n)), integers(1);
  std::vector<double> work(1);
  int made = 0, info = 0;
  const double none = 0;
  const auto call = [&](int work_size, int integers_size) {
    found().dsyevr("V", "I", "U", &n, a.data(), &n, &none, &none, &first, &count, &none, &made, out.values.data(), out.vectors.data(), &n,
                   support.data(), work.data(), &work_size, integers.data(), &integers_size, &info, 1, 1, 1);
  };
  call(-1, -1);  // asks for the sizes
  work.resize(std::size_t(work[0]));
  integers.resize(std::size_t(integers[0]));
  call(int(work.size()), int(integers.size()));
  if (info != 0 || made != count) throw std::runtime_error("LAPACK's dsyevr found no eigenvectors: info " + std::to_string(info));
  out.values.resize(std::size_t(count));
  return out;
}

namespace {

template <class T>
struct Lapack : Chain<T> {
  Lapack(const Problem<T>& problem, const Config& config, Trace&) : Chain<T>(problem, config, first_by_lapack) {}
};

const Register<Lapack> registration{chain_description("spectral clustering of representatives: dense eigenvectors by LAPACK", lapack_missing)};

}  // namespace
}  // namespace km::spectral
