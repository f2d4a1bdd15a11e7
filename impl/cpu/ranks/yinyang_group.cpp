// cpu/yinyang/group on several ranks (MPI processes), each with its rows and their bounds. All ranks group the same centroids alike. The points that
// changed cluster move from sum to sum (shared_sums.hpp).
// Cost of an iteration: that of cpu/yinyang/group over the ranks; 2 k d + k + 1 integers reduced.
#include "impl/cpu/ranks/shared_sums.hpp"
#include "impl/cpu/yinyang/filtered.hpp"

namespace km {
namespace {

template <class T>
class YinyangGroup : public Filtered<T, Filters::two> {
 public:
  YinyangGroup(const Problem<T>& problem, const Config& config, Trace&)
      : Filtered<T, Filters::two>(problem, Config({{"threads", config.number("threads")}, {"update", "exact"}}), groups_of(problem, config)),
        sums_(p_, threads_of(config, problem.group)) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      std::int64_t changed = 0;
      this->iteration(trace, [&](std::int64_t of_rank) {
        update(trace);
        changed = sums_.make_means(of_rank, out_.centroids, trace);
      });
      return changed;
    });
  }

 private:
  void update(Trace& trace) {
    const auto phase = trace.phase("update");
    sums_.update(out_.iters == 1, [&](auto move) {
#pragma omp for schedule(static) nowait
      for (const auto& moves : this->moves())
        for (const Move& m : moves) move(m.i, m.from, m.to);
    });
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  SharedSums<T> sums_;
};

const Register<YinyangGroup> registration{{
    .summary = "global and group filter on several ranks (kmbench run --launch); moved points change exact integer sums, reduced once an iteration",
    .paper = "taylor2021",
    .parameters = {groups_parameter, threads_parameter()},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
