// The random numbers, and every generator: equal points for every number of threads, in the distribution of its paper, with the values with which
// results were recorded. Groups that are not round lie where they should. A GPU gives the same bits from any row on.
#include <omp.h>

#include <cmath>
#include <cstdint>
#include <numbers>
#include <set>
#include <span>

#include "bench/data/catalogue.hpp"
#include "bench/data/generators_device.hpp"
#include "bench/data/random.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"
#include "tests/thread_group.hpp"

namespace km {
namespace {

TEST(Random, PhiloxGivesThePublishedNumbers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}), (std::array<std::uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Random, ANumberHasOneValueHoweverItIsReached) {
  const Random random(5, 1);
  std::vector<double> all(5000), some(777);
  random.normals(0, all);
  random.normals(1235, some);
  EXPECT_TRUE(std::equal(some.begin(), some.end(), all.begin() + 1235));
  random.uniforms(0, all);
  EXPECT_EQ(random.uniform(4321), all[4321]);
}

TEST(Random, NormalsAreNormal) {
  std::vector<double> x(1 << 20);
  Random(9, 0).normals(0, x);
  double m1 = 0, m2 = 0, m4 = 0, lag = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    m1 += x[i];
    m2 += x[i] * x[i];
    m4 += x[i] * x[i] * x[i] * x[i];
    lag += x[i] * x[i ^ 1];
  }
  const double n = double(x.size()), sigma = 1 / std::sqrt(n);
  EXPECT_NEAR(m1 / n, 0, 5 * sigma);
  EXPECT_NEAR(m2 / n, 1, 5 * sigma * std::sqrt(2));
  EXPECT_NEAR(m4 / n, 3, 5 * sigma * std::sqrt(96));
  EXPECT_NEAR(lag / n, 0, 5 * sigma * std::sqrt(2));
}

class EveryGenerator : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tables, EveryGenerator,
                         ::testing::Values("he2021_balls", "lutz2018_balls", "wu2011_groups", "blobs", "uniform", "census_like", "household_like",
                                           "moons", "rings", "spirals", "ellipses"),
                         [](const auto& table) { return std::string(table.param); });

/// Asks several ranks for their shares, and compares rows and hash with those of one process.
template <class T>
void expect_shares(const DatasetRequest& wanted, int ranks) {
  const KeepCatalogue keep;  // all threads read it
  const Dataset<T> whole = load_dataset<T>(wanted);
  std::vector<Dataset<T>> shares{std::size_t(ranks)};
  on_threads(ranks, [&](Group& group) { shares[std::size_t(group.rank())] = load_dataset<T>(wanted, &group); });
  std::vector<T> joined;
  for (const Dataset<T>& share : shares) {
    EXPECT_EQ(share.hash, whole.hash);
    EXPECT_EQ(share.n, whole.n);
    joined.insert(joined.end(), share.points().begin(), share.points().end());
  }
  EXPECT_TRUE(std::ranges::equal(joined, whole.points()));
}

