// cpu/lloyd/screened has many ways to one answer: whatever instructions and
// threads it is given, the labels are the same, and where sums need no rounding
// the centroids too, to the last bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "bench/contract/implementation.hpp"

namespace km {
namespace {

const Implementation& screened() { return *std::ranges::find(implementations(), "cpu/lloyd/screened", &Implementation::name); }

template <class T>
struct Instructions : testing::Test {
  /// Points of a seed, whole numbers or not, and the first k of them as the
  /// start.
  void make(std::int64_t n, int d, int k, bool whole) {
    std::mt19937 random(7);
    points.resize(n * d);
    for (T& value : points) value = whole ? T(random() % 10) : T(random()) / T(1 << 16);
    problem.n = n, problem.d = d, problem.k = k, problem.max_iters = 12, problem.tolerance = -1;
    problem.points = points;
    problem.initial_centroids = std::span(points).first(std::size_t(k) * d);
  }

  Solution<T> solve(const std::string& instructions, std::int64_t threads) {
    Trace trace;
    const auto solver = screened().prepare<T>()(problem, Config({{"threads", threads}, {"instructions", instructions}}), trace);
    solver->reset();
    solver->iterate(trace);
    return solver->download();
  }

  /// Solutions of all instructions that this CPU has, with one thread and with
  /// three.
  std::vector<Solution<T>> all() {
    std::vector<Solution<T>> found;
    for (const std::string instructions : {"portable", "avx2", "avx512", "amx", "best"})
      for (const std::int64_t threads : {1, 3})
        if (const Config config({{"threads", threads}, {"instructions", instructions}});
            screened().description.unsupported(problem, config, sizeof(T)).empty())
          found.push_back(solve(instructions, threads));
    return found;
  }

  std::vector<T> points;
  Problem<T> problem;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Instructions, Precisions);

TYPED_TEST(Instructions, WholeNumbersGiveTheSameBits) {
  for (const auto [n, d, k] : {std::array{1500, 68, 90}, std::array{700, 300, 21}, std::array{3000, 3, 7}}) {
    this->make(n, d, k, true);
    const auto found = this->all();
    ASSERT_GE(found.size(), 4u);
    for (const auto& solution : found) {
      EXPECT_EQ(solution.labels, found[0].labels);
      EXPECT_EQ(solution.centroids, found[0].centroids);
    }
  }
}

TYPED_TEST(Instructions, AnyNumbersGiveTheSameLabelsInOneIteration) {
  for (const auto [n, d, k] : {std::array{1500, 68, 90}, std::array{700, 300, 21}, std::array{3000, 3, 7}}) {
    this->make(n, d, k, false);
    this->problem.max_iters = 1;
    for (const auto found = this->all(); const auto& solution : found) EXPECT_EQ(solution.labels, found[0].labels);
  }
}

}  // namespace
}  // namespace km
