// The catalogue, the hash, the initial centroids; he2021's own choice of a start. Points that stay in their file: the same values as read ones, never
// written to, refused if they cannot be mapped.
#include <omp.h>

#include <cmath>
#include <csignal>
#include <cstdlib>
#include <set>

#include "bench/base/bytes_hash.hpp"
#include "bench/data/hash.hpp"
#include "impl/cpu/lloyd/two_step.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

TEST(Catalogue, AMissingRealSetSaysHowToGetIt) {
  for (const auto& info : list_datasets())
    if (info.name == "higgs" && !info.missing.empty()) {
      EXPECT_THROW(dataset_shape({.name = "higgs"}), Missing);
      expect_has(info.missing, {"kmbench fetch higgs"});
    }
}

/// A folder with datasets/ and papers/ of its own, for as long as a test runs.
class Tables : public Files {
 protected:
  void SetUp() override {
    Files::SetUp();
    fs::create_directories(folder_ / "datasets");
    fs::create_directories(folder_ / "papers");
    if (const char* before = std::getenv("KMBENCH_HOME")) before_ = before;
    setenv("KMBENCH_HOME", folder_.c_str(), 1);
  }
  void TearDown() override {
    if (before_.empty()) unsetenv("KMBENCH_HOME");
    else setenv("KMBENCH_HOME", before_.c_str(), 1);
    unsetenv("KMBENCH_DATA");
    Files::TearDown();
  }
  std::string before_;
};

TEST_F(Tables, KmbenchDataNamesFolders) {
  write("datasets/made.toml", "[made]\ngenerator = \"uniform\"\nn = 10\nd = 2\n");
  setenv("KMBENCH_DATA", (folder_.string() + ":" + folder_.string() + "/none").c_str(), 1);
  expect_has(complaint_of([] { list_datasets(); }), {"KMBENCH_DATA", "/none'", "no folder"});
  fs::create_directory(folder_ / "odd.npy");
  write("good.csv", "1,2\n");
  write("bad\xff\n.csv", "1,2\n");
  setenv("KMBENCH_DATA", (":" + folder_.string() + ":").c_str(), 1);
  std::map<std::string, std::string> missing;
  for (const auto& info : list_datasets()) missing[info.name] = info.missing;
  for (const auto& [name, why] : missing) EXPECT_TRUE(is_text(name)) << name;
  EXPECT_TRUE(missing.contains("made"));
  ASSERT_TRUE(missing.contains("odd") && missing.contains("good"));
  expect_has(missing["odd"], {"not a regular file"});
  EXPECT_EQ(missing["good"], "");
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

#ifdef __x86_64__
/// Vector state in use by this thread, as XGETBV(1) tells: bit 2 stands for upper halves of AVX.
std::uint32_t vector_state() {
  std::uint32_t low, high;
  asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(1));
  return low;
}

TEST(Hash, LeavesNoUpperHalvesOfVectorsInUse) {
  std::uint32_t a = 0xd, b = 0, c = 1, d = 0;
  asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
  const bool tells = __builtin_cpu_supports("avx") && (a & 4) != 0;
  if (tells) asm volatile("vzeroupper");
  if (!tells || (vector_state() & 4) != 0) GTEST_SKIP() << "this CPU does not tell which vector state is in use";
  const std::vector<float> values(1000, 1);  // XXH3 takes vectors for more than 240 bytes
  int left = 0;
#pragma omp parallel reduction(+ : left)
  {
    hash_of_chunk(values.data(), 1000);
    left += (vector_state() & 4) != 0;
    hash_of_bytes(values.data(), 1000);
    left += (vector_state() & 4) != 0;
  }
  EXPECT_EQ(left, 0);
}
#endif

