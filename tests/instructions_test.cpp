// cpu/lloyd/screened gives the same labels with all instructions and numbers of threads, and the same centroids where sums need no rounding.
#include "tests/solving.hpp"

namespace km {
namespace {

template <class T>
struct Instructions : testing::Test {
  /// Points of a seed, whole numbers or not, and the first k of them as the start.
  void make(std::int64_t n, int d, int k, bool whole) {
    std::mt19937 random(7);
    points.resize(n * d);
    for (T& value : points) value = whole ? T(random() % 10) : T(random()) / T(1 << 16);
    problem.n = n, problem.d = d, problem.k = k, problem.max_iters = 12, problem.tolerance = -1;
    problem.points = points;
    problem.initial_centroids = std::span(points).first(std::size_t(k) * d);
  }

  /// Solutions of all instructions that this CPU has, with one thread and with three.
  std::vector<Solution<T>> all() {
    const Implementation& screened = named("cpu/lloyd/screened");
    std::vector<Solution<T>> found;
    for (const char* instructions : {"portable", "avx2", "avx512", "amx", "best"})
      for (const std::int64_t threads : {1, 3})
        if (const ParameterValues values = {{"threads", threads}, {"instructions", instructions}};
            screened.description.unsupported(problem, config_of(screened, values), sizeof(T)).empty())
          found.push_back(solve(problem, screened.name, values));
    return found;
  }

  std::vector<T> points;
  Problem<T> problem;
};
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
