// The implementations that take shards, on several ranks of one process: the same bits for any number of ranks and threads.
#include <barrier>
#include <cmath>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>

#include "tests/solving.hpp"

namespace km {
namespace {

/// Ranks that are threads.
struct Meeting {
  explicit Meeting(int size) : size(size), here(size) {}
  const int size;
  std::barrier<> here;
  std::mutex one;
  std::vector<std::int64_t> numbers;
};

class ThreadGroup : public Group {
 public:
  ThreadGroup(Meeting& all, int rank) : all_(all), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return all_.size; }
  int processors() const override { return 1 + rank_ % 3; }
  int local_size() const override { return all_.size; }
  int local_rank() const override { return rank_; }
  void barrier() override { all_.here.arrive_and_wait(); }
  void sum(std::span<std::int64_t> mine) override {
    together(mine, 0, std::plus{});
  }
  void max(std::span<std::int64_t> mine) override {
    together(mine, std::numeric_limits<std::int64_t>::min(), [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
  }

 private:
  template <class Join>
  void together(std::span<std::int64_t> mine, std::int64_t neutral, Join join) {
    auto& all = all_.numbers;
    if (rank_ == 0) all.assign(mine.size(), neutral);
    barrier();
    {
      const std::lock_guard lock(all_.one);
      std::ranges::transform(all, mine, all.begin(), join);
    }
    barrier();
    std::ranges::copy(all, mine.begin());
    barrier();
  }
  Meeting& all_;
  int rank_;
};

/// Runs the problem on ranks whose shards begin at these rows.
template <class T>
Solution<T> on_ranks(const Implementation& implementation, const Problem<T>& p, const std::vector<std::int64_t>& firsts) {
  Meeting meeting(int(firsts.size()));
  std::vector<Solution<T>> made(firsts.size());
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < firsts.size(); ++rank)
    threads.emplace_back([&, rank] {
      ThreadGroup group(meeting, int(rank));
      const std::int64_t first = firsts[rank], end = rank + 1 < firsts.size() ? firsts[rank + 1] : p.n;
      Problem<T> mine = p;
      mine.n = end - first, mine.group = &group, mine.shard = {first, p.n};
      mine.points = p.points.subspan(std::size_t(first * p.d), std::size_t(mine.n * p.d));
      Trace untraced;
      made[rank] = solved(*implementation.prepare<T>()(mine, config_of(implementation), untraced), untraced);
    });
  for (auto& thread : threads) thread.join();
  Solution<T> whole = made[0];
  for (std::size_t rank = 1; rank < made.size(); ++rank) {
    EXPECT_EQ(made[rank].centroids, whole.centroids) << "rank " << rank;
    EXPECT_EQ(made[rank].iters, whole.iters) << "rank " << rank;
    whole.labels.insert(whole.labels.end(), made[rank].labels.begin(), made[rank].labels.end());
  }
  return whole;
}

std::vector<const Implementation*> with_shards() {
  std::vector<const Implementation*> found;
  for (const Implementation& one : implementations(Task::kmeans))
    if (one.description.shards && one.name.starts_with("cpu/ranks/")) found.push_back(&one);  // no planted faults: the registry is for one thread
  return found;
}

template <class T>
struct Ranks : ::testing::Test {};
TYPED_TEST_SUITE(Ranks, Precisions);

TYPED_TEST(Ranks, AnyNumberGivesTheSameBits) {
  const Drawn<TypeParam> drawn({.n = 1003, .d = 5, .k = 7, .max_iters = 300}, uniform(3, -1e3, 1e3));
  ASSERT_EQ(with_shards().size(), 4u);
  for (const Implementation* one : with_shards()) {
    const auto alone = solve(drawn.problem, one->name, {{"threads", std::int64_t(1)}});
    EXPECT_EQ(judge(drawn.problem, alone, one->description, config_of(*one)).verdict, "");
    for (const auto& firsts : {std::vector<std::int64_t>{0}, {0, 501}, {0, 1, 2}, {0, 0, 400, 1002}, {0, 200, 400, 600, 1003}})
      expect_same_bits(on_ranks(*one, drawn.problem, firsts), alone, one->name + " on " + std::to_string(firsts.size()) + " ranks");
  }
}

TYPED_TEST(Ranks, StopTogetherByTheLabelsOfAll) {
  Drawn<TypeParam> drawn({.n = 400, .d = 2, .k = 3, .max_iters = 300, .tolerance = 0}, uniform(5, 0.0, 1.0));
  for (const Implementation* one : with_shards()) {
    const auto alone = solve(drawn.problem, one->name);
    ASSERT_LT(alone.iters, 300);
    const auto made = on_ranks(*one, drawn.problem, {0, 7, 399});
    EXPECT_EQ(made.iters, alone.iters);
    expect_same_bits(made, alone, one->name + " on 3 ranks");
  }
}

TYPED_TEST(Ranks, UnitsAreThoseOfAllPoints) {  // the rank with the small values alone would choose finer ones
  Drawn<TypeParam> drawn({.n = 64, .d = 1, .k = 2, .max_iters = 5}, [i = 0]() mutable { return ++i <= 32 ? 1e-6 * i : 1e6 + i; });
  for (const Implementation* one : with_shards())
    expect_same_bits(on_ranks(*one, drawn.problem, {0, 32}), solve(drawn.problem, one->name), one->name + " on 2 ranks");
}

// A point that comes and goes leaves the sums as they were: all points summed anew give the same bits.
TYPED_TEST(Ranks, MovedPointsGiveTheBitsOfAllPoints) {
  const Drawn<TypeParam> drawn({.n = 3001, .d = 3, .k = 40, .max_iters = 60}, uniform(11, -1.0, 1e4));
  const auto all = solve(drawn.problem, "cpu/ranks/two_step");
  for (const Implementation* one : with_shards()) expect_same_bits(on_ranks(*one, drawn.problem, {0, 999, 2000}), all, one->name);
}

}  // namespace
}  // namespace km
