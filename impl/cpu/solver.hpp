// Shared by the CPU implementations: the problem, the result, the verbs reset and download, and the loop of iterations.
#pragma once

#include <omp.h>

#include <atomic>
#include <new>

#include "bench/contract/implementation.hpp"
#include "bench/contract/lloyd.hpp"

namespace km {
namespace {

/// Value of the parameter `threads`, or all hardware threads if it is 0: of a rank, its part of them.
inline int threads_of(const Config& config, const Group* group = nullptr) {
  const int threads = config.integer("threads");
  return threads > 0 ? threads : group ? group->processors() : omp_get_num_procs();
}

/// Sets OpenMP's number of threads for its lifetime, for libraries that use it.
class OpenMpThreads {
 public:
  explicit OpenMpThreads(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~OpenMpThreads() { omp_set_num_threads(before_); }
  OpenMpThreads(const OpenMpThreads&) = delete;
  OpenMpThreads& operator=(const OpenMpThreads&) = delete;

 private:
  int before_;
};

/// Carries std::bad_alloc out of an OpenMP region, which no exception may leave.
class Shortage {
 public:
  template <class Allocate>
  void watch(Allocate allocate) {
    try {
      allocate();
    } catch (const std::bad_alloc&) {
      met_ = true;
    }
  }
  /// After the region.
  void report() const {
    if (met_) throw std::bad_alloc();
  }

 private:
  std::atomic<bool> met_{false};
};

template <class T>
class CpuSolver {
 public:
  explicit CpuSolver(const Problem<T>& problem) : p_(problem) {}

  void reset() { out_.poison(p_); }
  Solution<T> download() {
    Labels labels(out_.labels.size());
    std::ranges::copy(out_.labels, labels.begin());
    return {std::move(labels), out_.assigned_centroids, out_.centroids, out_.iters};
  }
  void limit(int iters) { p_.max_iters = iters; }

 protected:
  void take_initial() { out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end()); }

  void start() {
    take_initial();
    out_.labels.assign(p_.n, no_label);
  }

  /// Runs iteration() (returns the number of changed labels, of all ranks) from the start to the problem's stop. Returns the iterations made.
  template <class Iteration>
  int repeat(Trace& trace, Iteration iteration) {
    start();
    for (out_.iters = 1;; ++out_.iters) {
      trace.begin_iteration();
      const std::int64_t changed = iteration();
      if (out_.iters == p_.max_iters || p_.whole().converged(changed)) return out_.iters;
    }
  }

  /// The same for an iteration of two phases.
  template <class Assign, class Update>
  int repeat(Trace& trace, Assign assign, Update update) {
    start();
    return out_.iters = lloyd(p_, trace, assign, update);
  }

  Problem<T> p_;
  Solution<T> out_;
};

}  // namespace
}  // namespace km
