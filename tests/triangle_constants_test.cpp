// The file with the constants of gpu/triangle/hybrid's cost model: exact digits, bad files refused, no failure without a folder.
#include <gtest/gtest.h>

#include "impl/gpu/triangle/constants.hpp"

namespace km {
namespace {

using triangle::Constants;

class TriangleConstants : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::remove_all(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / ("constants" + std::to_string(::getpid()));
  const std::filesystem::path file = folder / "card.txt";
};

TEST_F(TriangleConstants, AreKeptDigitByDigit) {
  const Constants given{1.0 / 3e12, 4.7e-9, 6e-13};
  triangle::write_constants(file, given);
  const Constants found = triangle::read_constants(file);
  EXPECT_EQ(found.a, given.a);
  EXPECT_EQ(found.b, given.b);
  EXPECT_EQ(found.c, given.c);
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1) << "no draft is left behind";
}

TEST_F(TriangleConstants, AreMeasuredAnewWhereTheFileMakesNoSense) {
  EXPECT_FALSE(triangle::read_constants(file).usable()) << "no file";
  std::filesystem::create_directories(folder);
  for (const char* text : {"", "1e-12 2e-9", "1e-12 2e-9 0", "1e-12 -2e-9 1e-12", "nan 1 1", "1e-12 2e-9 1e-12 7", "a b c", "1e999 1 1"}) {
    std::ofstream(file) << text;
    EXPECT_FALSE(triangle::read_constants(file).usable()) << text;
  }
}

TEST_F(TriangleConstants, AreNotMissedWhereNoFileCanLie) {
  std::filesystem::create_directories(folder.parent_path());
  std::ofstream(folder) << "a file where the folder should be";
  EXPECT_NO_THROW(triangle::write_constants(file, {1, 1, 1}));
  EXPECT_FALSE(triangle::read_constants(file).usable());
}

}  // namespace
}  // namespace km