TEST(InitialCentroids, AreDistinctRowsAndDeterministic) {
  const auto data = load_dataset<double>(request("blobs", 20'000));
  for (const char* method : {"random", "kmeans++", "greedy-kmeans++"}) {
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

TEST(InitialCentroids, AreBetterWhenGreedy) {
  const auto data = load_dataset<double>(request("blobs", 2000));
  const auto left = [&](const std::string& method) {  // the sum of distances² from the nearest centroid, over ten seeds
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto start = initial_centroids(data, 20, method, seed);
      for (std::size_t i = 0; i < 2000; ++i) {
        double nearest = INFINITY;
        for (std::size_t c = 0; c < 20; ++c)
          nearest = std::min(nearest, std::hypot(data.values[2 * i] - start[2 * c], data.values[2 * i + 1] - start[2 * c + 1]));
        sum += nearest * nearest;
      }
    }
    return sum;
  };
  EXPECT_LT(left("greedy-kmeans++"), 0.95 * left("kmeans++"));
}

TEST_F(Files, InitialCentroidsFromAFile) {
  const auto data = load_dataset<float>(request("blobs", 100));
  const std::string path = write("c.npy", npy("<f4", false, "(2, 2)", bytes_of<float>({1, 2, 3, 4})));
  EXPECT_EQ(initial_centroids(data, 2, path, 0), (std::vector<float>{1, 2, 3, 4}));
  expect_has(complaint_of([&] { initial_centroids(data, 3, path, 0); }), {"2 x 2", "3 x 2"});
  const std::string bad = write("bad.npy", npy("<f8", false, "(2, 2)", bytes_of<double>({1, 2, 1e300, NAN})));
  expect_has(complaint_of([&] { check_init(bad, 2, 2); }), {"bad.npy", "row 2, column 2", "nan"});
  const std::string big = write("big.npy", npy("<f8", false, "(2, 2)", bytes_of<double>({1, 2, 1e300, 4})));
  expect_has(complaint_of([&] { initial_centroids(data, 2, big, 0); }), {"big.npy", "row 2, column 1", "fp32"});
}

TEST_F(Files, PlusPlusNeedsAsManyDifferentPoints) {
  const auto data = load_dataset<float>({.name = write("t.csv", "1,1\n1,1\n2,2\n")});
  EXPECT_EQ(initial_centroids(data, 2, "greedy-kmeans++", 1).size(), 4u);
  expect_has(complaint_of([&] { initial_centroids(data, 3, "kmeans++", 1); }), {"2 different points"});
}

TEST(Starts, OfTheCpuArePoints) {
  const Drawn<double> drawn({.n = 5000, .d = 3, .k = 64}, [at = 0]() mutable { return at++; });  // row i: 3 i, 3 i + 1, 3 i + 2
  for (const int threads : {1, 4}) {
    const std::vector<double> starts = choose_starts(drawn.problem, threads);
    std::set<double> rows;
    for (int c = 0; c < 64; ++c) {
      const double* start = starts.data() + 3 * c;
      EXPECT_EQ(std::fmod(start[0], 3), 0);
      EXPECT_LT(start[0], 15'000);
      EXPECT_EQ(start[1], start[0] + 1);
      EXPECT_EQ(start[2], start[0] + 2);
      rows.insert(start[0]);
    }
    EXPECT_GT(rows.size(), 60);
  }
}

class Mapped : public Files {
 protected:
  /// 5000 x 3 values that are all different.
  std::string table(std::int64_t n = 5000) const {
    std::vector<float> values(std::size_t(n) * 3);
    for (std::size_t at = 0; at < values.size(); ++at) values[at] = float(at) / 8;
    const auto path = folder_ / "table.npy";
    write_npy<float>(path, values, n, 3);
    return path.string();
  }
  static DatasetRequest mapped(const std::string& path, double map = 1) { return {.name = path, .settings = {{"map", map}}}; }
};

TEST_F(Mapped, HoldsWhatReadingGives) {
  const auto path = table();
  const auto read = load_dataset<float>(mapped(path, 0)), left = load_dataset<float>(mapped(path));
  EXPECT_FALSE(is_mapped(mapped(path, 0), 4));
  EXPECT_TRUE(is_mapped(mapped(path), 4));
  EXPECT_EQ(left.hash, read.hash);
  EXPECT_TRUE(std::ranges::equal(left.points(), read.points()));
  auto first = mapped(path);
  first.n = 1234;
  const auto some = load_dataset<float>(first);
  EXPECT_EQ(some.n, 1234);
  EXPECT_EQ(some.hash, hash_of(read.values.get(), 1234 * 3 * sizeof(float)));
}

TEST_F(Mapped, SmallFilesAreReadUnlessAsked) { EXPECT_FALSE(is_mapped({.name = table()}, 4)); }

TEST_F(Mapped, NobodyCanTurnWritingOn) {
  const auto data = load_dataset<float>(mapped(table()));
  EXPECT_THROW(unprotect_values(data.values.get()), std::system_error);
  EXPECT_EXIT(data.values[0] = 1, ::testing::KilledBySignal(SIGSEGV), "");
}

TEST_F(Mapped, KnowsWhatLiesThere) {
  const auto data = load_dataset<float>(mapped(table()));
  bool past_the_end = true;
  EXPECT_STREQ(values_at(&data.values[14999], past_the_end), "the points");
  EXPECT_FALSE(past_the_end);
  EXPECT_STREQ(values_at(reinterpret_cast<const char*>(&data.values[14999]) + 4096, past_the_end), "the points");
  EXPECT_TRUE(past_the_end);
}

TEST_F(Mapped, SaysWhyItCannotBe) {
  const auto complaint = [&](const std::string& path) { return complaint_of([&] { load_dataset<float>(mapped(path)); }); };
  expect_has(complaint(write("d.npy", npy("<f8", false, "(2, 1)", bytes_of<double>({1, 2})))), {"map = 1", "values are f8", "converted to f4"});
  expect_has(complaint(write("i.npy", npy("<i4", false, "(2, 1)", bytes_of<std::int32_t>({1, 2})))), {"map = 1", "values are i4"});
  expect_has(complaint(write("c.npy", npy("<f4", true, "(2, 1)", bytes_of<float>({1, 2})))), {"map = 1", "column by column"});
  expect_has(complaint(write("t.csv", "1\n2\n")), {"map = 1", "no text"});
  std::string odd = npy("<f4", false, "(2, 1)", bytes_of<float>({1, 2}));
  odd.insert(127, 8, ' ');
  odd[8] = char(odd[8] + 8);
  expect_has(complaint(write("o.npy", odd)), {"map = 1", "begin at byte 136"});
  const auto values = bytes_of<float>({1, 2, 3, NAN, 5, INFINITY});
  expect_has(complaint(write("n.npy", npy("<f4", false, "(3, 2)", values))), {"row 2, column 2", "not a finite fp32 number"});
}

TEST_F(Mapped, GeneratedPointsGoToTheirFileAsTheyAreMade) {
  const auto wanted = request("uniform", 3000, {{"seed", 4}});
  const auto path = folder_ / "made.npy";
  EXPECT_EQ(make_npy<float>(wanted, path), load_dataset<float>(wanted).hash);
  EXPECT_EQ(load_dataset<float>(mapped(path.string())).hash, load_dataset<float>(wanted).hash);
  EXPECT_EQ(make_npy<float>(mapped(path.string()), folder_ / "other.npy"), std::nullopt);
  EXPECT_NE(complaint_of([&] {
              make_npy<float>(request("uniform", 10, {{"high", 1e300}}), folder_ / "other.npy");
            }).find("not a finite fp32 number"),
            std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // nothing half-made is left
}

}  // namespace
}  // namespace km
