// The catalogue, the hash, the initial centroids.
#include <omp.h>

#include <set>

#include "bench/data/hash.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

TEST(Catalogue, AMissingRealSetSaysHowToGetIt) {
  for (const auto& info : list_datasets())
    if (info.name == "higgs" && !info.missing.empty()) {
      EXPECT_THROW(dataset_shape({.name = "higgs", .n = {}, .d = {}, .k = {}, .settings = {}}), Missing);
      expect_has(info.missing, {"scripts/fetch_datasets higgs"});
    }
}

TEST(Hash, ChangesWithAnyValueAndNoThreadCount) {
  std::vector<float> values(9 << 20, 1);
  const std::string before = hash_of(values.data(), values.size() * 4);
  EXPECT_EQ(before.size(), 32u);
  for (const std::size_t at : {std::size_t{0}, std::size_t{5} << 20, values.size() - 1}) {
    values[at] = 2;
    EXPECT_NE(hash_of(values.data(), values.size() * 4), before);
    values[at] = 1;
  }
  omp_set_num_threads(3);
  EXPECT_EQ(hash_of(values.data(), values.size() * 4), before);
}

TEST(InitialCentroids, AreDistinctRowsAndDeterministic) {
  const auto data = load_dataset<double>(request("blobs", 20'000));
  for (const char* method : {"random", "kmeans++"}) {
    omp_set_num_threads(1);
    const auto once = initial_centroids(data, 50, method, 3);
    omp_set_num_threads(3);
    EXPECT_EQ(once, initial_centroids(data, 50, method, 3)) << method;
    EXPECT_NE(once, initial_centroids(data, 50, method, 4)) << method;
    std::set<std::pair<double, double>> rows;
    for (std::size_t c = 0; c < 50; ++c) rows.emplace(once[2 * c], once[2 * c + 1]);
    EXPECT_EQ(rows.size(), 50u) << method;
  }
  const auto few = load_dataset<double>(request("blobs", 7));
  EXPECT_EQ(initial_centroids(few, 7, "random", 1).size(), 14u);
  expect_has(complaint_of([&] { initial_centroids(few, 8, "random", 1); }), {"k = 8", "7 points"});
  expect_has(complaint_of([&] { initial_centroids(few, 0, "random", 1); }), {"k = 0"});
  expect_has(complaint_of([&] { initial_centroids(few, 2, "best", 1); }), {"best", "kmeans++"});
}

TEST_F(Files, InitialCentroidsFromAFile) {
  const auto data = load_dataset<float>(request("blobs", 100));
  const std::string path = write("c.npy", npy("<f4", false, "(2, 2)", bytes_of<float>({1, 2, 3, 4})));
  EXPECT_EQ(initial_centroids(data, 2, path, 0), (std::vector<float>{1, 2, 3, 4}));
  expect_has(complaint_of([&] { initial_centroids(data, 3, path, 0); }), {"2 x 2", "3 x 2"});
}

TEST_F(Files, PlusPlusNeedsAsManyDifferentPoints) {
  const auto data = load_dataset<float>({.name = write("t.csv", "1,1\n1,1\n2,2\n"), .n = {}, .d = {}, .k = {}, .settings = {}});
  EXPECT_EQ(initial_centroids(data, 2, "kmeans++", 1).size(), 4u);
  expect_has(complaint_of([&] { initial_centroids(data, 3, "kmeans++", 1); }), {"2 different points"});
}

}  // namespace
}  // namespace km
