// Points and starts of every seed have the values with which results were recorded. Values count in millionths, so a processor's last digit
// changes nothing.
#include <cmath>
#include <cstdint>
#include <span>

#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

/// Order counts, and every value.
std::uint64_t fingerprint(std::span<const double> values) {
  std::uint64_t print = 0;
  for (const double value : values) print = print * 6364136223846793005u + static_cast<std::uint64_t>(std::llround(value * 1e6));
  return print;
}

struct Golden {
  const char* name;
  std::uint64_t points, random, plus_plus, other_seed;
};

class EveryTable : public ::testing::TestWithParam<Golden> {};
INSTANTIATE_TEST_SUITE_P(Golden, EveryTable,
                         ::testing::Values(Golden{"he2021_balls", 0xe6302f981cee9da2, 0x0eb855df43103605, 0x4bcfcadcec44412e, 0x83636c24bbacc961},
                                           Golden{"lutz2018_balls", 0x1db6f4592866ec13, 0xeb3759b4c1b03b10, 0x7d0bb00dc4709d47, 0xfef00c9197090881},
                                           Golden{"wu2011_groups", 0x8f221e6c8a5e9ca8, 0xf936b97871536ce6, 0x4bc3ed366d2c4469, 0x659c66a16de6cd3a},
                                           Golden{"blobs", 0x6f753e4f0414e99a, 0x5e0895a5dcf8776d, 0xbbd2dd6a06d2a4b0, 0xb3faf762a5793d67},
                                           Golden{"uniform", 0xf584afcd6448e93e, 0xe35fcc331fbe5ce3, 0xb6afe09b2bada6df, 0x9d9e3930ca456c23},
                                           Golden{"census_like", 0x947ce08a3988f300, 0x11f7282490de1fc0, 0x3dea7628d129fec0, 0x8e901e1b20ebd700},
                                           Golden{"household_like", 0x79ebcd3c2dd2d4d0, 0xb0594f1f71e46720, 0xfc104eda3cb95da0, 0xc4c4cee15d515410}),
                         [](const auto& table) { return std::string(table.param.name); });

TEST_P(EveryTable, GivesThePointsAndStartsOfItsSeed) {
  const Golden& golden = GetParam();
  const auto data = load_dataset<double>(request(golden.name, 10'007));
  const auto start = [&](const char* method, std::uint64_t seed) { return fingerprint(initial_centroids(data, 5, method, seed)); };
  EXPECT_EQ(fingerprint(data.points()), golden.points);
  EXPECT_EQ(start("random", 1), golden.random);
  EXPECT_EQ(start("kmeans++", 1), golden.plus_plus);
  EXPECT_EQ(start("random", 2), golden.other_seed);
}

}  // namespace
}  // namespace km
