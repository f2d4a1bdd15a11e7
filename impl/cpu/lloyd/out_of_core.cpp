// lutz2018, Section 5, on the CPU: labels and sums points in place, chunk by chunk in one pass. A mapped file is thus read once per iteration.
// All threads share a chunk; the kernel prefetches the next. Strips of 32 points are transposed in the first-level cache.
// Cost of an iteration: points read once. Limit: the disk, else the distances.
#include "impl/cpu/lloyd/out_of_core.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "impl/cpu/lloyd/rows.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

using rows::strip;

/// State of a thread.
template <class T>
struct Worker {
  Worker(int d, int k) : values(std::size_t(d) * strip), sums(std::size_t(d) * k), counts(k) {}

  std::vector<T> values;  // of a strip, d x strip
  std::vector<double> sums;
  std::vector<std::int64_t> counts;
  std::int64_t changed = 0;

  void take(const T* x, int length, int d, int k, const T* centroids, std::int32_t* labels) {
    alignas(64) std::int32_t best[rows::strip];
    rows::find_nearest<0>(x, length, d, centroids, k, values.data(), best);
    for (int i = 0; i < length; ++i) {
      changed += labels[i] != best[i];
      labels[i] = best[i];
      ++counts[best[i]];
      double* const sum = sums.data() + std::size_t(best[i]) * d;
      for (int j = 0; j < d; ++j) sum[j] += double(x[std::int64_t(i) * d + j]);
    }
  }
};

}  // namespace

template <class T>
std::int64_t label_and_sum(const T* points, std::int64_t n, int d, int k, const T* centroids, std::int32_t* labels, double* sums,
                           std::int64_t* counts, int threads) {
  std::vector<Worker<T>> workers(std::size_t(threads), Worker<T>(d, k));
#pragma omp parallel num_threads(threads)
  {
    Worker<T>& worker = workers[omp_get_thread_num()];
#pragma omp for schedule(static)
    for (std::int64_t first = 0; first < n; first += strip)
      worker.take(points + first * d, int(std::min<std::int64_t>(strip, n - first)), d, k, centroids, labels + first);
  }
  std::int64_t changed = 0;
  for (const auto& worker : workers) {  // in thread order: a reproducible result
    for (std::size_t cell = 0; cell < worker.sums.size(); ++cell) sums[cell] += worker.sums[cell];
    for (int c = 0; c < k; ++c) counts[c] += worker.counts[c];
    changed += worker.changed;
  }
  return changed;
}

template std::int64_t label_and_sum(const float*, std::int64_t, int, int, const float*, std::int32_t*, double*, std::int64_t*, int);
template std::int64_t label_and_sum(const double*, std::int64_t, int, int, const double*, std::int32_t*, double*, std::int64_t*, int);

namespace {

/// Points of a chunk of so many KiB.
std::int64_t points_of(std::int64_t kib, const ProblemShape& p, int value_bytes) {
  return std::clamp<std::int64_t>(kib * 1024 / (std::int64_t(p.d) * value_bytes), 1, p.n);
}

template <class T>
class OutOfCore : public CpuSolver<T> {
 public:
  OutOfCore(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), chunk_(points_of(config.number("chunk"), problem, sizeof(T))), threads_(threads_of(config)) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      const auto phase = trace.phase("fused");
      return pass();
    });
  }

 private:
  std::int64_t pass() {
    out_.assigned_centroids = out_.centroids;
    std::vector<double> sums(out_.centroids.size());
    std::vector<std::int64_t> counts(p_.k);
    std::int64_t changed = 0;
    for (std::int64_t first = 0; first < p_.n; first += chunk_) {
      prefetch(first + chunk_);
      changed += label_and_sum(p_.points.data() + first * p_.d, std::min(chunk_, p_.n - first), p_.d, p_.k, out_.assigned_centroids.data(),
                               out_.labels.data() + first, sums.data(), counts.data(), threads_);
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell)
      if (const auto count = counts[cell / p_.d]; count > 0) out_.centroids[cell] = T(sums[cell] / double(count));  // empty clusters keep theirs
    return changed;
  }

  /// Hints the kernel that the chunk from point `first` on is next.
  void prefetch(std::int64_t first) const {
    if (first >= p_.n) return;
    const auto page = std::uintptr_t(::sysconf(_SC_PAGESIZE));
    const auto from = reinterpret_cast<std::uintptr_t>(p_.points.data() + first * p_.d) / page * page;
    const auto to = reinterpret_cast<std::uintptr_t>(p_.points.data() + std::min(p_.n, first + chunk_) * p_.d);
    ::madvise(reinterpret_cast<void*>(from), to - from, MADV_WILLNEED);
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  std::int64_t chunk_;
  int threads_;
};

const Register<OutOfCore> registration{{
    .summary = "points in chunks where they lie, also in a mapped file; each labelled and summed in one pass",
    .paper = "lutz2018",
    .parameters = {{.name = "chunk",
                    .fallback = 16384,
                    .range = {1, 64, 1024, 16384, 131072},
                    .tunable = true,
                    .help = "KiB; 16 MiB in the paper",
                    .effective = points_of},
                   threads_parameter()},
}};

}  // namespace
}  // namespace km
