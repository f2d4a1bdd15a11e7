// Points that stay in their file: the same values as read ones, never written to, refused if they cannot be mapped.
#include <cmath>
#include <csignal>

#include "bench/data/hash.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

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
  unprotect_values(data.values.get());
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

TEST_F(Mapped, AFileThatShrinksKillsOnlyWhoReadsThere) {
  const auto path = table();
  const auto data = load_dataset<float>(mapped(path));
  fs::resize_file(path, 128);
  EXPECT_EXIT(std::exit(data.values[14999] > 0), ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_NE(complaint_of([&] { load_dataset<float>(mapped(path)); }).find("cut short"), std::string::npos);
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
  EXPECT_NE(complaint_of([&] { load_dataset<float>(mapped(table(), 2)); }).find("map = 2, accepted: 0 and 1"), std::string::npos);
}

TEST_F(Mapped, RefusesWhatIsNotFinite) {
  const auto path = write("n.npy", npy("<f4", false, "(3, 2)", bytes_of<float>({1, 2, 3, NAN, 5, INFINITY})));
  expect_has(complaint_of([&] { load_dataset<float>(mapped(path)); }), {"row 2, column 2", "not a finite fp32 number"});
}

TEST_F(Mapped, GeneratedPointsGoToTheirFileAsTheyAreMade) {
  const auto wish = request("uniform", 3000, {{"seed", 4}});
  const auto path = folder_ / "made.npy";
  EXPECT_EQ(make_npy<float>(wish, path), load_dataset<float>(wish).hash);
  EXPECT_EQ(load_dataset<float>(mapped(path.string())).hash, load_dataset<float>(wish).hash);
  EXPECT_EQ(make_npy<float>(mapped(path.string()), folder_ / "other.npy"), std::nullopt);
  EXPECT_NE(complaint_of([&] {
              make_npy<float>(request("uniform", 10, {{"high", 1e300}}), folder_ / "other.npy");
            }).find("not a finite fp32 number"),
            std::string::npos);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 1);  // nothing half-made is left
}

TEST_F(Mapped, IsJudgedLikeOtherPoints) {
  const auto data = load_dataset<float>(mapped(table()));
  const std::vector<float> start(data.values.get(), data.values.get() + 6);
  Problem<float> problem{{.n = data.n, .d = 3, .k = 2, .max_iters = 2}, data.points(), start};
  const auto& implementation = named("cpu/lloyd/out_of_core");
  const ParameterValues values = {{"chunk", 1}, {"threads", 2}};
  Solution<float> solution = solve(problem, implementation.name, values);
  EXPECT_EQ(judge(problem, solution, implementation.description, config_of(implementation, values)).verdict, "");
  solution.labels[4000] ^= 1;
  EXPECT_NE(judge(problem, solution, implementation.description, config_of(implementation, values)).verdict, "");
}

}  // namespace
}  // namespace km
