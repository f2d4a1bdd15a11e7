// Scalars and ranges of scalars, from text.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/dataset_helpers.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

TEST(Range, FactorsStepsAndNumbers) {
  EXPECT_EQ(parse_range("1e4:1e6:x10"), (Scalars{whole(10'000), whole(100'000), whole(1'000'000)}));
  EXPECT_EQ(parse_range("64:256:+64"), (Scalars{whole(64), whole(128), whole(192), whole(256)}));
  EXPECT_EQ(parse_range("1:4:x2"), (Scalars{whole(1), whole(2), whole(4)}));
  EXPECT_EQ(parse_range("0.5:1:x2"), (Scalars{Scalar(0.5), whole(1)}));
  EXPECT_EQ(parse_range("5:20:x3"), (Scalars{whole(5), whole(15)})) << "the end need not be met";
  EXPECT_EQ(parse_range("-2:0:+1"), (Scalars{whole(-2), whole(-1), whole(0)}));
  EXPECT_EQ(parse_range("-2:-1:+1"), (Scalars{whole(-2), whole(-1)}));
  EXPECT_EQ(parse_range("7:7:x2"), (Scalars{whole(7)}));
  EXPECT_EQ(parse_range("1e3"), (Scalars{whole(1000)}));
  EXPECT_EQ(parse_range("kmeans++"), (Scalars{word("kmeans++")}));
  EXPECT_EQ(parse_range("1e300:1e300:x2"), (Scalars{Scalar(1e300)})) << "no whole number of 64 bits";
  EXPECT_EQ(parse_range("0:0.3:+0.1").size(), 4u) << "3 * 0.1 is above 0.3, by rounding";
  EXPECT_EQ(parse_range("0:0.29:+0.1").size(), 3u);
  const auto tenths = parse_range("0:1:+0.1");
  ASSERT_EQ(tenths.size(), 11u);
  EXPECT_DOUBLE_EQ(std::get<double>(tenths[3]), 0.3);
}

TEST(Range, RefusesWhatIsNone) {
  std::istringstream texts(
      "1:2 1:2:3 1:2:*3 10:1:x10 1:10:x1 1:10:x0.5 1:10:+0 1:10:+-1 0:10:x2 a:b:x2 1:10:x2:x3 : 1:1e9:+1 1:1e18:+1 "
      "0:0:x2 1e18:2e18:+1 1:2:x1.0000000001 nan:1:+1 1:inf:+1 1::+1 :: 1:2:x 1:2:+ :2:+1");
  for (std::string text; texts >> text;) expect_has(complaint_of([&] { parse_range(text); }), {text.c_str()});
  expect_has(complaint_of([&] { parse_range(std::string(1 << 20, ':')); }), {"is not a range"});
}

TEST(Scalars, NumbersAndWords) {
  EXPECT_EQ(parse_scalar("12"), whole(12));
  EXPECT_EQ(parse_scalar("-3"), whole(-3));
  EXPECT_EQ(parse_scalar("1e6"), whole(1'000'000));
  EXPECT_EQ(parse_scalar("0.5"), Scalar(0.5));
  EXPECT_EQ(parse_scalar("fp32"), word("fp32"));
  for (const char* text : {"nan", "inf", "1e400", "12x", ""}) EXPECT_EQ(parse_scalar(text), word(text));
}

}  // namespace
}  // namespace km
