// he2021's own choice of a start: each is a point, and choices differ.
#include <set>

#include "impl/cpu/lloyd/two_step.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

TEST(Starts, OfTheCpuArePoints) {
  const Drawn<double> drawn({.n = 5000, .d = 3, .k = 64}, [at = 0]() mutable { return at++; });  // row i: 3 i, 3 i + 1, 3 i + 2
  for (const int threads : {1, 4}) {
    const std::vector<double> starts = choose_starts(drawn.problem, threads);
    std::set<double> rows;
    for (int c = 0; c < 64; ++c) {
      const double* start = starts.data() + 3 * c;
      EXPECT_EQ(std::fmod(start[0], 3), 0);
      EXPECT_LT(start[0], 15'000);
      EXPECT_EQ(start[1], start[0] + 1);
      EXPECT_EQ(start[2], start[0] + 2);
      rows.insert(start[0]);
    }
    EXPECT_GT(rows.size(), 60);
  }
}

}  // namespace
}  // namespace km
