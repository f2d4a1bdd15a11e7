// Several cards: shares of the rows, a thread each; the same bits for any number of them.

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "bench/contract/group.hpp"
#include "impl/gpu/many/team.hpp"
#include "tests/solving.hpp"

namespace km::many {
namespace {

TEST(Shares, FollowEachOtherAndDifferByOneRowAtMost) {
  for (const std::int64_t n : {0, 1, 2, 3, 7, 8, 9, 4099})
    for (const int parts : {1, 2, 3, 4, 8}) {
      EXPECT_EQ(first_row(n, 0, parts), 0);
      EXPECT_EQ(first_row(n, parts, parts), n);
      for (int part = 0; part < parts; ++part) {
        const std::int64_t rows = first_row(n, part + 1, parts) - first_row(n, part, parts);
        EXPECT_TRUE(rows == n / parts || rows == n / parts + 1);
      }
    }
}

TEST(Team, EveryRankHasOneThreadForAllCalls) {
  std::vector<std::thread::id> first(4), second(4);
  Team team(4, [](int) {});
  team.each([&](int rank) { first[std::size_t(rank)] = std::this_thread::get_id(); });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // the others sleep by now
  team.each([&](int rank) { second[std::size_t(rank)] = std::this_thread::get_id(); });
  EXPECT_EQ(first, second);
  EXPECT_EQ(first[0], std::this_thread::get_id());
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 4u);
}

TEST(Team, ACallEndsWhenAllHaveEnded) {
  Team team(3, [](int) {});
  std::atomic<int> ended{0};
  for (int call = 1; call <= 100; ++call) {
    team.each([&](int) { ++ended; });
    ASSERT_EQ(ended, 3 * call);
  }
}

TEST(Team, TheLowestRankThatThrowsIsHeardAndTheNextCallWorks) {
  Team team(4, [](int) {});
  std::atomic<int> ended{0};
  const auto message = [&](const std::function<void(int)>& work) -> std::string {
    try {
      team.each(work);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "";
  };
  const auto fail = [&](int rank) {
    ++ended;
    if (rank >= 2) throw std::runtime_error("card " + std::to_string(rank));
  };
  EXPECT_EQ(message(fail), "card 2");
  EXPECT_EQ(ended, 4);
  EXPECT_EQ(message([](int) {}), "");
}

TEST(Team, AThreadThatDoesNotStartIsHeardAtTheFirstCall) {
  Team team(2, [](int rank) {
    if (rank == 1) throw std::runtime_error("no such card");
  });
  EXPECT_THROW(team.each([](int) {}), std::runtime_error);
}

TEST(Team, OneRankNeedsNoThread) {
  Team team(1, [](int) { FAIL(); });
  int calls = 0;
  team.each([&](int rank) { calls += 1 + rank; });
  EXPECT_EQ(calls, 1);
}

template <class T>
struct ManyCards : OnTheGpu {};
TYPED_TEST_SUITE(ManyCards, Precisions);

TYPED_TEST(ManyCards, AnyNumberGivesTheSameBits) {
  int compared = 0;
  for (const ProblemShape shape :
       {ProblemShape{.n = 200'003, .d = 4, .k = 7, .max_iters = 300}, {.n = 20'003, .d = 70, .k = 300, .max_iters = 300}}) {
    const Drawn<TypeParam> drawn(shape, uniform(3, -1.0f, 1.0f));
    for (const Implementation& one : implementations(Task::kmeans)) {
      if (!one.name.starts_with("gpu/many/") || !one.description.fixed_point || !one.prepare<TypeParam>()) continue;
      Solution<TypeParam> expected;
      for (const std::int64_t gpus : {1, 2, 4}) {
        const ParameterValues values{{"gpus", gpus}};
        if (!one.description.unsupported(shape, config_of(one, values), sizeof(TypeParam)).empty()) continue;
        const auto made = solve(drawn.problem, one.name, values);
        if (expected.labels.empty()) expected = made;
        else expect_same_bits(made, expected, one.name + " on " + std::to_string(gpus) + " cards"), ++compared;
      }
    }
  }
  if (compared == 0) GTEST_SKIP() << "one card";
}

}  // namespace
}  // namespace km::many
