// lutz2018's single pass on several ranks (MPI processes), each with its rows. A thread labels a strip of points. While these are in its cache, those
// that changed cluster move from sum to sum (shared_sums.hpp).
// Cost of an iteration: points read once, 3 n k d flops over the ranks; 2 k d + k + 1 integers reduced.
#include "impl/cpu/lloyd/rows.hpp"
#include "impl/cpu/ranks/shared_sums.hpp"

namespace km {
namespace {

template <class T>
class SinglePass : public CpuSolver<T> {
 public:
  SinglePass(const Problem<T>& problem, const Config& config, Trace&) : CpuSolver<T>(problem), sums_(p_, threads_of(config, problem.group)) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      const std::int64_t changed = pass(trace);
      return sums_.make_means(changed, out_.centroids, trace);
    });
  }

 private:
  /// Returns the number of changed labels.
  std::int64_t pass(Trace& trace) {
    const auto phase = trace.phase("fused");
    out_.assigned_centroids = out_.centroids;
    std::int64_t changed = 0;
    sums_.update(out_.iters == 1, [&](auto move) {
      std::int64_t moves = 0;
      with_dimension<2, 3, 4, 8, 16, 32, 64, 128>(p_.d, [&](auto D) { moves = pass_of_thread<decltype(D)::value>(move); });
#pragma omp atomic
      changed += moves;
    });
    return changed;
  }

  template <int D, class Move>
  std::int64_t pass_of_thread(Move move) {
    std::vector<T> columns(std::size_t(p_.d) * rows::strip);
    const std::int64_t strips = (p_.n + rows::strip - 1) / rows::strip;
    alignas(64) std::int32_t best[rows::strip];
    std::int64_t changed = 0;
#pragma omp for schedule(static) nowait
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t first = s * rows::strip;
      const int length = static_cast<int>(std::min<std::int64_t>(rows::strip, p_.n - first));
      rows::find_nearest<D>(p_.points.data() + first * p_.d, length, p_.d, out_.assigned_centroids.data(), p_.k, columns.data(), best);
      for (int i = 0; i < length; ++i) {
        std::int32_t& label = out_.labels[std::size_t(first + i)];
        if (label == best[i]) continue;
        move(first + i, label, best[i]);
        label = best[i];
        ++changed;
      }
    }
    return changed;
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  SharedSums<T> sums_;
};

const Register<SinglePass> registration{{
    .summary = "single pass on several ranks (kmbench run --launch): points that change cluster move between exact integer sums while in the cache",
    .paper = "lutz2018",
    .parameters = {threads_parameter()},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
