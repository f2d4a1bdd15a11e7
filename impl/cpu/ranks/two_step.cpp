// Lloyd's on several ranks (MPI processes), each with its rows. Threads label strips as cpu/lloyd/two_step does, then add all points to the sums
// (shared_sums.hpp).
// Cost of an iteration: points read twice, 3 n k d + 4 n d flops over the ranks; 2 k d + k + 1 integers reduced.
#include "impl/cpu/lloyd/rows.hpp"
#include "impl/cpu/ranks/shared_sums.hpp"

namespace km {
namespace {

template <class T>
class TwoStep : public CpuSolver<T> {
 public:
  TwoStep(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), threads_(threads_of(config, problem.group)), sums_(p_, threads_) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      const std::int64_t changed = assign(trace);
      update(trace);
      return sums_.make_means(changed, out_.centroids, trace);
    });
  }

 private:
  std::int64_t assign(Trace& trace) {
    const auto phase = trace.phase("assign");
    out_.assigned_centroids = out_.centroids;
    return rows::assign(p_, threads_, out_.assigned_centroids.data(), out_.labels.data(),
                        [&](auto f) { with_dimension<2, 3, 4, 8, 16, 32, 64, 128>(p_.d, f); });
  }

  void update(Trace& trace) {
    const auto phase = trace.phase("update");
    sums_.update(true, [&](auto move) {
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < p_.n; ++i) move(i, no_label, out_.labels[std::size_t(i)]);
    });
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  SharedSums<T> sums_;
};

const Register<TwoStep> registration{{
    .summary = "two_step on several ranks (kmbench run --launch): exact integer sums, reduced once an iteration; the same bits on any number",
    .parameters = {threads_parameter()},
    .fixed_point = true,
    .shards = true,
}};

}  // namespace
}  // namespace km
