#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/data/hash.hpp"
#include "bench/plan/case.hpp"

namespace km {
namespace {

Json json_of(const Config& config) {
  Json object = Json::object();
  for (const auto& [name, value] : config.values()) object[name] = km::json_of(value);
  return object;
}

template <class T>
Json json_of(const T& value) {
  return value;
}
template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

template <class T>
void read(const Json& from, T& value) {
  from.get_to(value);
}
template <class T>
void read(const Json& from, std::optional<T>& value) {
  if (!from.is_null()) value = from.get<T>();
}
void read(const Json& from, Config& config) {
  std::map<std::string, Value, std::less<>> values;
  for (const auto& [name, value] : from.items()) values.emplace(name, *value_of(value));
  config = Config(std::move(values));
}

/// Every field but `implementation`.
auto fields_of(auto& c) {
  auto& points = c.dataset;
  return std::tie(c.exhibit, c.profile, c.implementation_name, c.config, points.name, points.n, points.d, points.k, points.settings, c.n, c.d, c.k,
                  c.precision, c.max_iters, c.tolerance, c.init, c.init_seed, c.repetitions, c.warmup, c.once, c.continues, c.dataset_source,
                  c.init_source, c.exhibit_hash, c.skip, c.launch, c.tuned, c.order, c.judge_seed);
}

}  // namespace

Json json_of(const Value& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

std::optional<Value> value_of(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  return json.is_number_integer() ? std::optional<Value>(json.get<std::int64_t>()) : std::nullopt;
}

Json Case::identity() const {
  Json dataset_json = {{"name", dataset.name}};
  for (const auto& [name, value] : dataset.settings) dataset_json["settings"][name] = value;
  if (!dataset_source.empty()) dataset_json["source"] = dataset_source;
  Json init_json = {{"method", init}, {"seed", init_seed}, {"source", init_source.empty() ? Json() : Json(init_source)}};
  Json identity = {{"exhibit", exhibit.empty() ? Json() : Json(exhibit)},
                   {"profile", profile},
                   {"implementation", implementation_name},
                   {"parameters", json_of(config)},
                   {"dataset", dataset_json},
                   {"n", n},
                   {"d", d},
                   {"k", k},
                   {"precision", precision_name()},
                   {"init", init_json},
                   {"max_iters", max_iters},
                   {"tolerance", tolerance < 0 ? Json() : Json(tolerance)}};
  if (!launch.empty()) identity["ranks"]["launch"] = launch;
  return identity;
}

std::string Case::id() const {
  const std::string text = identity().dump();
  return hash_of(text.data(), text.size()).substr(0, 16);
}

std::string Case::name() const {
  std::string text = exhibit.empty() ? "" : exhibit + "/";
  text += fmt::format("{}/{}/n:{}/d:{}/k:{}/{}", implementation_name, dataset.name, n, d, k, precision_name());
  for (const auto& [key, value] : dataset.settings) text += fmt::format("/{}:{}", key, value);
  for (const auto& [key, value] : config.values()) text += fmt::format("/{}:{}", key, to_string(value));
  if (tolerance >= 0) text += fmt::format("/tol:{}", tolerance);
  text += fmt::format("/iters:{}", max_iters);
  text += fmt::format("/{}{}", init, init_seed);
  return launch.empty() ? text : text + "/launch:" + launch;
}

double Case::memory_bytes() const {
  const double points = double(n) * d * value_bytes(), labels = 4.0 * double(n);
  return points + 3 * labels + (implementation && implementation->description.device == Device::cpu ? 0 : 2 * points);
}

double Case::forecast_s() const {
  const double rate = on_gpu() ? 1e12 : 4e9 * omp_get_num_procs();       // guessed flop/s
  const auto representatives = config.values().find("representatives");  // of a spectral chain, whose k-means finds these
  const double clusters = representatives == config.values().end() ? k : double(std::get<std::int64_t>(representatives->second));
  const double iteration = 3.0 * double(n) * (clusters + 4) * d / rate;
  const int iters = tolerance < 0 ? max_iters : std::min(max_iters, 20);
  const int runs = repetitions + std::max(1, warmup) + 2;  // an unforeseen one where none warms up; the traced one; replays
  return iteration * iters * runs + double(n) * d * 2e-9 * repetitions;
}

double Case::patience_s(double asked) const { return asked > 0 ? asked : 60 + 50 * forecast_s() + double(n) * d * 1e-7; }

Json packed(const Case& c) {
  Json fields = Json::array();
  std::apply([&](const auto&... field) { (fields.push_back(json_of(field)), ...); }, fields_of(c));
  return fields;
}

Case unpacked(const Json& fields) {
  Case c;
  std::apply([&, at = std::size_t(0)](auto&... field) mutable { (read(fields.at(at++), field), ...); }, fields_of(c));
  c.implementation = find_implementation(c.implementation_name);
  return c;
}

}  // namespace km