TEST_P(EveryGenerator, GivesEachRankItsRows) {
  for (const int ranks : {1, 2, 3, 7}) {
    expect_shares<float>(request(GetParam(), 10'007), ranks);
    expect_shares<double>(request(GetParam(), 5), ranks);
  }
}

TEST(Shares, OfSeveralChunksOfTheHash) {
  for (const int ranks : {2, 5}) expect_shares<double>(request("blobs", 5'000'001), ranks);  // 80 MB: chunks end within rows
}

TEST_P(EveryGenerator, IsTheSameForEveryNumberOfThreads) {
  std::set<std::string> hashes;
  const int before = omp_get_max_threads();
  for (const int threads : {1, 2, 3}) {
    omp_set_num_threads(threads);
    hashes.insert(load_dataset<float>(request(GetParam(), 10'007)).hash);
  }
  omp_set_num_threads(before);
  EXPECT_EQ(hashes.size(), 1u);
  EXPECT_NE(load_dataset<float>(request(GetParam(), 10'007, {{"seed", 77}})).hash, *hashes.begin());
}

TEST_P(EveryGenerator, BeginsAlikeForEveryLengthAndPrecision) {
  const bool balls = GetParam() == std::string("he2021_balls");  // ordered by default: one ball after the other
  const Settings settings = balls ? Settings{{"ordered", 0}} : Settings{};
  const auto longer = load_dataset<double>(request(GetParam(), 9000, settings));
  const auto shorter = load_dataset<float>(request(GetParam(), 5000, settings));
  for (std::int64_t i = 0; i < 4 * 1024 * longer.d / 2; ++i) ASSERT_EQ(shorter.values[std::size_t(i)], float(longer.values[std::size_t(i)])) << i;
}

TEST(Generators, OrderedBallsComeOneAfterTheOther) {
  const auto data = load_dataset<float>(request("he2021_balls", 4001));
  for (std::int64_t i = 0; i < data.n; ++i) {
    const std::int64_t group = i * 4 / data.n;
    for (int j = 0; j < 4; ++j)
      ASSERT_NEAR(data.values[std::size_t(4 * i + j)], data.ideal_centroids[std::size_t(4 * group + j)], 9.001) << "point " << i;
  }
}

TEST(Generators, BallsKeepTheirRadiusAndMean) {
  const std::int64_t n = 200'000;
  const auto data = load_dataset<double>(request("he2021_balls", n));
  ASSERT_EQ(data.ideal_centroids.size(), 16u);
  std::vector<double> sums(16), counts(4);
  double inside = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    const double* x = &data.values[std::size_t(4 * i)];
    int group = -1;
    for (int c = 0; c < 4; ++c) {
      double dist = 0;
      for (int j = 0; j < 4; ++j) dist += std::pow(x[j] - data.ideal_centroids[std::size_t(4 * c + j)], 2);
      if (dist <= 81.0001) group = c;
      if (dist <= 81 / std::sqrt(2)) ++inside;  // half the volume of a ball in four dimensions
    }
    ASSERT_GE(group, 0) << "point " << i << " lies in no ball";
    ++counts[std::size_t(group)];
    for (int j = 0; j < 4; ++j) sums[std::size_t(4 * group + j)] += x[j];
  }
  for (const double count : counts) EXPECT_EQ(count, double(n) / 4);
  const double sigma = 9 / std::sqrt(6.0) / std::sqrt(double(n) / 4);  // variance of a coordinate: r² / (d + 2)
  for (std::size_t at = 0; at < 16; ++at) EXPECT_NEAR(sums[at] / counts[at / 4], data.ideal_centroids[at], 5 * sigma);
  EXPECT_NEAR(inside / double(n), 0.5, 5 * 0.5 / std::sqrt(double(n)));
}

TEST(Generators, SigmaIsVarianceOrDeviationAsAsked) {
  for (const double as_deviation : {0.0, 1.0}) {
    const auto data = load_dataset<double>(
        {.name = "wu2011_groups", .n = 100'000, .d = 8, .k = 1, .settings = {{"sigma2", .25}, {"sigma2_is_deviation", as_deviation}}});
    double sum = 0;
    for (std::int64_t at = 0; at < data.n * data.d; ++at)
      sum += std::pow(data.values[std::size_t(at)] - data.ideal_centroids[std::size_t(at % data.d)], 2);
    EXPECT_NEAR(sum / double(data.n * data.d), as_deviation != 0 ? .0625 : .25, .005);
  }
}

TEST(Generators, PlaceTheirOwnNumberOfGroupsOrK) {
  const auto looked_for = [](const char* name, int k, Settings settings = {}) {
    return load_dataset<float>({.name = name, .n = 1000, .k = k, .settings = std::move(settings)});
  };
  EXPECT_EQ(looked_for("census_like", 16).hash, looked_for("census_like", 64).hash);
  EXPECT_EQ(looked_for("lutz2018_balls", 3).ideal_centroids.size(), 40u);
  EXPECT_EQ(looked_for("blobs", 3).ideal_centroids.size(), 6u);
  EXPECT_EQ(looked_for("blobs", 3, {{"groups", 5}}).generator->at("groups"), 5);
}

auto labelled(const DatasetRequest& wanted) { return std::pair(load_dataset<double>(wanted), generated_labels(wanted)); }

TEST(Curves, RingsHaveTheRadiusOfTheirGroup) {
  const auto [data, truth] = labelled(request("rings", 5000, {{"groups", 3}}));
  ASSERT_EQ(truth.size(), 5000u);
  EXPECT_TRUE(generated_labels(request("uniform", 100)).empty());
  for (std::size_t i = 0; i < truth.size(); ++i) ASSERT_NEAR(std::hypot(data.values[2 * i], data.values[2 * i + 1]), truth[i] + 1, 0.5) << i;
}

TEST(Curves, MoonsLieOnTheirHalfCircles) {
  const auto [data, truth] = labelled(request("moons", 5000, {{"noise", 0}}));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i] - truth[i], y = data.values[2 * i + 1] - 0.5 * truth[i];
    ASSERT_NEAR(std::hypot(x, y), 1, 1e-12) << i;
    ASSERT_GE(truth[i] == 0 ? y : -y, -1e-12) << i;
  }
}

TEST(Curves, SpiralsStartApartAndEllipsesAreStretched) {
  const auto [data, truth] = labelled(request("spirals", 3000, {{"noise", 0}}));
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double x = data.values[2 * i], y = data.values[2 * i + 1], turned = std::hypot(x, y) - 0.5;
    const double angle = std::atan2(y, x) / (2 * std::numbers::pi) - turned - truth[i] / 2.0;
    ASSERT_NEAR(angle - std::round(angle), 0, 1e-9) << i;
  }
  double across = 0, along = 0;
  const auto [ellipses, groups] = labelled(request("ellipses", 3000));
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (groups[i] != 1) continue;  // its axis is at a quarter turn
    across += std::pow(ellipses.values[2 * i], 2);
    along += std::pow(ellipses.values[2 * i + 1], 2);
  }
  EXPECT_NEAR(std::sqrt(along / across), 6, 0.6);
}

/// Order counts, and every value.
std::uint64_t print_of(std::span<const double> values) {
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
  const auto start = [&](const char* method, std::uint64_t seed) { return print_of(initial_centroids(data, 5, method, seed)); };
  EXPECT_EQ(print_of(data.points()), golden.points);
  EXPECT_EQ(start("random", 1), golden.random);
  EXPECT_EQ(start("kmeans++", 1), golden.plus_plus);
  EXPECT_EQ(start("random", 2), golden.other_seed);
}

// ---- on the GPU: skips without one ----------------------------------------------------------------------------------------------------------

template <class T>
struct GeneratorsOnDevice : OnTheGpu {
  static void expect_same_bits(const char* name, const Recipe& wanted, std::int64_t begin, std::int64_t rows) {
    const auto& generator = *std::ranges::find(generators(), name, &Generator::name);
    Recipe recipe = wanted;
    recipe.settings = generator.settings;
    for (const auto& [setting, value] : wanted.settings)
      if (const auto at = recipe.settings.find(setting); at != recipe.settings.end()) at->second = value;
    std::vector<T> host(std::size_t(rows * recipe.d)), device(host.size(), T(-1));
    generator.make(recipe, begin, std::span(host));  // generates_on_device() is false here
    ASSERT_TRUE(make_on_device(generator, recipe, begin, std::span(device)));
    for (std::size_t at = 0; at < host.size(); ++at)
      ASSERT_EQ(0, std::memcmp(&host[at], &device[at], sizeof(T)))
          << name << " n " << recipe.n << " d " << recipe.d << " k " << recipe.k << " from row " << begin << ", value " << at << ": " << host[at]
          << " on the CPU, " << device[at] << " on the GPU";
  }
};
TYPED_TEST_SUITE(GeneratorsOnDevice, Precisions);

TYPED_TEST(GeneratorsOnDevice, GiveTheBitsOfTheCpu) {
  for (const char* name : {"balls", "gaussians", "uniform", "integers"})
    for (const int d : {1, 2, 3, 4, 7, 16, 33, 128})
      for (const int k : {1, 5, 700})
        for (const double ordered : {0, 1}) {
          const Recipe recipe{.n = 20'011, .d = d, .k = k, .seed = 77, .settings = {{"ordered", ordered}, {"purity", 0.3}, {"sigma2", 2.5}}};
          this->expect_same_bits(name, recipe, 0, 5000);
          this->expect_same_bits(name, recipe, 1237, 3);
          this->expect_same_bits(name, recipe, 9'999, 10'012);  // to the last row
        }
}

TYPED_TEST(GeneratorsOnDevice, GiveTheBitsOfTheCpuBeyondOneChunkAnd32Bits) {
  for (const char* name : {"balls", "gaussians", "uniform", "integers"}) {
    this->expect_same_bits(name, {.n = 12'000'007, .d = 3, .k = 6}, 1237, 11'900'000);
    this->expect_same_bits(name, {.n = 5'000'000'000, .d = 4, .k = 6}, 4'400'000'001, 1000);
  }
}

TYPED_TEST(GeneratorsOnDevice, LeaveOtherGeneratorsToTheCpu) {
  std::vector<TypeParam> points(20);
  const auto& moons = *std::ranges::find(generators(), "moons", &Generator::name);
  EXPECT_FALSE(make_on_device(moons, {.n = 10, .d = 2, .k = 2, .settings = moons.settings}, 0, std::span(points)));
}

}  // namespace
}  // namespace km
