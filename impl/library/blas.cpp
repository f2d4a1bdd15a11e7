// Lloyd's around one BLAS call, as in most k-means programs on CPUs. One matrix product gives -2 x c for a block of points; one pass adds |c|² and
// takes the minimum. The block is added to the clusters' sums while it is in the cache. OpenBLAS, BLIS or MKL is found at run time.
// The BLAS runs on one thread inside each thread of ours, on a block of its own. Otherwise two sets of threads would spin on each other's processors.
// For 100,000 x 8, k = 4, whose products OpenBLAS makes on one thread, took 1.6 ms, and k = 32 took 34 ms (ours/landscape, intel-xeon-2t).
#include <dlfcn.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "bench/base/openblas.hpp"
#include "bench/contract/library.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

struct Found {
  void* library = nullptr;
  const char* name = "";
};

/// Has BLIS and MKL compute in the thread that calls them. OpenBLAS is loaded with one thread.
void keep_to_one_thread(void* library) {
  if (const auto set = reinterpret_cast<void (*)(std::int64_t)>(dlsym(library, "bli_thread_set_num_threads"))) set(1);
  if (const auto set = reinterpret_cast<int (*)(int)>(dlsym(library, "MKL_Set_Threading_Layer"))) set(1);  // MKL_THREADING_SEQUENTIAL
}

const Found& found() {
  static const Found first = [] {
    if (void* const library = openblas::load()) return Found{library, "OpenBLAS"};
    for (const auto& [file, name] : {std::pair("libblis.so.4", "BLIS"), {"libmkl_rt.so.2", "MKL"}})
      if (void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL)) {
        keep_to_one_thread(library);
        return Found{library, name};
      }
    return Found{};
  }();
  return first;
}

void* blas() { return found().library; }

/// cblas_sgemm or cblas_dgemm with 32-bit integers.
template <class T>
using Gemm = void (*)(int layout, int transpose_a, int transpose_b, int m, int n, int k, T alpha, const T* a, int lda, const T* b, int ldb, T beta,
                      T* c, int ldc);
template <class T>
Gemm<T> gemm() {
  return reinterpret_cast<Gemm<T>>(dlsym(blas(), std::is_same_v<T, float> ? "cblas_sgemm" : "cblas_dgemm"));
}
constexpr int row_major = 101, as_it_is = 111, transposed = 112;

constexpr int strip = 128;                    // points whose least scores stay in the first-level cache
constexpr std::size_t score_bytes = 1 << 19;  // of a block, to stay in a second-level cache

/// Points of a product, of so many at most.
std::int64_t block_of(std::int64_t most, const ProblemShape& p, int value_bytes) {
  return std::clamp<std::int64_t>(std::min(most, std::int64_t(score_bytes) / value_bytes / p.k), strip, std::max<std::int64_t>(p.n, strip));
}

template <class T>
class Blas : public CpuSolver<T> {
 public:
  Blas(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), product_(gemm<T>()), block_(block_of(config.number("block"), problem, sizeof(T))), squares_(p_.k),
        parts_(std::size_t(std::clamp<std::int64_t>(p_.n / strip, 1, omp_get_num_procs()))), one_thread_(blas(), 1) {
    note_library({found().name, openblas::version(blas())});
    const std::int64_t parts = std::ssize(parts_);
    for (std::int64_t t = 0; t < parts; ++t) {
      parts_[t].begin = p_.n * t / parts;
      parts_[t].end = p_.n * (t + 1) / parts;
      parts_[t].scores.reserve(std::size_t(p_.k) * std::min(block_, parts_[t].end - parts_[t].begin));  // may throw: not in a parallel region
      parts_[t].sums.reserve(std::size_t(p_.k) * p_.d);
      parts_[t].counts.reserve(p_.k);
    }
    in_parallel([](Part& part) {  // each thread touches its own memory first
      part.scores.resize(part.scores.capacity());
      part.sums.resize(part.sums.capacity());
      part.counts.resize(part.counts.capacity());
      return 0;
    });
  }

  int iterate(Trace& trace) {
    return this->repeat(
        trace, [this] { return assign(); }, [this] { update(); });
  }

 private:
  /// Points begin to end - 1, for one thread.
  struct Part {
    std::int64_t begin = 0, end = 0;
    std::vector<T> scores;     // k x block
    std::vector<double> sums;  // k x d
    std::vector<std::int64_t> counts;
  };

