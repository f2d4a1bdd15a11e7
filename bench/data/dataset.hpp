// Data sets: tables of datasets/*.toml (a generator with its seed, or a file to fetch), or any file of points (bench/data/catalogue.hpp).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/contract/group.hpp"
#include "bench/data/values.hpp"

namespace km {

/// Settings of a generator or a data set: numbers by name (sigma2, radius, low, high, seed, …).
using Settings = std::map<std::string, double>;

/// Request for points.
struct DatasetRequest {
  std::string name;               // a table of datasets/*.toml, or a path
  std::optional<std::int64_t> n;  // generators: number of points; files: the first n rows; empty: the default or all
  std::optional<int> d;           // generators; files: must match if given
  std::optional<int> k;           // required by generators with as many groups (setting `groups` = 0)
  Settings settings;              // override the generator's settings, seed included; files: map = 1 or 0

  auto operator<=>(const DatasetRequest&) const = default;
};

/// Points, n x d row-major, in host memory or in a mapped file that may exceed memory. Each of several ranks has its share. T is float or double.
template <class T>
struct Dataset {
  std::string name;
  std::string hash;  // hash of all points' bytes, 32 hex digits (bench/data/hash.hpp)
  std::int64_t n = 0;
  int d = 0;
  Group* group = nullptr;            // of several ranks
  std::int64_t first = 0, rows = 0;  // this rank's share: its first row, and their number
  std::int64_t first_value = 0;      // row of the first value: `first`, or 0 where a file was read whole
  Values<T> values;
  std::vector<double> ideal_centroids;  // rows of d; empty if unknown
  std::optional<Settings> generator;    // all settings, seed and number of groups included; empty for a file

  /// This rank's points.
  std::span<const T> points() const { return {values.get() + (first - first_value) * d, std::size_t(rows) * std::size_t(d)}; }
};

/// Description of a data set, without its points.
struct DatasetInfo {
  std::string name, summary, kind;  // kind: generator | file
  std::int64_t n = 0;               // default n; 0 for a text table, whose lines are not counted
  int d = 0;                        // 0: any
  std::string licence, source;      // address of the real data
  std::string missing;              // why it cannot be loaded (file not found, …), or empty
  Settings settings = {};           // the generator's, seed included; a sweep may override each
};

/// Returns every table of datasets/*.toml, and every points file but .txt (is_points_file) in the folders of catalogue().
std::vector<DatasetInfo> list_datasets();

/// Returns n and d of a request without reading the points. Throws UserError as load_dataset does.
struct DatasetShape {
  std::int64_t n;
  int d;
};
DatasetShape dataset_shape(const DatasetRequest& request);

/// True if load_dataset maps the points instead of reading them, as values of `value_bytes` (4: float, 8: double). The setting map = 1 forces it.
/// Without the setting it maps points that exceed half of the free memory and lie in the file as needed. Throws as dataset_shape does, and for map =
/// 1 if they cannot be mapped. group: each of its ranks would read the file.
bool is_mapped(const DatasetRequest& request, std::size_t value_bytes, const Group* group = nullptr);
/// True if the points come from a file, not from a generator. Throws as dataset_shape does.
bool is_file(const DatasetRequest& request);

/// Fingerprint of the points' source, 32 hex digits: the file's bytes, or the generator's name and settings. Throws as dataset_shape does.
std::string dataset_source(const DatasetRequest& request);
/// The same for a file of initial centroids; "" for other methods.
std::string init_source(const std::string& method);

/// Returns the request without k if the points do not depend on it.
DatasetRequest without_idle_k(DatasetRequest request);

/// Generates or reads the points in parallel; the result is identical for every number of threads. Throws UserError with one line for an unknown
/// name, a missing or malformed file, a non-numeric or non-finite value, d = 0, or n out of range. Throws `Missing` for known data that is not on
/// this machine; a sweep skips the case. group: each rank makes its share alone. All read a file, or map it.
template <class T>
Dataset<T> load_dataset(const DatasetRequest& request, Group* group = nullptr);

/// Returns the group of every point that a generator placed; empty for a file, or points without groups. Throws as load_dataset does.
std::vector<std::int32_t> generated_labels(const DatasetRequest& request);

/// Writes n x d values as .npy (version 1, C order) through a temporary file, so that no partial file is left. Throws UserError.
template <class T>
void write_npy(const std::filesystem::path& path, std::span<const T> values, std::int64_t n, int d);
/// The same for n labels, as 4-byte integers in one dimension.
void write_labels(const std::filesystem::path& path, std::span<const std::int32_t> labels);
/// The same for values that fill() writes into a mapped file. They may exceed memory, because pages go to disk.
template <class T>
void fill_npy(const std::filesystem::path& path, std::int64_t n, int d, const std::function<void(std::span<T>)>& fill);
/// The same for a generator's points; returns their hash, or nothing if the request is for a file. Throws as load_dataset does.
template <class T>
std::optional<std::string> make_npy(const DatasetRequest& request, const std::filesystem::path& path);
/// The same as .csv without a header. Each number has the digits that restore it.
template <class T>
void write_csv(const std::filesystem::path& path, std::span<const T> values, std::int64_t n, int d);

constexpr std::string_view init_methods[] = {"random", "kmeans++", "greedy-kmeans++", "taylor2021"};
/// True if the method of initial centroids is a file.
bool is_init_file(const std::string& method);
/// Throws UserError for an unknown method, or a file that is missing or of another shape.
void check_init(const std::string& method, int k, int d);

/// Returns k x d initial centroids. method: random (k distinct rows, seeded), another of init_methods, or a path to a .npy of k x d.
/// Throws UserError for k < 1, k > n, or a file of another shape. Ranks call it together; k-means++ is for one process.
template <class T>
std::vector<T> initial_centroids(const Dataset<T>& dataset, int k, const std::string& method, std::uint64_t seed);

}  // namespace km
