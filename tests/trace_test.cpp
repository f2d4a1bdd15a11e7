// A trace keeps phases and counters by iteration.
#include "bench/contract/trace.hpp"

#include <gtest/gtest.h>

namespace km {
namespace {

using Doubles = std::vector<double>;

TEST(Trace, InactiveKeepsNothing) {
  Trace trace;
  trace.begin_iteration();
  trace.add("assign", 1);
  trace.count("distances", 1);
  bool asked = false;
  trace.defer("update", [&] { return asked = true, 1.0; });
  { const auto phase = trace.phase("assign"); }
  trace.finish();
  EXPECT_FALSE(trace.active());
  EXPECT_FALSE(asked);
  EXPECT_TRUE(trace.phases().empty());
  EXPECT_TRUE(trace.counters().empty());
  EXPECT_TRUE(trace.prepare().empty());
}

TEST(Trace, AddsUpByIteration) {
  Trace trace(true);
  trace.begin_iteration();
  trace.add("assign", 1);
  trace.add("assign", 2);
  trace.begin_iteration();
  trace.add("assign", 4);
  trace.add("update", 8);
  trace.finish();
  EXPECT_EQ(trace.phases().at("assign"), (Doubles{3, 4}));
  EXPECT_EQ(trace.phases().at("update"), (Doubles{0, 8})) << "an iteration without the phase took no time in it";
}

TEST(Trace, EverySeriesHasAnEntryAnIteration) {
  Trace trace(true);
  trace.begin_iteration();
  trace.add("layout", 1);
  trace.count("distances", 10);
  trace.begin_iteration();
  trace.begin_iteration();
  trace.finish();
  EXPECT_EQ(trace.phases().at("layout"), (Doubles{1, 0, 0}));
  EXPECT_EQ(trace.counters().at("distances"), (Doubles{10, 0, 0}));
}

TEST(Trace, BeforeTheFirstIterationIsPrepare) {
  Trace trace(true);
  trace.add("transfer", 1);
  trace.add("transfer", 2);
  trace.count("bytes", 100);  // of no iteration
  trace.begin_iteration();
  trace.add("transfer", 4);
  trace.finish();
  EXPECT_EQ(trace.prepare().at("transfer"), 3);
  EXPECT_EQ(trace.phases().at("transfer"), (Doubles{4}));
  EXPECT_TRUE(trace.counters().empty());
}

TEST(Trace, PhaseTimesItsScope) {
  Trace trace(true);
  trace.begin_iteration();
  { const auto phase = trace.phase("assign"); }
  trace.finish();
  ASSERT_EQ(trace.phases().at("assign").size(), 1u);
  EXPECT_GE(trace.phases().at("assign")[0], 0);
}

TEST(Trace, DeferredTimesBelongToTheirIteration) {
  Trace trace(true);
  int asked = 0;
  const auto later = [&](double seconds) { return [&asked, seconds] { return ++asked, seconds; }; };
  trace.defer("transfer", later(1));
  trace.begin_iteration();
  trace.defer("assign", later(2));
  trace.begin_iteration();
  trace.defer("assign", later(3));
  trace.add("assign", 4);
  EXPECT_EQ(asked, 0) << "the device is not idle before finish()";
  trace.finish();
  trace.finish();
  EXPECT_EQ(asked, 3) << "each is asked once";
  EXPECT_EQ(trace.prepare().at("transfer"), 1);
  EXPECT_EQ(trace.phases().at("assign"), (Doubles{2, 7}));
}

}  // namespace
}  // namespace km
