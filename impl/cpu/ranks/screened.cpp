// cpu/lloyd/screened on several ranks (MPI processes), each with its rows: exact labels at the speed of a matrix product (impl/cpu/lloyd/screened.hpp).
// The points that changed cluster move from sum to sum (shared_sums.hpp); the sums that the pass also makes go unread.
// Cost of an iteration: that of cpu/lloyd/screened over the ranks, moved points read once more; 2 k d + k + 1 integers reduced.
#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/ranks/shared_sums.hpp"

namespace km {
namespace {

template <class T>
class RanksScreened : public Screened<T> {
 public:
  RanksScreened(const Problem<T>& problem, const Config& config, Trace& trace)
      : Screened<T>(problem, config, trace), sums_(p_, threads_of(config, problem.group)) {}

  int iterate(Trace& trace) {
    this->begin_run();
    before_ = out_.labels;
    return this->repeat(trace, [&] {
      const std::int64_t changed = this->assign(trace, out_.iters > 1);
      update(trace);
      return sums_.make_means(changed, out_.centroids, trace);
    });
  }

 private:
  void update(Trace& trace) {
    const auto phase = trace.phase("update");
    sums_.update(out_.iters == 1, [&](auto move) {
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < p_.n; ++i)
        if (const auto from = std::exchange(before_[std::size_t(i)], out_.labels[std::size_t(i)]); from != before_[std::size_t(i)])
          move(i, from, before_[std::size_t(i)]);
    });
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  SharedSums<T> sums_;
  Labels before_;  // labels of the previous iteration
};

const Register<RanksScreened> registration{{
    .summary = "screened on several ranks (kmbench run --launch): exact labels; moved points change exact integer sums, reduced once an iteration",
    .parameters = {threads_parameter(), instructions_parameter()},
    .unsupported = lacks_instructions,
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
