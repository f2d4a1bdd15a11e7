// cpu/lloyd/screened needs a third of its margin, and no case can need much more.
#include <cmath>

#include "impl/cpu/lloyd/screened.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

/// A score that starts at -|b|²/2 = -1.01 and loses all products but the last: each is a little less than half a digit. Thus b looks nearer than it
/// is, by 391 u. So it does by the bias of its start. The other centroid is nearer by a few u; |x|² = 0.505.
template <class T>
struct LostProducts {
  LostProducts() {
    const float lost = std::sqrt(0.98f * 0x1p-24f), last = std::sqrt(0.505f);
    std::vector<T> x(400, lost);
    x.back() = last;
    start.assign(800, 0);
    for (int j = 0; j < 399; ++j) start[j] = -lost;
    start[399] = 2 * last, start[799] = -580 * 0x1p-24f / last;
    for (int i = 0; i < 64; ++i)
      for (const T value : x) points.push_back(i % 2 == 0 ? value : -value);  // the origin is their mean
    problem = Problem<T>{{.n = 64, .d = 400, .k = 2, .max_iters = 1}, points, start};
  }
  std::vector<T> points, start;
  Problem<T> problem;
};

template <class T>
class ScreenedOnTheCpu : public ::testing::Test {};
TYPED_TEST_SUITE(ScreenedOnTheCpu, Precisions);

TYPED_TEST(ScreenedOnTheCpu, IsRightWhereAThirdOfItsMarginIsNot) {
  const LostProducts<TypeParam> lost;
  for (const char* instructions : {"avx512", "avx2", "portable"}) {
    if (!has(instructions)) continue;
    const Config config({{"threads", std::int64_t(1)}, {"instructions", instructions}});
    const auto wrong = [&](double share) {
      Trace trace;
      const auto solution = solved(Screened<TypeParam>(lost.problem, config, trace, share), trace);
      return judge(lost.problem, solution, named("cpu/lloyd/screened").description, config).wrong_labels;
    };
    for (const double enough : {1.0, 0.54}) EXPECT_EQ(wrong(enough), 0) << instructions;
    EXPECT_EQ(wrong(1.0 / 3), 32) << instructions;
  }
}

/// The largest lead that errors can give a wrong centroid b over c, less the share of the margin, in m |x|². A score errs by at most m |x||c|
/// (roundings of x and c, products in bfloat16) or by m times the largest partial sum. The offset adds share m |c|² more. Both scores are equal.
double undecided(double share, double b, double c) {
  const double score = b - b * b / 2, cosine = (score + c * c / 2) / c;
  if (std::abs(cosine) > 1) return -1;
  const auto error = [](double length, double to_x) {
    const double negative = length * (1 - to_x) / 2, positive = length * (1 + to_x) / 2, offset = length * length / 2;
    return std::max({length, offset + negative, positive - offset});
  };
  return error(b, 1) + error(c, cosine) + share * (b * b - c * c) - share * (9 - 8 * score);
}

TEST(ScreenedMargin, IsMoreThanAnyCaseNeeds) {
  const auto most = [](double share) {
    double lead = -1;
    for (double b = 0; b < 20; b += 0.01)
      for (double c = 0.01; c < 20; c += 0.01) lead = std::max(lead, undecided(share, b, c));
    return lead;
  };
  EXPECT_LT(most(0.54), 0);
  EXPECT_GT(most(1.0 / 3), 0);
}

}  // namespace
}  // namespace km
