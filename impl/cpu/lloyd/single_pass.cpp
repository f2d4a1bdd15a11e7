// lutz2018's single-pass strategy on the CPU (Section 4): a thread labels a block of points. While they are in its cache, it adds them to its own
// sums by feature (partitioned features) and counts their labels (partitioned private).
// Cost of an iteration: points read once, labels written once; 3 n k d + n d flops.
#include "impl/cpu/costs.hpp"
#include "impl/cpu/lloyd/columns.hpp"
#include "impl/cpu/lloyd/feature_sum.hpp"
#include "impl/cpu/lloyd/mass_sum.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

constexpr std::int64_t fold_after = 16384;  // points between additions to the totals

/// Points of a block of so many KiB, whole strips.
std::int64_t block_of(std::int64_t kib, const ProblemShape& p, int value_bytes) {
  const std::int64_t whole = (std::min(p.n, fold_after) + columns::strip - 1) / columns::strip * columns::strip;
  return std::clamp<std::int64_t>(kib * 1024 / (std::int64_t(value_bytes) * p.d), columns::strip, whole) / columns::strip * columns::strip;
}

template <class T>
class SinglePass : public CpuSolver<T> {
 public:
  SinglePass(const Problem<T>& problem, const Config& config, Trace& trace)
      : CpuSolver<T>(problem), threads_(threads_of(config)), x_(p_, threads_, trace), block_(block_of(config.number("cached"), problem, sizeof(T))),
        workers_(threads_) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      const auto phase = trace.phase("fused");
      return iteration();
    });
  }

 private:
  struct alignas(64) Worker {
    std::vector<T> sums;               // d x copies x k
    std::vector<double> totals;        // d x k
    std::vector<std::int64_t> counts;  // copies x k
  };

  std::int64_t iteration() {
    out_.assigned_centroids = out_.centroids;
    const auto assign = columns::assign_for<T>(p_.d);
    const int d = p_.d, k = p_.k;
    std::int32_t* const labels = out_.labels.data();
    std::int64_t changed = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : changed)
    {
      const int team = omp_get_num_threads();
      Worker& mine = workers_[omp_get_thread_num()];
      mine.sums.assign(std::size_t(d) * columns::copies * k, T(0));
      mine.totals.assign(std::size_t(d) * k, 0.0);
      mine.counts.assign(std::size_t(MassSum::copies) * k, 0);
      const columns::Share points(p_.n, omp_get_thread_num(), team);
      std::int64_t since_fold = 0;
      for (std::int64_t first = points.first; first < points.last; first += block_) {
        const std::int64_t last = std::min(first + block_, points.last);
        changed += assign(x_, first, last, out_.assigned_centroids.data(), k, labels);
        for (int j = 0; j < d; ++j) columns::add_feature(x_[j], labels, first, last, k, mine.sums.data() + std::size_t(j) * columns::copies * k);
        MassSum::add(labels + first, last - first, mine.counts.data(), k);
        if ((since_fold += last - first) + block_ > fold_after || last == points.last) fold(mine), since_fold = 0;
      }
#pragma omp barrier
#pragma omp for
      for (int c = 0; c < k; ++c) average(c, team);
    }
    return changed;
  }

  void fold(Worker& mine) const {
    const int k = p_.k;
    for (int j = 0; j < p_.d; ++j)
      for (int c = 0; c < k; ++c)
        for (int copy = 0; copy < columns::copies; ++copy)
          mine.totals[std::size_t(j) * k + c] += mine.sums[(std::size_t(j) * columns::copies + copy) * k + c];
    std::ranges::fill(mine.sums, T(0));
  }

  /// Moves centroid c to the mean of its points. An empty cluster keeps its centroid.
  void average(int c, int team) {
    std::int64_t count = 0;
    for (int t = 0; t < team; ++t)
      for (int copy = 0; copy < MassSum::copies; ++copy) count += workers_[t].counts[std::size_t(copy) * p_.k + c];
    if (count == 0) return;
    for (int j = 0; j < p_.d; ++j) {
      double sum = 0;
      for (int t = 0; t < team; ++t) sum += workers_[t].totals[std::size_t(j) * p_.k + c];
      out_.centroids[std::size_t(c) * p_.d + j] = T(sum / double(count));
    }
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  columns::Columns<T> x_;
  std::int64_t block_;  // points labelled before they are added
  std::vector<Worker> workers_;
};

const Register<SinglePass> registration{{
    .summary = "points as columns; a block of points is labelled, then summed feature by feature while it is in the cache",
    .paper = "lutz2018",
    .parameters = {{.name = "cached",
                    .fallback = 128,
                    .range = {8, 32, 128, 512},
                    .tunable = true,
                    .help = "KiB of points labelled before they are summed",
                    .effective = block_of},
                   threads_parameter()},
    .summation_depth = [](const ProblemShape& p, const Config&) -> std::int64_t { return 2 * fold_after + p.n / fold_after * columns::copies + 256; },
    .cost = lloyd_cost,
}};

}  // namespace
}  // namespace km
