#include "bench/tune/store.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/data/file_bytes.hpp"
#include "bench/machine/environment.hpp"
#include "bench/plan/sweep.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr int form = 1;  // version of the file
constexpr std::size_t most_bytes = 16 << 20;
constexpr int most_depth = 6;

/// Values of the tunable parameters, or of the others.
Json parameters_of(const Case& c, bool tunable) {
  Json values = Json::object();
  for (const auto& parameter : c.implementation->description.parameters)
    if (parameter.tunable == tunable) values[std::string(parameter.name)] = json_of(c.config.values().find(parameter.name)->second);
  return values;
}

bool is_entry(const Json& entry) {
  const auto shape = [&](const char* name) { return entry.contains(name) && entry[name].is_number_integer() && entry[name].get<std::int64_t>() > 0; };
  const auto values = [&](const char* name) {
    return entry.contains(name) && entry[name].is_object() &&
           std::ranges::all_of(entry[name], [](const Json& value) { return value_of(value).has_value(); });
  };
  return entry.is_object() && shape("n") && shape("d") && shape("k") && values("parameters") && values("fixed") && entry.contains("precision") &&
         entry["precision"].is_string();
}

void check_form(const Json& content, const std::string& file) {
  const auto refuse = [&](const std::string& what) { throw UserError("{}: {}; kmbench tune writes it", file, what); };
  if (!content.is_object() || !content.contains("implementations") || !content["implementations"].is_object())
    refuse("no file of tuned values: an object with implementations is accepted");
  if (content.value("schema", Json()) != form) refuse(fmt::format("schema {}, where {} is accepted", content.value("schema", Json()).dump(), form));
  for (const auto& [name, classes] : content["implementations"].items()) {
    if (!classes.is_object()) refuse(fmt::format("'{}' is no object of shape classes", name));
    for (const auto& [shape, entry] : classes.items())
      if (!is_entry(entry))
        refuse(fmt::format("'{}', '{}' lacks one of precision, n, d, k, parameters, fixed, or has it in another form", name, shape));
  }
}

double distance(const Json& entry, const Case& c) {
  const auto apart = [](double a, const Json& b) { return std::abs(std::log2(a / b.get<double>())); };
  return apart(double(c.n), entry["n"]) + apart(c.d, entry["d"]) + apart(c.k, entry["k"]);
}

/// Returns c with an entry's values, except those in `given`. Returns nothing if a value is no longer accepted or the case cannot run.
std::optional<Case> with_values(const Case& c, const Json& entry, const std::set<std::string>& given) {
  auto values = c.config.values();
  for (const auto& parameter : c.implementation->description.parameters) {
    const std::string name(parameter.name);
    if (!parameter.tunable || given.contains(name) || !entry["parameters"].contains(name)) continue;
    const Value value = *value_of(entry["parameters"][name]);
    if (!accepts(parameter, value)) return std::nullopt;
    values.insert_or_assign(name, value);
  }
  Case tuned = c;
  tuned.config = Config(std::move(values));
  tuned.skip = unsupported(tuned);
  return tuned.skip.empty() ? std::optional(tuned) : std::nullopt;
}

}  // namespace

std::string shape_class(const Case& c) {
  const auto bin = [](double count) { return int(std::floor(std::log2(count))); };
  std::string text = fmt::format("{} n 2^{} d 2^{} k 2^{}", c.precision_name(), bin(double(c.n)), bin(c.d), bin(c.k));
  const Json fixed = parameters_of(c, false);
  for (const auto& [name, value] : fixed.items()) text += fmt::format(" {}={}", name, value.is_string() ? value.get<std::string>() : value.dump());
  return text;
}

fs::path own_tuning_folder() { return own_results_folder().parent_path() / "tuning"; }

TunedValues::TunedValues(const fs::path& folder, const std::string& device) : path_(folder / (device + ".json")) {
  std::error_code error;
  if (!fs::exists(path_, error)) {
    content_ = std::make_shared<Json>(Json{{"schema", form}, {"device", device}, {"implementations", Json::object()}});
    return;
  }
  const FileBytes bytes(path_, most_bytes + 1);
  if (bytes.view().size() > most_bytes) throw UserError("{}: longer than {} bytes", path_.string(), most_bytes);
  content_ = std::make_shared<Json>(Json::parse(
      bytes.view(), [](int depth, Json::parse_event_t, const Json&) { return depth <= most_depth; }, false));
  if (content_->is_discarded()) throw UserError("{}: no JSON; kmbench tune writes it", path_.string());
  check_form(*content_, path_.string());
}

void TunedValues::apply(Case& c, const std::set<std::string>& given) const {
  c.tuned = "default";
  const Json& all = (*content_)["implementations"];
  const bool here = c.implementation && c.n > 0 && c.d > 0 && (c.skip.empty() || c.skip == unsupported(c));
  if (!here || !all.contains(c.implementation_name)) return;
  const Json fixed = parameters_of(c, false);
  const std::string own = shape_class(c);
  std::vector<std::tuple<bool, bool, double, std::string>> order;  // other class, other parameters, distance, name
  for (const auto& [name, entry] : all[c.implementation_name].items())
    if (entry["precision"] == c.precision_name()) order.emplace_back(name != own, entry["fixed"] != fixed, distance(entry, c), name);
  std::ranges::sort(order);
  for (const auto& [other, unlike, far, name] : order)
    if (auto tuned = with_values(c, all[c.implementation_name][name], given)) {
      c = std::move(*tuned);
      c.tuned = other ? "nearest" : "exact";
      return;
    }
}

void TunedValues::keep(const Case& c, const std::vector<std::string>& names, const Json& facts) {
  Json entry = {{"precision", c.precision_name()}, {"n", c.n}, {"d", c.d}, {"k", c.k}};
  entry["fixed"] = parameters_of(c, false);
  entry["parameters"] = parameters_of(c, true);
  entry["chosen"] = names;
  entry.update(facts);
  (*content_)["implementations"][c.implementation_name][shape_class(c)] = std::move(entry);
  std::error_code failed;
  fs::create_directories(path_.parent_path(), failed);
  write_whole(path_, content_->dump(2) + "\n");
}

}  // namespace km
