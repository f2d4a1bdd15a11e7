// Lloyd's around one BLAS call: per block of points |c|² - 2 x c by one matrix product into memory, one pass for its minimum, then additions to the
// clusters' sums. Most k-means programs on CPUs work so; scikit-learn uses blocks of 256 points and one product per thread. OpenBLAS, BLIS or MKL is
// found at run time, so builds need none.
#include <dlfcn.h>
#include <omp.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "bench/contract/implementation.hpp"
#include "bench/contract/library.hpp"
#include "bench/contract/lloyd.hpp"

namespace km {
namespace {

struct Found {
  void* library = nullptr;
  const char* name = "";
};

const Found& found() {
  static const Found first = [] {
    for (const auto& [file, name] :
         {std::pair("libopenblas.so.0", "OpenBLAS"), {"libopenblas.so", "OpenBLAS"}, {"libblis.so.4", "BLIS"}, {"libmkl_rt.so.2", "MKL"}})
      if (void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) return Found{library, name};
    return Found{};
  }();
  return first;
}

void* blas() { return found().library; }

/// OpenBLAS's version with its processor; "" for the others.
std::string version() {
  const auto config = reinterpret_cast<char* (*)()>(dlsym(blas(), "openblas_get_config"));
  const std::string_view text = config ? config() : "", name = "OpenBLAS ";
  return std::string(text.starts_with(name) ? text.substr(name.size()) : text);
}

/// cblas_sgemm or cblas_dgemm with 32-bit integers.
template <class T>
using Gemm = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
                      T* c, int ldc);
template <class T>
Gemm<T> gemm() {
  return reinterpret_cast<Gemm<T>>(dlsym(blas(), std::is_same_v<T, float> ? "cblas_sgemm" : "cblas_dgemm"));
}
constexpr int row_major = 101, as_it_is = 111, transposed = 112;

constexpr int strip = 128;  // points whose least scores stay in the first-level cache

template <class T>
class Blas {
 public:
  Blas(const Problem<T>& problem, const Config& config, Trace&)
      : p_(problem), product_(gemm<T>()), block_(std::min<std::int64_t>(p_.n, config.number("block"))), threads_(omp_get_num_procs()),
        scores_(std::size_t(p_.k) * block_) {
    note_library({found().name, version()});
  }

  void reset() { out_.poison(p_); }

  int iterate(Trace& trace) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    out_.labels.assign(p_.n, no_label);
    return out_.iters = lloyd(
               p_, trace, [this] { return assign(); }, [this] { update(); });
  }

  Solution<T> download() { return out_; }

 private:
  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    std::int64_t changed = 0;
    for (std::int64_t first = 0; first < p_.n; first += block_) {
      const int length = int(std::min(block_, p_.n - first));
      for (int c = 0; c < p_.k; ++c) {
        T square = 0;
        for (int j = 0; j < p_.d; ++j) square += out_.centroids[std::size_t(c) * p_.d + j] * out_.centroids[std::size_t(c) * p_.d + j];
        std::fill_n(scores_.data() + std::size_t(c) * length, length, square);
      }
      product_(row_major, as_it_is, transposed, p_.k, length, p_.d, T(-2), out_.centroids.data(), p_.d, p_.points.data() + first * p_.d, p_.d, T(1),
               scores_.data(), length);
#pragma omp parallel for num_threads(threads_) reduction(+ : changed)
      for (int begin = 0; begin < length; begin += strip) changed += label(first, length, begin, std::min(length, begin + strip));
    }
    return changed;
  }

  /// Labels points begin to end - 1 of the block that starts at point first. Returns the number of changes.
  int label(std::int64_t first, int length, int begin, int end) {
    T least[strip];
    std::int32_t best[strip] = {};
    std::copy(scores_.data() + begin, scores_.data() + end, least);
    for (int c = 1; c < p_.k; ++c) {
      const T* const score = scores_.data() + std::size_t(c) * length + begin;
#pragma omp simd
      for (int p = 0; p < end - begin; ++p) {
        best[p] = score[p] < least[p] ? c : best[p];  // strict: the lowest index wins a tie
        least[p] = score[p] < least[p] ? score[p] : least[p];
      }
    }
    int changed = 0;
    for (int p = 0; p < end - begin; ++p) changed += best[p] != std::exchange(out_.labels[first + begin + p], best[p]);
    return changed;
  }

  void update() {
    const int d = p_.d;
    std::vector<double> sums(out_.centroids.size());
    std::vector<std::int64_t> counts(p_.k);
    double* const sum = sums.data();
    std::int64_t* const count = counts.data();
#pragma omp parallel for num_threads(threads_) reduction(+ : sum[:sums.size()], count[:p_.k])
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++count[c];
      for (int j = 0; j < d; ++j) sum[std::size_t(c) * d + j] += p_.points[i * d + j];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (count[cell / d] > 0) out_.centroids[cell] = T(sum[cell] / double(count[cell / d]));
  }

  Problem<T> p_;
  Gemm<T> product_;
  std::int64_t block_;
  int threads_;
  std::vector<T> scores_;  // k x block
  Solution<T> out_;
};

const Register<Blas> registration{{
    .summary = "one matrix product of a BLAS for each block of points, then the least of each column",
    .parameters = {{.name = "block", .fallback = 2048, .range = {256, 2048, 16384}, .tunable = true, .help = "points a product"}},
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string {
      return blas() ? "" : "no OpenBLAS, BLIS or MKL found (Debian: libopenblas0)";
    },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km
