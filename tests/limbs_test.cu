// The exact sums of register_tiles: a total does not depend on how blocks split it, for any number of points that the units are made for.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "impl/gpu/lloyd/register_tiles_sums.cuh"

namespace km::register_tiles {
namespace {

struct Total {
  Bits word = 0, rest = 0;
};

/// What the kernel makes of some values: limbs summed by block, rests by value.
Total sum(const std::vector<float>& values, const LimbFormat<float>& q, std::mt19937& random) {
  Total total;
  long long block = 0;
  for (const float value : values) {
    float left = value;
    long long units[2];
    for (int l = 0; l < 2; ++l) {
      const float whole = left + q.magic[l][0];
      units[l] = std::bit_cast<std::int32_t>(whole) - std::bit_cast<std::int32_t>(q.magic[l][0]);
      left -= whole - q.magic[l][0];
    }
    block += (units[0] << q.width) + units[1];
    total.rest += Bits(std::llrint(double(left) * q.rest_inverse[0]));
    if (random() % 7 > 0) continue;  // the end of a block
    if (q.below > 0) total.rest += q.split(block);
    total.word += Bits(block);
    block = 0;
  }
  if (q.below > 0) total.rest += q.split(block);
  total.word += Bits(block);
  q.carry(total.word, total.rest);
  return total;
}

class Limbs : public testing::TestWithParam<int> {};

TEST_P(Limbs, AddUpToTheSameBitsByAnyBlocks) {
  const std::int64_t n = std::int64_t(1) << GetParam();
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  std::vector<float> values(4000);
  double greatest[most_dimensions] = {}, exact = 0;
  for (float& value : values) {
    value = std::ldexp(std::rint(std::ldexp(normal(random), 38 - int(random() % 12))), -38);
    greatest[0] = std::max(greatest[0], double(std::abs(value)));
    exact += double(value);  // exact: multiples of 2^-38
  }
  const LimbFormat<float> q(greatest, n);
  const Total first = sum(values, q, random), second = sum(values, q, random);
  EXPECT_EQ(first.word, second.word);
  EXPECT_EQ(first.rest, second.rest);
  const double found = double((long long)(first.rest)) * q.rest[0] + double((long long)(first.word)) * q.unit[0][0];
  EXPECT_EQ(found, exact);
  EXPECT_LT(std::ldexp(greatest[0], GetParam()), 0x1p63 * q.unit[0][0]) << "the word holds n such values";
}

INSTANTIATE_TEST_SUITE_P(Points, Limbs, testing::Values(12, 20, 27, 28, 31, 33, 36));

}  // namespace
}  // namespace km::register_tiles
