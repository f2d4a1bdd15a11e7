// he2021 on the CPU. Assign (Listing 1): threads share the points; one loop computes distance, label and changes, with d a compile-time constant.
// Update (Listing 3) sums each package of points, then the packages' sums, so that no long sum swallows small terms (Section 3.3.2). A package is one
// task: 1 package means one thread and the naive sum.
// Cost of an iteration: points read twice, 3 n k d + n d flops.
#pragma once

#include <algorithm>
#include <cstdlib>

#include "bench/contract/dimension.hpp"
#include "impl/cpu/lloyd/rows.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class F>
void with_paper_dimension(int d, F&& f) {
  with_dimension<2, 3, 4, 7, 8, 16, 32, 64, 68, 128>(d, f);
}

/// The paper's own start (Section 4.1), k x d: threads share k draws of a point by rand_r.
template <class T>
std::vector<T> choose_starts(const Problem<T>& p, int threads) {
  std::vector<T> starts(std::size_t(p.k) * p.d);
#pragma omp parallel num_threads(threads)
  {
    unsigned state = 1 + omp_get_thread_num();
#pragma omp for schedule(static)
    for (int c = 0; c < p.k; ++c) {
      const std::int64_t high = rand_r(&state);  // two draws of 31 bits: n may be larger than one
      const std::int64_t i = (high << 31 | rand_r(&state)) % p.n;
      std::copy_n(p.points.data() + i * p.d, p.d, starts.data() + std::size_t(c) * p.d);
    }
  }
  return starts;
}

template <class T>
class TwoStep : public CpuSolver<T> {
 public:
  TwoStep(const Problem<T>& problem, const Config& config, Trace& trace)
      : CpuSolver<T>(problem), packages_(config.number("packages")), threads_(threads_of(config)) {
    {
      const auto phase = trace.phase("choose_starts");  // timed alone: every run takes the problem's start
      out_.centroids = choose_starts(p_, threads_);
    }
    const auto phase = trace.phase("init");
    this->take_initial();
  }

  int iterate(Trace& trace) {
    return this->repeat(
        trace, [this] { return assign(); }, [this] { update(); });
  }

 private:
  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    return rows::assign(p_, threads_, out_.assigned_centroids.data(), out_.labels.data(), [&](auto f) { with_paper_dimension(p_.d, f); });
  }

  void update() {
    const int d = p_.d, k = p_.k;
    const std::int64_t quotient = p_.n / packages_, remainder = p_.n % packages_;
    const int workers = static_cast<int>(std::min<std::int64_t>(threads_, packages_));
    const std::size_t cells = std::size_t(k) * d;
    std::vector<std::vector<T>> sums(workers);  // by thread, added in thread order: a reproducible result
    std::vector<std::vector<std::int64_t>> counts(workers);
    Shortage shortage;
#pragma omp parallel num_threads(threads_)  // some idle: OpenMP ends and starts threads where two regions differ in their number
    {
      std::vector<T> sum, package;
      std::vector<std::int64_t> count;
      const int own = omp_get_thread_num();
      if (own < workers)
        shortage.watch([&] {
          sum.resize(cells), package.resize(cells);
          count.resize(k);
        });
#pragma omp for schedule(static)
      for (std::int64_t a = 0; a < packages_; ++a) {
        if (count.empty()) continue;
        const std::int64_t first = a * quotient + std::min(a, remainder), length = quotient + (a < remainder);
        std::ranges::fill(package, T(0));
        with_paper_dimension(d, [&](auto D) { add<decltype(D)::value>(first, length, package.data(), count.data()); });
        for (std::size_t cell = 0; cell < cells; ++cell) sum[cell] += package[cell];
      }
      if (own < workers) sums[own] = std::move(sum), counts[own] = std::move(count);
    }
    shortage.report();
    for (int thread = 1; thread < workers; ++thread) {
      std::ranges::transform(sums[0], sums[thread], sums[0].begin(), std::plus{});
      std::ranges::transform(counts[0], counts[thread], counts[0].begin(), std::plus{});
    }
    for (int c = 0; c < k; ++c)
      if (const auto count = counts[0][c]; count > 0)
        for (int j = 0; j < d; ++j) out_.centroids[std::size_t(c) * d + j] = sums[0][std::size_t(c) * d + j] / static_cast<T>(count);
  }

  /// Adds points first .. first + length - 1 to the sums and counts of their clusters.
  template <int D>
  void add(std::int64_t first, std::int64_t length, T* sums, std::int64_t* counts) const {
    const int d = D > 0 ? D : p_.d;
    const T* x = p_.points.data() + first * d;
    for (std::int64_t i = first; i < first + length; ++i, x += d) {
      const int c = out_.labels[i];
      ++counts[c];
      T* const to = sums + std::size_t(c) * d;
      for (int j = 0; j < d; ++j) to[j] += x[j];
    }
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  std::int64_t packages_;
  int threads_;
};

inline Description two_step_description(std::string_view summary) {
  return {
      .summary = summary,
      .paper = "he2021",
      .parameters = {{.name = "packages", .fallback = 100, .range = {1, 10, 100, 1000, 10000}, .help = "sums added in the second step"},
                     threads_parameter()},
      .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
        return p.n / config.number("packages") + 1 + config.number("packages");
      },
  };
}

}  // namespace
}  // namespace km
