// Lloyd's on several ranks (MPI processes), each with its rows. Threads label strips as cpu/lloyd/two_step does, then add points to sums in fixed point:
// a value is a multiple of a coarse unit and one of a fine unit, both 64-bit integers. The ranks meet once an iteration, in one sum of integers, and
// each makes the means itself. The units come from the greatest value and the number of all points, so that labels and centroids have the same bits on
// any number of ranks and threads.
// Cost of an iteration: points read twice, 3 n k d + 4 n d flops over the ranks; 2 k d + k + 1 integers reduced.
#include <algorithm>
#include <cmath>

#include "bench/contract/dimension.hpp"
#include "impl/cpu/lloyd/columns.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

constexpr int strip = 32;  // points in the lanes of a vector

/// The units. With n below 2^22, fp32 values are exact from the greatest down to 2^-54 of it; fp64 values keep 2^-78 of it.
struct Units {
  double coarse = 1, fine = 1;

  Units() = default;
  /// |value| <= most; n values do not overflow a sum.
  Units(double most, std::int64_t n) {
    const int bits = std::min(50, 61 - (n > 1 ? std::ilogb(double(n - 1)) + 1 : 0));
    const int top = most > 0 ? std::ilogb(most) + 1 : 0;
    coarse = std::ldexp(1.0, std::clamp(top - bits, -900, 900));
    fine = std::ldexp(coarse, -bits);
  }
};

template <class T>
class TwoStep : public CpuSolver<T> {
 public:
  TwoStep(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), whole_(problem.whole()),
        threads_(config.integer("threads") == 0 && p_.group ? p_.group->processors() : threads_of(config)) {
    double most = 0;
#pragma omp parallel for num_threads(threads_) reduction(max : most)
    for (std::int64_t at = 0; at < p_.n * p_.d; ++at) most = std::max(most, std::abs(double(p_.points[std::size_t(at)])));
    if (p_.group) p_.group->max({&most, 1});
    units_ = Units(most, whole_.n);
  }

  int iterate(Trace& trace) {
    this->start();
    for (out_.iters = 1;; ++out_.iters) {
      trace.begin_iteration();
      sums_.assign(2 * cells() + std::size_t(p_.k) + 1, 0);
      {
        const auto phase = trace.phase("assign");
        sums_.back() = assign();
      }
      {
        const auto phase = trace.phase("update");
        update();
      }
      {
        const auto phase = trace.phase("reduce");
        if (p_.group) p_.group->sum(sums_);
      }
      make_means();
      if (out_.iters == p_.max_iters || whole_.converged(sums_.back())) return out_.iters;
    }
  }

 private:
  std::size_t cells() const { return std::size_t(p_.k) * std::size_t(p_.d); }

  /// Labels all points of this rank. Returns the number of changes.
  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    const std::int64_t strips = (p_.n + strip - 1) / strip;
    std::int64_t changed = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : changed)
    {
      std::vector<T> columns(std::size_t(p_.d) * strip);
      with_dimension<2, 3, 4, 8, 16, 32, 64, 128>(p_.d, [&](auto D) {
#pragma omp for schedule(static)
        for (std::int64_t s = 0; s < strips; ++s) changed += assign_strip<decltype(D)::value>(s * strip, columns.data());
      });
    }
    return changed;
  }

  /// Labels points first .. first + strip - 1 (fewer at the end). Returns the number of changes. columns: scratch of d x strip values.
  template <int D>
  std::int64_t assign_strip(std::int64_t first, T* columns) {
    const int d = D > 0 ? D : p_.d;
    const int length = static_cast<int>(std::min<std::int64_t>(strip, p_.n - first));
    const T* const x = p_.points.data() + first * d;
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < strip; ++i) columns[j * strip + i] = x[std::min(i, length - 1) * d + j];
    alignas(64) std::int32_t best[strip];
    columns::find_nearest(columns, strip, d, out_.assigned_centroids.data(), p_.k, best);
    std::int32_t* const labels = out_.labels.data() + first;
    int changed = 0;
    for (int i = 0; i < length; ++i) {
      changed += labels[i] != best[i];
      labels[i] = best[i];
    }
    return changed;
  }

  /// Adds this rank's points to sums_: k x d coarse units, k x d fine units, k counts.
  void update() {
#pragma omp parallel num_threads(threads_)
    {
      std::vector<std::int64_t> mine(sums_.size() - 1);
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < p_.n; ++i) add(p_.points.data() + i * p_.d, out_.labels[std::size_t(i)], mine.data());
#pragma omp critical(km_ranks_two_step)
      std::ranges::transform(mine, sums_, sums_.begin(), std::plus{});
    }
  }

  void add(const T* x, std::int32_t c, std::int64_t* sums) const {
    const double to_coarse = 1 / units_.coarse, to_fine = 1 / units_.fine;
    std::int64_t* const coarse = sums + std::size_t(c) * p_.d;
    std::int64_t* const fine = coarse + cells();
    for (int j = 0; j < p_.d; ++j) {
      const double value = x[j];
      const auto whole = static_cast<std::int64_t>(value * to_coarse);
      coarse[j] += whole;
      fine[j] += static_cast<std::int64_t>((value - double(whole) * units_.coarse) * to_fine);
    }
    ++sums[2 * cells() + std::size_t(c)];
  }

  void make_means() {
    const std::int64_t* const counts = sums_.data() + 2 * cells();
    for (std::size_t cell = 0; cell < cells(); ++cell)
      if (const auto count = counts[cell / std::size_t(p_.d)]; count > 0)
        out_.centroids[cell] = T((double(sums_[cell]) * units_.coarse + double(sums_[cell + cells()]) * units_.fine) / double(count));
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  ProblemShape whole_;
  int threads_;
  Units units_;
  std::vector<std::int64_t> sums_;  // and the number of changed labels
};

const Register<TwoStep> registration{{
    .summary = "two_step on several ranks (kmbench run --launch): exact integer sums, reduced once an iteration; the same bits on any number",
    .parameters = {threads_parameter()},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
