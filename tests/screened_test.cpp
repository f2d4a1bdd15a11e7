// gpu/lloyd/screened and screened_mma give the same bits for every grid and need their margin. Skips without a GPU that they run on.
#include "tests/solving.hpp"

namespace km {
namespace {

/// Points of a square, more clusters than fp16 can tell apart: a hundredth of the margin leaves some 2% of the labels wrong.
template <class T>
struct Screened : OnTheGpu {
  /// Those of these names that run here.
  std::vector<std::string> present(std::vector<std::string> names) const {
    std::erase_if(names, [&](const std::string& name) {
      const auto found = std::ranges::find(implementations(), name, &Implementation::name);
      return found == implementations().end() || !found->description.unsupported(square.problem, config_of(*found), sizeof(T)).empty();
    });
    return names;
  }

  const Drawn<T> square{{.n = 20'000, .d = 2, .k = 300, .max_iters = 5}, uniform(3, 0.0f, 1.0f)};
};
TYPED_TEST_SUITE(Screened, Precisions);

TYPED_TEST(Screened, GivesTheSameBitsForEveryGrid) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  const auto expected = solve(this->square.problem, names.front());
  for (const auto& name : names)
    for (const std::int64_t grid : {132, 264, 528})
      expect_same_bits(solve(this->square.problem, name, {{"grid", grid}}), expected, name + ", grid " + std::to_string(grid));
}

TYPED_TEST(Screened, IsRightWhereAHundredthOfItsMarginIsNot) {
  const auto names = this->present({"gpu/lloyd/screened", "gpu/lloyd/screened_mma", "faults/hundredth_of_the_margin"});
  if (names.empty()) GTEST_SKIP() << "none of them runs here";
  for (const auto& name : names) {
    const bool fault = name.starts_with("faults/");
    const Judgement judgement = judged(this->square.problem, name);
    EXPECT_EQ(judgement.verdict != "", fault) << name << ": " << judgement.verdict;
    EXPECT_EQ(judgement.wrong_labels > 0, fault) << name << ": " << judgement.wrong_labels;
  }
}

}  // namespace
}  // namespace km
