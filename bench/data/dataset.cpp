#include "bench/data/dataset.hpp"

#include <fmt/ranges.h>

#include <ranges>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/hash.hpp"
#include "bench/data/limits.hpp"
#include "bench/data/npy.hpp"
#include "bench/machine/memory.hpp"

namespace km {
namespace {

DatasetShape shape_of(const Entry& entry, const DatasetRequest& request) {
  DatasetShape shape = file_shape(entry.file);
  const auto refuse = [&](const std::string& what) { return UserError("data set {}: {}", request.name, what); };
  for (const auto& [name, value] : request.settings) {
    if (name != "map") throw refuse(fmt::format("it is a file and has no setting '{}'; accepted: map", name));
    if (value != 0 && value != 1) throw refuse(fmt::format("map = {}, accepted: 0 and 1", value));
  }
  if (request.d && *request.d != shape.d) throw refuse(fmt::format("d = {}, but it has {} dimensions", *request.d, shape.d));
  if (request.n && (*request.n < 1 || *request.n > shape.n)) throw refuse(fmt::format("n = {}, but it has {} rows", *request.n, shape.n));
  if (request.n) shape.n = *request.n;
  return shape;
}

/// Processes that share this machine's memory.
int copies_here(const Group* group) { return group ? group->local_size() : 1; }

/// Whether a file's points are mapped, or why they cannot be.
struct Mapping {
  bool wanted;
  std::string obstacle;
};
Mapping mapping_of(const Entry& entry, const DatasetRequest& request, std::size_t value_bytes, int copies) {
  const DatasetShape shape = shape_of(entry, request);
  const std::string obstacle = unmappable(entry.file, value_bytes);
  const auto asked = request.settings.find("map");
  if (asked == request.settings.end()) {
    const double need = double(shape.n) * shape.d * double(value_bytes) * copies;
    return {obstacle.empty() && need > double(memory::available_bytes()) / 2, obstacle};
  }
  if (asked->second == 1 && !obstacle.empty()) throw UserError("data set {}: map = 1, but it cannot be mapped: {}", request.name, obstacle);
  return {asked->second == 1, obstacle};
}

/// file: where the points come from, or empty.
template <class T>
void check_finite(const std::string& name, std::span<const T> points, int d, std::int64_t first_row = 0, const std::filesystem::path& file = {}) {
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  const std::int64_t cells = std::ssize(points);
#pragma omp parallel for schedule(static) reduction(min : first)
  for (std::int64_t at = 0; at < cells; ++at)
    if (!std::isfinite(points[std::size_t(at)])) first = std::min(first, at);
  if (first == std::numeric_limits<std::int64_t>::max()) return;
  const double own = sizeof(T) == 4 && !file.empty() ? read_file<double>(file, first / d + 1)[std::size_t(first)] : points[std::size_t(first)];
  throw UserError("data set {}: row {}, column {}: {} is not a finite {} number{}", name, first_row + first / d + 1, first % d + 1, own,
                  sizeof(T) == 4 ? "fp32" : "fp64", sizeof(T) == 4 && std::isfinite(own) ? "; --precision fp64 takes it" : "");
}

/// The hash of all ranks' points. A chunk is hashed by the rank with its first byte, which makes the rest of it once more.
template <class T>
std::string hash_over_ranks(const Dataset<T>& data, const Recipe& recipe, const Generator& generator) {
  const auto row = std::size_t(data.d) * sizeof(T), all = std::size_t(data.n) * row, begin = std::size_t(data.first) * row;
  const std::size_t end = begin + std::size_t(data.rows) * row, first = (begin + hash_chunk - 1) / hash_chunk;
  std::vector<ChunkHash> mine((end + hash_chunk - 1) / hash_chunk - first);
#pragma omp parallel for schedule(dynamic)
  for (std::size_t at = 0; at < mine.size(); ++at) {
    const std::size_t from = (first + at) * hash_chunk, to = std::min(from + hash_chunk, all);
    if (to > end) continue;
    mine[at] = hash_of_chunk(reinterpret_cast<const char*>(data.values.get()) + (from - begin), to - from);
  }
  if (const std::size_t last = first + mine.size(); !mine.empty() && std::min(last * hash_chunk, all) > end) {
    const std::size_t from = (last - 1) * hash_chunk, to = std::min(from + hash_chunk, all);
    std::vector<T> rest((to + row - 1) / row * data.d - from / row * data.d);
    generator.make<T>(recipe, std::int64_t(from / row), std::span(rest));
    mine.back() = hash_of_chunk(reinterpret_cast<const char*>(rest.data()) + from % row, to - from);
  }
  return hash_of(gathered(data.group, std::move(mine)));
}

}  // namespace

Recipe resolved_recipe(const Entry& entry, const DatasetRequest& request) {
  Recipe r = entry.recipe;
  const auto refuse = [&](const std::string& what) { return UserError("data set {}: {}", request.name, what); };
  r.n = request.n.value_or(r.n);
  r.d = request.d.value_or(r.d);
  r.k = request.k.value_or(r.k);
  const int fixed_d = entry.generator->fixed_d ? entry.generator->fixed_d : r.centroids.empty() ? 0 : entry.recipe.d;
  if (r.n < 1) throw refuse(fmt::format("n = {}, at least 1 is needed", r.n));
  if (r.d < 1) throw refuse(fmt::format("d = {}, at least 1 is needed", r.d));
  if (r.d > most_dimensions) throw refuse(fmt::format("d = {}, at most {} are accepted", r.d, most_dimensions));
  if (r.k < 1) throw refuse(fmt::format("k = {}, at least 1 is needed", r.k));
  if (fixed_d && r.d != fixed_d) throw refuse(fmt::format("d = {}, but it has {} dimensions", r.d, fixed_d));
  if (double(r.n) * r.d > 1e15) throw refuse(fmt::format("n = {} is out of range", r.n));
  for (const auto& [name, value] : request.settings) {
    if (!std::isfinite(value)) throw refuse(fmt::format("{} = {} is not finite", name, value));
    if (name == "seed") {
      if (value < 0 || value != std::floor(value) || value > 0x1p53)
        throw refuse(fmt::format("seed = {}, a whole number from 0 to 2^53 is needed", value));
      r.seed = std::uint64_t(value);
    } else if (const auto at = r.settings.find(name); at != r.settings.end()) {
      at->second = value;
    } else {
      throw refuse(
          fmt::format("no setting '{}'; accepted: {}{}seed", name, fmt::join(r.settings | std::views::keys, ", "), r.settings.empty() ? "" : ", "));
    }
  }
  if (entry.generator->has_groups()) {  // number of groups: the setting, else k
    double& groups = r.settings.at("groups");
    if (!r.centroids.empty() && groups != 0 && groups != entry.recipe.k)
      throw refuse(fmt::format("groups = {}, but its table has {} centroids", groups, entry.recipe.k));
    if (!r.centroids.empty()) groups = entry.recipe.k;
    if (groups < 0 || groups != std::floor(groups) || groups > 1e9) throw refuse(fmt::format("groups = {}, a whole number is needed", groups));
    if (groups == 0) groups = r.k;
    r.k = int(groups);
    if (double(r.k) * r.d > 1e8) throw refuse(fmt::format("{} groups of {} dimensions are more than 1e8 numbers", r.k, r.d));
  }
  for (const char* share : {"purity", "ordered", "sigma2_is_deviation"})
    if (const auto at = r.settings.find(share); at != r.settings.end() && !(at->second >= 0 && at->second <= 1))
      throw refuse(fmt::format("{} = {}, accepted: 0 to 1", share, at->second));
  for (const char* positive : {"radius", "sigma2", "noise", "stretch", "turns"})
    if (const auto at = r.settings.find(positive); at != r.settings.end() && at->second < 0)
      throw refuse(fmt::format("{} = {} is negative", positive, at->second));
  if (r.settings.contains("low") && r["low"] > r["high"]) throw refuse(fmt::format("low = {} is above high = {}", r["low"], r["high"]));
  return r;
}

std::vector<DatasetInfo> list_datasets() {
  std::vector<DatasetInfo> list;
  for (auto& [name, entry] : catalogue()) {
    if (!entry.file.empty() && !is_text_table(entry.file)) try {
        const DatasetShape shape = file_shape(entry.file);
        entry.info.n = shape.n;
        entry.info.d = shape.d;
      } catch (const UserError& malformed) {
        entry.info.missing = malformed.what();
      }
    if (entry.generator) {
      entry.info.settings = entry.recipe.settings;
      entry.info.settings["seed"] = double(entry.recipe.seed);
    }
    list.push_back(std::move(entry.info));
  }
  return list;
}

DatasetShape dataset_shape(const DatasetRequest& request) {
  const Entry entry = find_entry(request.name);
  if (!entry.generator) return shape_of(entry, request);
  const Recipe recipe = resolved_recipe(entry, request);
  return {recipe.n, recipe.d};
}

DatasetRequest without_idle_k(DatasetRequest request) {
  const Entry entry = find_entry(request.name);
  bool idle = !entry.generator || !entry.generator->has_groups() || !entry.recipe.centroids.empty();
  if (!idle) {
    const auto wished = request.settings.find("groups");
    idle = (wished == request.settings.end() ? entry.recipe["groups"] : wished->second) != 0;
  }
  if (idle) request.k.reset();
  return request;
}

bool is_file(const DatasetRequest& request) { return !find_entry(request.name).generator; }

bool is_mapped(const DatasetRequest& request, std::size_t value_bytes, const Group* group) {
  const Entry entry = find_entry(request.name);
  return !entry.generator && mapping_of(entry, request, value_bytes, copies_here(group)).wanted;
}

template <class T>
Dataset<T> load_dataset(const DatasetRequest& request, Group* group) {
  const Entry entry = find_entry(request.name);
  Dataset<T> dataset;
  dataset.name = request.name;
  dataset.group = group;
  const auto take_share = [&](const DatasetShape& whole) {
    const int rank = group ? group->rank() : 0, size = group ? group->size() : 1;
    dataset.n = whole.n, dataset.d = whole.d;
    dataset.first = first_row(whole.n, rank, size);
    dataset.rows = first_row(whole.n, rank + 1, size) - dataset.first;
  };
  if (entry.generator) {
    const Recipe recipe = resolved_recipe(entry, request);
    take_share({recipe.n, recipe.d});
    memory::check("data set " + dataset.name, dataset.rows * copies_here(group), dataset.d, sizeof(T));
    const auto values = std::size_t(dataset.rows) * std::size_t(recipe.d);
    dataset.values = make_values<T>(values);
    dataset.first_value = dataset.first;
    entry.generator->make<T>(recipe, dataset.first, {dataset.values.get(), values});
    if (group) dataset.hash = hash_over_ranks(dataset, recipe, *entry.generator);
    if (entry.generator->has_ideal) dataset.ideal_centroids = group_centroids(recipe);
    dataset.generator = recipe.settings;
    dataset.generator->emplace("seed", double(recipe.seed));
  } else {
    const DatasetShape shape = shape_of(entry, request);
    take_share(shape);
    const Mapping mapping = mapping_of(entry, request, sizeof(T), copies_here(group));
    if (mapping.wanted) {
      auto rows = map_npy<T>(entry.file, shape.n);
      dataset.values = std::move(rows.values);
      dataset.hash = std::move(rows.hash);
      return dataset;
    }
    memory::check("data set " + dataset.name, dataset.n * copies_here(group), dataset.d, sizeof(T),
                  mapping.obstacle.empty() ? "; map = 1 leaves them in the file" : "; it cannot be mapped: " + mapping.obstacle);
    dataset.values = read_file<T>(entry.file, shape.n);
  }
  const std::int64_t rows = entry.generator ? dataset.rows : dataset.n;  // every rank reads all of a file
  const std::span<const T> read(dataset.values.get(), std::size_t(rows) * std::size_t(dataset.d));
  check_finite(dataset.name, read, dataset.d, dataset.first_value, entry.file);
  if (dataset.hash.empty()) dataset.hash = hash_of(read.data(), read.size_bytes());
  return dataset;
}

std::vector<std::int32_t> generated_labels(const DatasetRequest& request) {
  const Entry entry = find_entry(request.name);
  if (!entry.generator || !entry.generator->has_groups()) return {};
  const Recipe recipe = resolved_recipe(entry, request);
  if (const auto purity = recipe.settings.find("purity"); purity != recipe.settings.end() && purity->second == 0) return {};
  std::vector<std::int32_t> labels(static_cast<std::size_t>(recipe.n));
  groups_from(recipe, 0, labels);
  return labels;
}

template <class T>
std::optional<std::string> make_npy(const DatasetRequest& request, const std::filesystem::path& path) {
  const Entry entry = find_entry(request.name);
  if (!entry.generator) return std::nullopt;
  const Recipe recipe = resolved_recipe(entry, request);
  std::string hash;
  fill_npy<T>(path, recipe.n, recipe.d, [&](std::span<T> points) {
    entry.generator->make<T>(recipe, 0, points);
    check_finite<T>(request.name, points, recipe.d);
    hash = hash_of(points.data(), points.size_bytes());
  });
  return hash;
}

template std::optional<std::string> make_npy<float>(const DatasetRequest&, const std::filesystem::path&);
template std::optional<std::string> make_npy<double>(const DatasetRequest&, const std::filesystem::path&);
template Dataset<float> load_dataset(const DatasetRequest&, Group*);
template Dataset<double> load_dataset(const DatasetRequest&, Group*);

}  // namespace km
