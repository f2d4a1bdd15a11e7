// Readers of .npy, .npz, .npy.xz and text accept good files. tests/python/bad_files.py has bad ones.
#include <lzma.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <ostream>
#include <string>

#include "bench/base/write_whole.hpp"
#include "bench/data/csv.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/points.hpp"
#include "tests/dataset_helpers.hpp"

namespace km {
namespace {

using namespace std::string_literals;

/// A .npy file with this header, padded by nothing.
std::string npy_of(const std::string& header, const std::string& values = "", char version = 1) {
  const std::string size = {char(header.size() & 0xff), char(header.size() >> 8)};
  return "\x93NUMPY" + std::string{version, 0} + size + (version == 1 ? "" : std::string(2, '\0')) + header + values;
}

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

TEST_F(Files, NpyOfHalfPrecision) {
  const auto halves = bytes_of<std::uint16_t>({0x3c00, 0xc000, 0x7bff, 0x0001, 0x0400, 0x8000});
  const std::vector<double> expected = {1, -2, 65504, 0x1p-24, 0x1p-14, 0};
  EXPECT_EQ(values_of(write("h.npy", npy("<f2", false, "(3, 2)", halves))), expected);
  expect_has(complaint_of([&] { values_of(write("inf.npy", npy("<f2", false, "(1, 1)", bytes_of<std::uint16_t>({0x7c00})))); }), {"row 1", "inf"});
}

TEST_F(Files, APixelOfAnImageIsAPoint) {
  const auto pixels = bytes_of<std::uint8_t>({1, 2, 3, 4, 5, 6});
  const auto data = load_dataset<float>({.name = write("image.npy", npy("|u1", false, "(1, 2, 3)", pixels))});
  EXPECT_EQ(data.n, 2);
  EXPECT_EQ(data.d, 3);
  EXPECT_EQ(data.values[4], 5);
}

TEST_F(Files, NpyOfOneDimensionIsAColumn) {
  const std::string path = write("labels.npy", npy("<i4", false, "(3,)", bytes_of<std::int32_t>({2, 0, 1})));
  const DatasetShape shape = dataset_shape({.name = path});
  EXPECT_EQ(shape.n, 3);
  EXPECT_EQ(shape.d, 1);
  EXPECT_EQ(values_of(path), (std::vector<double>{2, 0, 1}));
}

TEST_F(Files, NpyHeadersAreReadFromLeftToRight) {
  const std::string header = "{'shape':(2,2,),'descr':'<f4' , 'fortran_order':False}\n", values = bytes_of<float>({1, 2, 3, 4});
  for (const char version : {1, 2, 3})
    EXPECT_EQ(values_of(write("v.npy", npy_of(header, values, version))), (std::vector<double>{1, 2, 3, 4})) << int(version);
}

TEST_F(Files, CapitalEndingsAreTheSame) {
  EXPECT_EQ(values_of(write("T.TXT", "1 2\n3 4\n")), (std::vector<double>{1, 2, 3, 4}));
  const std::string plain = npy("<f4", false, "(1, 2)", bytes_of<float>({1, 2}));
  EXPECT_EQ(values_of(write("C.NPY", plain)), (std::vector<double>{1, 2}));
  EXPECT_EQ(values_of(write("X.Npy.XZ", packed(plain))), (std::vector<double>{1, 2}));
}

/// An archive of these members, stored.
std::string zip_of(const std::vector<std::pair<std::string, std::string>>& members) {
  const auto little = [](std::size_t value, int bytes) {
    std::string text;
    for (int i = 0; i < bytes; ++i) text += char(value >> 8 * i & 0xff);
    return text;
  };
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    const std::string sizes = little(content.size(), 4) + little(content.size(), 4) + little(name.size(), 2);
    directory += "PK\1\2" + std::string(16, '\0') + sizes + std::string(12, '\0') + little(archive.size(), 4) + name;
    archive += "PK\3\4" + std::string(14, '\0') + sizes + std::string(2, '\0') + name + content;
  }
  const std::string count = little(members.size(), 2);
  return archive + directory + "PK\5\6" + std::string(4, '\0') + count + count + little(directory.size(), 4) + little(archive.size(), 4) + "\0\0"s;
}

TEST_F(Files, NpzIsItsArray) {
  const std::string one = npy("<f4", false, "(1, 2)", bytes_of<float>({1, 2})), other = npy("<f4", false, "(1, 2)", bytes_of<float>({3, 4}));
  EXPECT_EQ(values_of(write("one.npz", zip_of({{"arr_0.npy", one}}))), (std::vector<double>{1, 2}));
  EXPECT_EQ(values_of(write("two.npz", zip_of({{"y.npy", one}, {"X.npy", other}, {"note.txt", "x"}}))), (std::vector<double>{3, 4}));
  const auto refused = [&](const std::string& bytes) { return complaint_of([&] { values_of(write("bad.npz", bytes)); }); };
  expect_has(refused(zip_of({{"a.npy", one}, {"b.npy", other}})), {"bad.npz", "a, b", "points or X"});
  expect_has(refused(zip_of({{"note.txt", "x"}})), {"holds no array"});
  expect_has(refused(zip_of({{"a.npy", one.substr(0, 130)}})), {"cut short"});
  expect_has(refused("PK"), {"not a .npz"});
  const std::string whole = zip_of({{"a.npy", one}});
  for (std::size_t at = 0; at < whole.size(); ++at) {  // a damaged file is read or refused
    std::string damaged = whole;
    damaged[at] = char(damaged[at] ^ 0x55);
    try {
      values_of(write("bad.npz", damaged));
    } catch (const UserError&) {}
  }
}

TEST_F(Files, AreReplacedThroughLinksAndDevicesAreNot) {
  const auto file = folder_ / "file", link = folder_ / "link", device = folder_ / "null";
  write_whole(file, "before");
  std::filesystem::create_symlink(file, link);
  std::filesystem::create_symlink("/dev/null", device);
  write_whole(link, "after");
  write_whole(device, "nothing");
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
  const auto full = [](std::ostream& out) { out << "torn", out.setstate(std::ios::failbit); };
  expect_has(complaint_of([&] { write_whole(file, full); }), {"cannot write", "file"});
  std::ifstream in(file);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "after");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_), {}), 3);  // no part is left
}

