// A run that the device repeats by itself ends where the host's step-by-step run ends, with the same centroids. Traced runs go step by step.
// Skips without a GPU.
#include "tests/solving.hpp"

namespace km {
namespace {

struct RecordedRuns : OnTheGpu, ::testing::WithParamInterface<const char*> {};

TEST_P(RecordedRuns, EndWhereStepsEnd) {
  Drawn<double> integers({.n = 5000, .d = 2, .k = 7}, [random = std::mt19937(5), value = std::uniform_int_distribution<int>(0, 255)]() mutable {
    return value(random);  // sums of integers are exact in any order
  });
  Problem<double>& problem = integers.problem;
  for (const double tolerance : {-1.0, 0.0, 0.01})
    for (const int most : {1, 2, 7, 1000, 1500}) {
      if (tolerance < 0 && most == 1500) continue;
      problem.max_iters = most, problem.tolerance = tolerance;
      Trace quiet, traced(true);
      const auto solver = named(GetParam()).prepare<double>()(problem, config_of(named(GetParam())), quiet);
      std::vector<Solution<double>> ends;
      std::vector<int> iters;
      for (Trace* trace : {&quiet, &traced, &quiet, &quiet}) {
        solver->reset();
        iters.push_back(solver->iterate(*trace));
        ends.push_back(solver->download());
      }
      for (std::size_t run = 1; run < ends.size(); ++run) {
        EXPECT_EQ(iters[run], iters[0]) << "tolerance " << tolerance << ", at most " << most << ", run " << run;
        EXPECT_EQ(ends[run].labels, ends[0].labels);
        EXPECT_EQ(ends[run].centroids, ends[0].centroids);
        EXPECT_EQ(ends[run].assigned_centroids, ends[0].assigned_centroids);
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Lloyd, RecordedRuns, ::testing::Values("gpu/lloyd/registers", "gpu/lloyd/single_pass"),
                         [](const auto& one) { return std::string(one.param).substr(10); });

}  // namespace
}  // namespace km
