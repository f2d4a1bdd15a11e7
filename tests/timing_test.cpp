// What a download and a reset may take beside iterate: half of it, half a millisecond, and ten times a copy of what they hand over.
#include "bench/run/timing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace km {
namespace {

TEST(ExplainTimes, HalfOfIterateIsAllowed) {
  EXPECT_EQ(explain_times(0.2, 0.099, 0.099, {}, 0), "");
  EXPECT_EQ(explain_times(0.2, 0.104, 0, {}, 0), "download took 104 ms beside 200 ms of iterate: what is computed belongs to iterate");
  EXPECT_EQ(explain_times(0.2, 0, 0.104, {}, 0), "reset took 104 ms beside 200 ms of iterate: what is computed belongs to iterate");
}

TEST(ExplainTimes, HalfAMillisecondIsAllowed) {
  EXPECT_EQ(explain_times(0, 4.9e-4, 4.9e-4, {}, 0), "");
  EXPECT_NE(explain_times(0, 7e-4, 0, {}, 0), "");
}

TEST(ExplainTimes, ACopyOfTheOutputsIsAllowed) {
  const std::vector<std::int32_t> labels(1 << 20);
  EXPECT_EQ(explain_times(0, 0.01, 0, labels, 100 << 20), "") << "404 MB in 10 ms: no copy is that fast";
}

}  // namespace
}  // namespace km
