#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/data/hash.hpp"
#include "bench/plan/case.hpp"

namespace km {
namespace {

Json json_of(const Config& config) {
  Json object = Json::object();
  for (const auto& [name, value] : config.values()) std::visit([&, &key = name](const auto& v) { object[key] = v; }, value);
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
  for (const auto& [name, value] : from.items())
    values.emplace(name, value.is_string() ? Value(value.get<std::string>()) : Value(value.get<std::int64_t>()));
  config = Config(std::move(values));
}

/// Calls visit(name, field) for every field but `implementation`.
template <class SomeCase, class Visit>
void visit_fields(SomeCase& c, Visit visit) {
  visit("exhibit", c.exhibit);
  visit("profile", c.profile);
  visit("implementation_name", c.implementation_name);
  visit("config", c.config);
  visit("dataset.name", c.dataset.name);
  visit("dataset.n", c.dataset.n);
  visit("dataset.d", c.dataset.d);
  visit("dataset.k", c.dataset.k);
  visit("dataset.settings", c.dataset.settings);
  visit("n", c.n);
  visit("d", c.d);
  visit("k", c.k);
  visit("precision", c.precision);
  visit("max_iters", c.max_iters);
  visit("tolerance", c.tolerance);
  visit("init", c.init);
  visit("init_seed", c.init_seed);
  visit("repetitions", c.repetitions);
  visit("warmup", c.warmup);
  visit("once", c.once);
  visit("continues", c.continues);
  visit("dataset_source", c.dataset_source);
  visit("init_source", c.init_source);
  visit("exhibit_hash", c.exhibit_hash);
  visit("skip", c.skip);
  visit("launch", c.launch);
  visit("tuned", c.tuned);
  visit("order", c.order);
  visit("judge_seed", c.judge_seed);
}

}  // namespace

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
  const bool gpu = implementation && implementation->description.device == Device::gpu;
  const double rate = gpu ? 1e12 : 4e9 * omp_get_num_procs();            // guessed flop/s
  const auto representatives = config.values().find("representatives");  // of a spectral chain, whose k-means finds these
  const double clusters = representatives == config.values().end() ? k : double(std::get<std::int64_t>(representatives->second));
  const double iteration = 3.0 * double(n) * (clusters + 4) * d / rate;
  const int iters = tolerance < 0 ? max_iters : std::min(max_iters, 20);
  return iteration * iters * (repetitions + warmup + 1) + double(n) * d * 2e-9 * repetitions;
}

double Case::patience_s(double asked) const { return asked > 0 ? asked : 60 + 50 * forecast_s() + double(n) * d * 1e-7; }

Json packed(const Case& c) {
  Json fields;
  visit_fields(c, [&](const char* name, const auto& value) { fields[name] = json_of(value); });
  return fields;
}

Case unpacked(const Json& fields) {
  Case c;
  visit_fields(c, [&](const char* name, auto& value) { read(fields.at(name), value); });
  c.implementation = find_implementation(c.implementation_name);
  return c;
}

}  // namespace km
