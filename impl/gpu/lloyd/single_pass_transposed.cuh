// Solver and description of lutz2018's single-pass strategy, for gpu/lloyd/single_pass_transposed, single_pass_contiguous and a fault (tests/faults).
#pragma once

#include "impl/gpu/lloyd/transposed_sums.cuh"
#include "impl/gpu/registration.hpp"

namespace km::lutz {

/// Launch configuration from the parameters.
struct Launch {
  int block, grid, vector;
  std::int64_t budget;

  explicit Launch(const Config& config)
      : block(config.integer("local_size")), grid(std::max(config.integer("global_size") / block, 1)), vector(config.integer("vector")),
        budget(config.number("local_kib") * 1024) {}
};

/// ReadAgain: reads points for the sums that local memory cannot keep.
template <class T, template <class> class ReadAgain = PointsReadAgain, class Pattern = Strided>
class SinglePass : public cuda::OnLloyd<T> {
 public:
  SinglePass(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::columns), running_(problem.d, problem.k), launch_(config),
        fused_(problem.n, problem.d, problem.k, launch_.block, launch_.grid, launch_.vector, launch_.budget) {}

  int iterate(Trace& trace) {
    return lloyd_.run(trace,
                      {{"fused", [this] { fuse(); }}, {"average", [this] { running_.average(lloyd_.assigned(), lloyd_.next(), lloyd_.stream()); }}});
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void fuse() {
    running_.clear_sums(lloyd_.stream());
    running_.clear_counts(lloyd_.stream());
    fused_.add(points_.data(), lloyd_.assigned(), lloyd_.shape().n, lloyd_.labels(), lloyd_.changed(), running_.sums(), running_.counts(),
               lloyd_.stream());
  }

  Running<T> running_;
  Launch launch_;
  Fused<T, ReadAgain, Pattern> fused_;
};

inline Description fused_description(std::string_view summary) {
  return {.summary = summary,
          .paper = "lutz2018",
          .device = Device::gpu,
          .parameters = {tunable("global_size", 32768, {32768, 65536, 131072, 262144, 524288}, "threads of the grid"),
                         tunable("local_size", 32, {32, 64, 128, 256}, "threads of a block, a multiple of 32"),
                         tunable("vector", 4, {1, 2, 4, 8}, "points that a thread labels at a time: 1, 2, 4 or 8"),
                         tunable("local_kib", 48, {48, 96, 160}, "KiB of local memory that a block may use")},
          .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
            if (config.integer("local_size") % 32 != 0) return "local_size is not a multiple of 32";
            if (!std::has_single_bit(unsigned(config.integer("vector")))) return "vector is not 1, 2, 4 or 8";
            return counts_overflow(p);
          },
          .summation_depth =
              [](const ProblemShape& p, const Config& config) {
                const Launch launch(config);
                return fused_depth(p, launch.block, launch.grid, launch.vector, launch.budget);
              }};
}

}  // namespace km::lutz
