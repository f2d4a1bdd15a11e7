// Chooses the number of threads for cpu/lloyd/screened. Large problems use all threads. Small problems try several numbers in prepare, because
// waking a thread takes as long as a small iteration: microseconds.
#include <omp.h>

#include <algorithm>
#include <chrono>

#include "bench/contract/implementation.hpp"

namespace km {
namespace {

constexpr double large = 1e9;  // n k d of an iteration that takes milliseconds on any CPU

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, const Config&, Trace& trace) {
    threads_ = omp_get_num_procs();
    if (double(problem.n) * problem.k * problem.d < large) threads_ = fastest(problem);
    solver_ = prepare(problem, threads_, trace);
  }

  void reset() { solver_->reset(); }

  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("threads", double(threads_) * iters);  // the mean per iteration is the number of threads
    return iters;
  }

  Solution<T> download() { return solver_->download(); }

 private:
  static std::unique_ptr<AnySolver<T>> prepare(const Problem<T>& problem, int threads, Trace& trace) {
    static const Implementation& screened = *std::ranges::find(implementations(), "cpu/lloyd/screened", &Implementation::name);
    return screened.prepare<T>()(problem, Config({{"threads", std::int64_t(threads)}, {"instructions", "best"}}), trace);
  }

  /// Tries all threads, a quarter, a sixteenth, ..., one. Returns the number with the shortest of five runs of up to three iterations.
  static int fastest(Problem<T> problem) {
    problem.max_iters = std::min(problem.max_iters, 3);
    problem.tolerance = -1;
    int best = 1;
    double least = std::numeric_limits<double>::infinity();
    for (int threads = omp_get_num_procs();; threads = std::max(1, threads / 4)) {
      Trace trace;
      const auto solver = prepare(problem, threads, trace);
      for (int run = 0; run < 5; ++run) {
        solver->reset();
        const auto start = std::chrono::steady_clock::now();
        solver->iterate(trace);
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        if (seconds < least) best = threads, least = seconds;
      }
      if (threads == 1) return best;
    }
  }

  int threads_;
  std::unique_ptr<AnySolver<T>> solver_;
};

const Register<Auto> registration{{
    .summary = "cpu/lloyd/screened with as many threads as pay, found out in prepare",
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km