  /// Calls visit for every part, each in its own thread. Returns the sum of the results.
  template <class Visit>
  std::int64_t in_parallel(Visit visit) {
    const int threads = int(parts_.size());
    std::int64_t sum = 0;
#pragma omp parallel for schedule(static, 1) num_threads(threads) reduction(+ : sum)
    for (int t = 0; t < threads; ++t) sum += visit(parts_[t]);
    return sum;
  }

  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    for (int c = 0; c < p_.k; ++c) {
      const T* const centroid = out_.centroids.data() + std::size_t(c) * p_.d;
      squares_[c] = 0;
      for (int j = 0; j < p_.d; ++j) squares_[c] += centroid[j] * centroid[j];
    }
    return in_parallel([this](Part& part) {
      std::ranges::fill(part.sums, 0);
      std::ranges::fill(part.counts, 0);
      std::int64_t changed = 0;
      for (std::int64_t first = part.begin; first < part.end; first += block_) {
        const int length = int(std::min(block_, part.end - first));
        product_(row_major, as_it_is, transposed, p_.k, length, p_.d, T(-2), out_.centroids.data(), p_.d, p_.points.data() + first * p_.d, p_.d, T(0),
                 part.scores.data(), length);
        for (int begin = 0; begin < length; begin += strip)
          changed += label(part.scores.data(), first, length, begin, std::min(length, begin + strip));
        add(part, first, length);
      }
      return changed;
    });
  }

  /// Labels points begin to end - 1 of the block that starts at point first. Returns the number of changes.
  int label(const T* scores, std::int64_t first, int length, int begin, int end) {
    T least[strip];
    std::int32_t best[strip] = {};
    for (int p = 0; p < end - begin; ++p) least[p] = scores[begin + p] + squares_[0];
    for (int c = 1; c < p_.k; ++c) {
      const T* const score = scores + std::size_t(c) * length + begin;
      const T square = squares_[c];
#pragma omp simd
      for (int p = 0; p < end - begin; ++p) {
        const T own = score[p] + square;
        best[p] = own < least[p] ? c : best[p];  // strict: the lowest index wins a tie
        least[p] = own < least[p] ? own : least[p];
      }
    }
    int changed = 0;
    for (int p = 0; p < end - begin; ++p) changed += best[p] != std::exchange(out_.labels[first + begin + p], best[p]);
    return changed;
  }

  void add(Part& part, std::int64_t first, int length) const {
    const int d = p_.d;
    for (std::int64_t i = first; i < first + length; ++i) {
      const int c = out_.labels[i];
      ++part.counts[c];
      const T* const x = p_.points.data() + i * d;
      double* const sum = part.sums.data() + std::size_t(c) * d;
#pragma omp simd
      for (int j = 0; j < d; ++j) sum[j] += x[j];
    }
  }

  void update() {
    const int d = p_.d, threads = int(parts_.size());
#pragma omp parallel for num_threads(threads) if (std::size_t(p_.k) * d * parts_.size() > 1 << 15)
    for (int c = 0; c < p_.k; ++c) {
      std::int64_t count = 0;
      for (const Part& part : parts_) count += part.counts[c];
      if (count == 0) continue;  // it stays
      for (int j = 0; j < d; ++j) {
        double sum = 0;
        for (const Part& part : parts_) sum += part.sums[std::size_t(c) * d + j];
        out_.centroids[std::size_t(c) * d + j] = T(sum / double(count));
      }
    }
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  Gemm<T> product_;
  std::int64_t block_;
  std::vector<T> squares_;  // |c|²
  std::vector<Part> parts_;
  openblas::Threads one_thread_;  // of an OpenBLAS that was loaded with more
};

const Register<Blas> registration{{
    .summary = "one matrix product of a BLAS for each block of points, then the least of each column",
    .parameters = {{.name = "block",
                    .fallback = 2048,
                    .range = {256, 2048, 16384},
                    .tunable = true,
                    .help = "points a product at most; fewer where their scores exceed 512 KiB",
                    .effective = block_of}},
    .unsupported = [](const ProblemShape&, const Config&, int) -> std::string {
      return blas() ? "" : "no OpenBLAS, BLIS or MKL found (Debian: libopenblas0)";
    },
    .distance = Distance::expansion,
}};

}  // namespace
}  // namespace km