TEST_F(Files, CsvOfEverySeparator) {
  const std::vector<double> expected = {1, 2.5, -3, 4e2};
  for (const char* text : {"1,2.5\n-3,4e2\n", "a;b\r\n1;2.5\r\n-3;+4e2", "1\t2.5\n-3\t400\n", "  1   2.5\n-3 400\n\n", "x, y\n1, 2.5\n-3, 400\n",
                           "\"1\",\"2.5\"\n\"-3\",4e2\n",
                           "\xef\xbb\xbf"
                           "1,2.5\n-3,400\n",
                           "\xef\xbb\xbf\"x, in m\",y\n1,2.5\n-3,400\n", ",y\n1,2.5\n-3,400"})
    EXPECT_EQ(values_of(write("t.csv", text)), expected) << text;
}

TEST_F(Files, TextTablesHaveThreeEndings) {
  for (const char* name : {"t.csv", "t.tsv", "t.txt"})
    EXPECT_EQ(values_of(write(name, "# x\ty\n1\t2\n# between\n3\t4\n")), (std::vector<double>{1, 2, 3, 4})) << name;
  expect_has(complaint_of([&] { values_of(write("t.dat", "1 2\n")); }), {"t.dat", ".csv, .tsv or .txt"});
}

TEST_F(Files, SomeColumnsOfAText) {
  const std::string path = write("iris.csv", "length,width,class\n1,2,setosa\n3,4,virginica\n");
  EXPECT_EQ(csv_names(path), (std::vector<std::string>{"length", "width", "class"}));
  const auto values = read_csv<double>(path, 2, {1});
  EXPECT_EQ(std::vector<double>(values.get(), values.get() + 2), (std::vector<double>{2, 4}));
  expect_has(complaint_of([&] { read_csv<double>(path, 2); }), {"line 2", "column 3", "'setosa'"});
  expect_has(complaint_of([&] { read_csv<double>(write("short.csv", "1,2,a\n3,4\n"), 2, {0}); }), {"line 2", "column 3: missing"});
}

