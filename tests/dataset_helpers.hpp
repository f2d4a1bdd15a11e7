// Helpers of data tests: requests, the text of a refusal, files in a folder of their own, a hand-made .npy.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "bench/base/error.hpp"
#include "bench/data/dataset.hpp"

namespace km {

namespace fs = std::filesystem;

inline DatasetRequest request(const std::string& name, std::int64_t n, Settings settings = {}) {
  return {.name = name, .n = n, .settings = std::move(settings)};
}

template <class Call>
std::string complaint_of(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no complaint";
}

inline std::string complaint(const DatasetRequest& request) {
  return complaint_of([&] { load_dataset<float>(request); });
}

inline void expect_shows(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(text.find(word), text.npos) << word << " in:\n" << text;
}

inline void expect_lacks(const std::string& text, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_EQ(text.find(word), text.npos) << word << " in:\n" << text;
}

/// One line that holds these words.
inline void expect_has(const std::string& text, std::initializer_list<const char*> words) {
  expect_shows(text, words);
  EXPECT_EQ(text.find('\n'), text.npos) << text;
}

class Files : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("kmbench_dataset_test_" + std::to_string(getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return (folder_ / name).string();
  }

  fs::path folder_;
};

/// A file of version 1 with this type, order, shape and values.
inline std::string npy(const std::string& type, bool fortran, const std::string& shape, const std::string& values) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  header.append(117 - header.size(), ' ').push_back('\n');
  return std::string("\x93NUMPY\x01\0", 8) + char(header.size()) + '\0' + header + values;
}

template <class V>
std::string bytes_of(std::initializer_list<V> values) {
  return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(V)};
}

inline std::vector<double> values_of(const std::string& path) {
  const auto data = load_dataset<double>({.name = path});
  return {data.points().begin(), data.points().end()};
}

}  // namespace km
