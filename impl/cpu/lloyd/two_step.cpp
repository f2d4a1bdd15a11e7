// he2021 on the CPU. Assign (Listing 1): threads share the points; one loop computes distance, label and changes, with d a compile-time constant.
// Update (Listing 3) sums each package of points, then the packages' sums, so that no long sum swallows small terms (Section 3.3.2). A package is one
// task: 1 package means one thread and the naive sum.
// Cost of an iteration: points read twice, 3 n k d + n d flops.
#include <algorithm>

#include "bench/contract/dimension.hpp"
#include "impl/cpu/costs.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class F>
void with_paper_dimension(int d, F&& f) {
  with_dimension<2, 3, 4, 7, 8, 16, 32, 64, 68, 128>(d, f);
}

constexpr int strip = 32;  // points in the lanes of a vector

template <class T>
class TwoStep : public CpuSolver<T> {
 public:
  TwoStep(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), packages_(config.number("packages")), threads_(threads_of(config)) {}

  int iterate(Trace& trace) {
    return this->repeat(
        trace, [this] { return assign(); }, [this] { update(); });
  }

 private:
  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    const std::int64_t strips = (p_.n + strip - 1) / strip;
    std::int64_t changed = 0;
#pragma omp parallel num_threads(threads_) reduction(+ : changed)
    {
      std::vector<T> columns(std::size_t(p_.d) * strip);
      with_paper_dimension(p_.d, [&](auto D) {
#pragma omp for schedule(static)
        for (std::int64_t s = 0; s < strips; ++s) changed += assign_strip<decltype(D)::value>(s * strip, columns.data());
      });
    }
    return changed;
  }

  /// Labels points first .. first + strip - 1 (fewer at the end). Returns the number of changes. columns: scratch of d x strip values.
  template <int D>
  std::int64_t assign_strip(std::int64_t first, T* columns) {
    const int d = D > 0 ? D : p_.d, k = p_.k;
    const int length = static_cast<int>(std::min<std::int64_t>(strip, p_.n - first));
    const T* const x = p_.points.data() + first * d;
    if (length == strip) {
      for (int j = 0; j < d; ++j)
        for (int i = 0; i < strip; ++i) columns[j * strip + i] = x[i * d + j];
    } else {
      for (int j = 0; j < d; ++j)
        for (int i = 0; i < strip; ++i) columns[j * strip + i] = i < length ? x[i * d + j] : T(0);
    }
    alignas(64) std::int32_t best[strip] = {};
    alignas(64) T best_dist[strip];
    std::ranges::fill(best_dist, std::numeric_limits<T>::max());
    const T* centroid = out_.assigned_centroids.data();
    for (int c = 0; c < k; ++c, centroid += d) {
      alignas(64) T dist[strip] = {};
      for (int j = 0; j < d; ++j)
        for (int i = 0; i < strip; ++i) dist[i] += (columns[j * strip + i] - centroid[j]) * (columns[j * strip + i] - centroid[j]);
      for (int i = 0; i < strip; ++i) {
        const bool nearer = dist[i] < best_dist[i];  // strict: the lowest index wins a tie
        best[i] = nearer ? c : best[i];
        best_dist[i] = nearer ? dist[i] : best_dist[i];
      }
    }
    std::int32_t* const labels = out_.labels.data() + first;
    int changed = 0;
    for (int i = 0; i < length; ++i) {
      changed += labels[i] != best[i];
      labels[i] = best[i];
    }
    return changed;
  }

  void update() {
    const int d = p_.d, k = p_.k;
    const std::int64_t quotient = p_.n / packages_, remainder = p_.n % packages_;
    const int workers = static_cast<int>(std::min<std::int64_t>(threads_, packages_));
    const std::size_t cells = std::size_t(k) * d;
    std::vector<std::vector<T>> sums(workers);  // by thread, added in thread order: a reproducible result
    std::vector<std::vector<std::int64_t>> counts(workers);
#pragma omp parallel num_threads(workers)
    {
      std::vector<T> sum(cells), package(cells);
      std::vector<std::int64_t> count(k);
#pragma omp for schedule(static)
      for (std::int64_t a = 0; a < packages_; ++a) {
        const std::int64_t first = a * quotient + std::min(a, remainder), length = quotient + (a < remainder);
        std::ranges::fill(package, T(0));
        with_paper_dimension(d, [&](auto D) { add<decltype(D)::value>(first, length, package.data(), count.data()); });
        for (std::size_t cell = 0; cell < cells; ++cell) sum[cell] += package[cell];
      }
      sums[omp_get_thread_num()] = std::move(sum);
      counts[omp_get_thread_num()] = std::move(count);
    }
    for (int thread = 1; thread < workers; ++thread) {
      std::ranges::transform(sums[0], sums[thread], sums[0].begin(), std::plus{});
      std::ranges::transform(counts[0], counts[thread], counts[0].begin(), std::plus{});
    }
    for (int c = 0; c < k; ++c)
      if (const auto count = counts[0][c]; count > 0)
        for (int j = 0; j < d; ++j) out_.centroids[c * d + j] = sums[0][c * d + j] / static_cast<T>(count);
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

const Register<TwoStep> registration{{
    .summary = "OpenMP assign with the change count inside; update summed per package, then over packages",
    .paper = "he2021",
    .parameters = {{.name = "packages", .fallback = 100, .range = {1, 10, 100, 1000, 10000}, .help = "sums added in the second step"},
                   threads_parameter()},
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      return p.n / config.number("packages") + 1 + config.number("packages");
    },
    .cost = lloyd_cost,
}};

}  // namespace
}  // namespace km