TEST(Columns, AreChosenByNameAndNumber) {
  const std::vector<std::string> names = {"length", "width", "class"};
  using Chosen = std::vector<int>;
  EXPECT_EQ(chosen_columns("", "", {}, 3), (Chosen{0, 1, 2}));
  EXPECT_EQ(chosen_columns("3,1", "", {}, 3), (Chosen{0, 2}));
  EXPECT_EQ(chosen_columns("2-3", "", {}, 3), (Chosen{1, 2}));
  EXPECT_EQ(chosen_columns("width,length", "", names, 3), (Chosen{0, 1}));
  EXPECT_EQ(chosen_columns("", "class", names, 3), (Chosen{0, 1}));
  EXPECT_EQ(chosen_columns("1-3", "2", names, 3), (Chosen{0, 2}));
  for (const char* list : {"0", "4", "2-4", "2-0", "height", ",", "1,,2", "-", "1-", "-1", "1.5"})
    expect_has(complaint_of([&] { chosen_columns(list, "", names, 3); }), {"--columns", "no such column", "length, width, class"});
  expect_has(complaint_of([&] { chosen_columns("", "1-3", {}, 3); }), {"leaves no column"});
}

TEST_F(Files, TakeTheirFirstRowsAndNoSettings) {
  const std::string path = write("t.csv", "1,2\n3,4\n5,6\n");
  const DatasetRequest two = request(path, 2);
  EXPECT_EQ(dataset_shape(two).n, 2);
  EXPECT_EQ(load_dataset<float>(two).values[3], 4);
  expect_has(complaint(request(path, 4)), {"n = 4", "3 rows"});
  expect_has(complaint(request(path, 2, {{"seed", 1}})), {"seed"});
  expect_has(complaint({.name = path, .d = 3}), {"d = 3", "2 dimensions"});
}

/// Two points far apart in both of two dimensions are at 8 x²; the judge adds up n such distances in fp64.
TEST_F(Files, HoldPointsUpToWhereDistancesOverflow) {
  const auto reaches = [&]<class T>(T greatest, double distances) {
    for (const double share : {0.999, 1.001}) {
      const T x = T(share * std::sqrt(double(greatest) / distances)), values[] = {x, x, -x, -x};
      write_npy<T>(folder_ / "far.npy", values, 2, 2);
      const auto load = [&] { load_points<T>({.name = (folder_ / "far.npy").string()}); };
      if (share < 1) EXPECT_NO_THROW(load());
      else EXPECT_THROW(load(), CannotRun);
    }
  };
  reaches(std::numeric_limits<float>::max(), 8);
  reaches(std::numeric_limits<double>::max(), 8 * 2);
}

TEST(LastPoints, IsOneDataSetOfOnePrecision) {
  const DatasetRequest some = request("blobs", 100), others = request("blobs", 200);
  const std::weak_ptr<const Points<float>> fp32 = points_of<float>(some);
  EXPECT_EQ(points_of<float>(some).get(), fp32.lock().get()) << "is kept";
  const std::weak_ptr<const Points<double>> fp64 = points_of<double>(some);
  EXPECT_TRUE(fp32.expired());
  EXPECT_TRUE(last_points.keep(some, 8));
  EXPECT_FALSE(fp64.expired());
  EXPECT_FALSE(last_points.keep(others, 8));
  EXPECT_TRUE(fp64.expired()) << "freed before others are loaded";
}

}  // namespace
}  // namespace km
