// Readers of .npy, .npy.xz and .csv: what they accept, and where they say a file is wrong.
#include <lzma.h>

#include <cmath>

#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

std::string packed(const std::string& plain) {
  std::string out(plain.size() + 1024, '\0');
  std::size_t size = 0;
  lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, nullptr, reinterpret_cast<const std::uint8_t*>(plain.data()), plain.size(),
                          reinterpret_cast<std::uint8_t*>(out.data()), &size, out.size());
  return out.substr(0, size);
}

TEST_F(Files, NpyOfEveryTypeAndBothOrders) {
  const std::vector<double> expected = {1, 2, 3, 4, 5, 6};
  const auto check = [&]<class V>(const char* type, V) {
    EXPECT_EQ(values_of(write("c.npy", npy(type, false, "(2, 3)", bytes_of<V>({1, 2, 3, 4, 5, 6})))), expected) << type;
    EXPECT_EQ(values_of(write("f.npy", npy(type, true, "(2, 3)", bytes_of<V>({1, 4, 2, 5, 3, 6})))), expected) << type;
  };
  check("<f4", float{});
  check("<f8", double{});
  check("|u1", std::uint8_t{});
  check("|i1", std::int8_t{});
  check("<u2", std::uint16_t{});
  check("<i2", std::int16_t{});
  check("<i4", std::int32_t{});
  check("<i8", std::int64_t{});
  EXPECT_EQ(values_of(write("n.npy", npy("|i1", false, "(1, 2)", bytes_of<std::int8_t>({-1, -128})))), (std::vector<double>{-1, -128}));
}

TEST_F(Files, NpyRoundTripAndXz) {
  const std::vector<float> values = {1.5f, -2, 3e30f, 4, 5, 6};
  write_npy<float>(folder_ / "w.npy", values, 3, 2);
  EXPECT_EQ(values_of((folder_ / "w.npy").string()), std::vector<double>(values.begin(), values.end()));
  std::ifstream in(folder_ / "w.npy", std::ios::binary);
  const std::string plain{std::istreambuf_iterator<char>(in), {}};
  EXPECT_EQ(values_of(write("x.npy.xz", packed(plain))), std::vector<double>(values.begin(), values.end()));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2) << "a temporary file was left";
  const std::string broken = packed(plain);
  expect_has(complaint_of([&] { values_of(write("y.npy.xz", broken.substr(0, broken.size() / 2))); }), {"y.npy.xz"});
}

TEST_F(Files, MalformedNpyIsRefused) {
  const auto refused = [&](const std::string& bytes) { return complaint_of([&] { values_of(write("bad.npy", bytes)); }); };
  expect_has(refused(npy("<f4", false, "(6,)", bytes_of<float>({1, 2, 3, 4, 5, 6}))), {"bad.npy", "rows x columns"});
  expect_has(refused(npy(">f4", false, "(1, 1)", "abcd")), {">f4"});
  expect_has(refused(npy("<c8", false, "(1, 1)", "abcdefgh")), {"<c8"});
  expect_has(refused(npy("<f8", false, "(2, 2)", "abcdefgh")), {"cut short"});
  expect_has(refused(npy("<f8", false, "(2, 0)", "")), {"no points"});
  expect_has(refused("hello"), {"not a .npy"});
  expect_has(refused(""), {"empty"});
  expect_has(refused(npy("<f4", false, "(2, 2)", bytes_of<float>({1, 2, 3, NAN}))), {"row 2", "column 2", "nan"});
  expect_has(complaint({.name = write("big.npy", npy("<f8", false, "(1, 2)", bytes_of<double>({1, 1e300}))), .n = {}, .d = {}, .k = {}, .settings = {}}),
             {"column 2", "fp32"});
  expect_has(complaint_of([&] { values_of((folder_ / "none.npy").string()); }), {"no such file"});
}

TEST_F(Files, CsvOfEverySeparator) {
  const std::vector<double> expected = {1, 2.5, -3, 4e2};
  for (const char* text : {"1,2.5\n-3,4e2\n", "a;b\r\n1;2.5\r\n-3;+4e2", "1\t2.5\n-3\t400\n", "  1   2.5\n-3 400\n\n", "x, y\n1, 2.5\n-3, 400\n"})
    EXPECT_EQ(values_of(write("t.csv", text)), expected) << text;
}

TEST_F(Files, CsvErrorsSayWhere) {
  const auto refused = [&](const std::string& text) { return complaint_of([&] { values_of(write("bad.csv", text)); }); };
  expect_has(refused("a,b\n1,2\n3,?\n?,4\n"), {"bad.csv", "row 2", "column 2", "'?'"});
  expect_has(refused("1,2\n3\n"), {"row 2", "column 2", "missing"});
  expect_has(refused("1,2\n3,4,5\n"), {"row 2", "column 3", "2 columns"});
  expect_has(refused("1,2\n3,inf\n"), {"row 2", "column 2", "inf"});
  expect_has(refused("a,b\n"), {"no rows"});
}

TEST_F(Files, TakeTheirFirstRowsAndNoSettings) {
  const std::string path = write("t.csv", "1,2\n3,4\n5,6\n");
  const DatasetRequest two = request(path, 2);
  EXPECT_EQ(dataset_shape(two).n, 2);
  EXPECT_EQ(load_dataset<float>(two).values[3], 4);
  expect_has(complaint(request(path, 4)), {"n = 4", "3 rows"});
  expect_has(complaint(request(path, 2, {{"seed", 1}})), {"seed"});
  expect_has(complaint({.name = path, .n = {}, .d = 3, .k = {}, .settings = {}}), {"d = 3", "2 dimensions"});
}

}  // namespace
}  // namespace km
