// Data sets: named tables of datasets/*.toml (a generator with its seed, or a file to fetch), or any .npy, .csv, .npy.xz file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bench/data/values.hpp"

namespace km {

/// A generator's settings, or a data set's: numbers by name (sigma2, radius, low, high, seed, …).
using Settings = std::map<std::string, double>;

/// Which points are wanted.
struct DatasetRequest {
  std::string name;               // a table of datasets/*.toml, or a path
  std::optional<std::int64_t> n;  // generators: how many to make; files: the first n rows; empty: the default or all
  std::optional<int> d;           // generators; files: must match where given
  std::optional<int> k;           // the k to look for: generators that place as many groups (setting `groups` = 0) need it
  Settings settings;              // overrides of the generator's settings, seed among them; files: map = 1 or 0

  auto operator<=>(const DatasetRequest&) const = default;
};

/// The points, n x d row-major: in host memory, or in a mapped file, where they are never all at once. T is float or double.
template <class T>
struct Dataset {
  std::string name;
  std::string hash;  // of the points' bytes, 32 hex digits (bench/data/hash.hpp)
  std::int64_t n = 0;
  int d = 0;
  Values<T> values;                     // n * d
  std::vector<double> ideal_centroids;  // rows of d; empty where unknown
  std::optional<Settings> generator;    // what made it, seed and number of groups included; empty for a file

  std::span<const T> points() const { return {values.get(), static_cast<std::size_t>(n) * static_cast<std::size_t>(d)}; }
};

/// What a data set is, without making it.
struct DatasetInfo {
  std::string name, summary, kind;  // kind: generator | file
  std::int64_t n = 0;               // default n; 0 for a .csv, whose lines are not counted
  int d = 0;                        // 0: any
  std::string licence, source;      // address of a real one
  std::string missing;              // why it cannot be loaded now (file not found, …), or empty
  Settings settings = {};           // of a generator, seed included; a sweep may override each
};

/// Every table of datasets/*.toml and every .npy/.csv/.npy.xz found under KMBENCH_DATA (a ':'-separated search path) and data/.
std::vector<DatasetInfo> list_datasets();

/// n and d a request will yield, without reading the points. Throws UserError as load_dataset does.
struct DatasetShape {
  std::int64_t n;
  int d;
};
DatasetShape dataset_shape(const DatasetRequest& request);

/// Whether load_dataset will map the points from their file instead of reading it, as values of that size (4: float, 8: double): where the
/// setting map = 1 says so, and without the setting where they would take more than half of the free memory and lie in the file as they
/// are needed. Throws as dataset_shape does, and for map = 1 where they cannot be mapped.
bool is_mapped(const DatasetRequest& request, std::size_t value_bytes);

/// What the points come from, 32 hex digits: the bytes of the file, or the generator's name and all its settings. Other points, another
/// fingerprint. Throws as dataset_shape does.
std::string dataset_source(const DatasetRequest& request);
/// The same of a file of initial centroids; "" for a method that is none.
std::string init_source(const std::string& method);

/// The same points, asked for without a k on which they do not depend.
DatasetRequest without_idle_k(DatasetRequest request);

/// Make or read the points: parallel, and identical for every number of threads. Throws UserError (bench/error.hpp) with one
/// line for an unknown name, a missing or malformed file, a non-numeric or non-finite value, d = 0, n out of range.
/// `Missing` (a UserError) marks data that is known but not on this machine: a sweep skips such a case with that reason.
template <class T>
Dataset<T> load_dataset(const DatasetRequest& request);

/// Write n x d values as .npy (version 1, C order), through a temporary file beside it, so that no half file is left. Throws UserError.
template <class T>
void write_npy(const std::filesystem::path& path, std::span<const T> values, std::int64_t n, int d);
/// The same for values that fill() makes where they go: they may exceed the memory, for pages go to the disk as they fill.
template <class T>
void fill_npy(const std::filesystem::path& path, std::int64_t n, int d, const std::function<void(std::span<T>)>& fill);
/// A generator's points made so: their hash; nothing where the request is for a file. Throws as load_dataset does.
template <class T>
std::optional<std::string> make_npy(const DatasetRequest& request, const std::filesystem::path& path);
/// Likewise as .csv, without a header; each number with the digits that give it back.
template <class T>
void write_csv(const std::filesystem::path& path, std::span<const T> values, std::int64_t n, int d);

/// Throws UserError for a method that is none, or a file that is missing or of another shape.
void check_init(const std::string& method, int k, int d);

/// k x d initial centroids of the points. method: random (k distinct rows, seeded) | kmeans++ | a path to a .npy of k x d.
/// Throws UserError for k < 1, k > n, or a file of another shape.
template <class T>
std::vector<T> initial_centroids(const Dataset<T>& dataset, int k, const std::string& method, std::uint64_t seed);

}  // namespace km
