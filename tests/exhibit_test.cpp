// Reads exhibit files, and expands every exhibit of the project. tests/python/bad_files.py has mistakes.
#include "bench/plan/exhibit.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "bench/base/home.hpp"
#include "bench/data/toml_file.hpp"
#include "tests/dataset_helpers.hpp"
#include "tests/sweeps.hpp"

namespace km {
namespace {

class ExhibitFiles : public Files {
 protected:
  fs::path exhibit(const std::string& text) const {
    fs::create_directories(folder_ / "demo2000");
    return write("demo2000/table1.toml", text);
  }
};

constexpr const char* good = R"(kind = "table"
number = "Table 1"
title = "[[[[[[[[[[[[[[[[[[[[ a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a, a text is no key"
[[sweep]]
implementation = "cpu/lloyd/two_step"
dataset = "blobs"
n = "1e4:1e6:x10"
k = [4, 8]
set.packages = [1, 10]
repetitions = 5
[[sweep]]
implementation = "cpu/lloyd/naive"
dataset = "uniform"
n = 1_000_000
k = 4
data.low = -1
[profile.quick]
n = 1000
repetitions = 2
set.packages = 3
)";

TEST_F(ExhibitFiles, AreReadAsTheyAre) {
  const Exhibit read = read_exhibit(exhibit(good), "paper");
  EXPECT_EQ(read.key, "demo2000/table1");
  EXPECT_EQ(read.kind, "table");
  EXPECT_EQ(read.number, "Table 1");
  ASSERT_EQ(read.sweeps.size(), 2u);
  EXPECT_EQ(read.sweeps[0].axes.at("n"), (Scalars{whole(10'000), whole(100'000), whole(1'000'000)}));
  EXPECT_EQ(read.sweeps[0].axes.at("set.packages"), (Scalars{whole(1), whole(10)}));
  EXPECT_EQ(read.sweeps[1].axes.at("data.low"), (Scalars{whole(-1)}));
}

TEST_F(ExhibitFiles, TheQuickProfileReplaces) {
  const Exhibit read = read_exhibit(exhibit(good), "quick");
  ASSERT_EQ(read.sweeps.size(), 2u);
  for (const auto& sweep : read.sweeps) {
    EXPECT_EQ(sweep.axes.at("n"), (Scalars{whole(1000)}));
    EXPECT_EQ(sweep.axes.at("repetitions"), (Scalars{whole(2)}));
  }
  EXPECT_EQ(read.sweeps[0].axes.at("set.packages"), (Scalars{whole(3)}));
  EXPECT_EQ(read.sweeps[0].axes.at("k"), (Scalars{whole(4), whole(8)})) << "not named, so kept";
  EXPECT_FALSE(read.sweeps[1].axes.contains("set.packages")) << "a parameter only where the sweep has it";
}

TEST_F(ExhibitFiles, ShortFormsStandForLongOnes) {  // tests/python/test_exhibits.py reads the same examples
  const auto axes_of = [&](std::string_view text, const char* profile) {
    std::vector<decltype(Sweep::axes)> axes;
    for (const auto& sweep : read_exhibit(exhibit(fmt::format("kind = \"table\"\nreuse = \"a/b\"\n{}", text)), profile).sweeps)
      axes.push_back(sweep.axes);
    return axes;
  };
  const toml::table examples = read_toml(home() / "tests/expansion.toml");
  EXPECT_GE(examples.size(), 5u);
  for (const auto& [name, example] : examples)
    for (const char* profile : {"paper", "quick"})
      EXPECT_EQ(axes_of(*example.as_table()->get("short")->value<std::string>(), profile),
                axes_of(*example.as_table()->get("long")->value<std::string>(), profile))
          << name.str() << ", " << profile;
}

TEST(Exhibits, AreFoundByTheirKey) {
  EXPECT_TRUE(fs::is_regular_file(exhibit_file("he2021/table3")));
  EXPECT_EQ(exhibit_file("some/folder/table3.toml"), fs::path("some/folder/table3.toml"));
  EXPECT_EQ(exhibit_file("../he2021/table3"), fs::path("../he2021/table3"));
}

TEST(Exhibits, EveryOneExpandsInBothProfiles) {
  const auto files = exhibit_files();
  ASSERT_FALSE(files.empty());
  for (const auto& file : files)
    for (const char* profile : {"paper", "quick"}) {
      const Exhibit exhibit = read_exhibit(file, profile);
      std::size_t cases = 0;
      for (const auto& sweep : exhibit.sweeps) cases += expand(sweep, exhibit.key, profile).size();
      EXPECT_TRUE(cases > 0 || !exhibit.reuse.empty() || exhibit.kind == "machine") << file;
      EXPECT_EQ(complaint_of([&] { reused(exhibit, profile); }), "no complaint") << file;
    }
}

}  // namespace
}  // namespace km
