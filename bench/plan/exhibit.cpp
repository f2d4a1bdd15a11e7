// Reads exhibit files: TOML to sweeps.
#include <fmt/ranges.h>
#include <re2/re2.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/base/home.hpp"
#include "bench/base/text.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/data/limits.hpp"
#include "bench/data/toml_file.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/plan/schema.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

void check_section(const fs::path& file, std::string_view key, const toml::node& node) {
  const Json& sections = exhibit_schema()["properties"];
  const auto section = sections.find(key);
  if (section == sections.end()) refuse(file, node, "unknown section '{}'; accepted: {}", key, fmt::join(names_of(sections), ", "));
  const Json& type = (*section)["type"];  // a word, or a list of words
  if (type == "string" && !node.is_string()) refuse(file, node, "'{}' must be a text in quotes", key);
  if (type == "object" && !node.is_table()) refuse(file, node, "'{}' must be a table: write [{}]", key, key);
  if (type == "array" && !node.is_array_of_tables()) refuse(file, node, "'{}' must be a list of tables: write [[{}]], with two brackets", key, key);
  if (type == Json::array({"array", "object"}) && !node.is_table() && !node.is_array_of_tables())
    refuse(file, node, "'{}' must hold tables: write [{}.<id>], or [[{}]] with an id in each", key, key, key);
  if (type == Json::array({"string", "array"}) && !node.is_string() && !node.is_array())
    refuse(file, node, "'{}' must be the key of an exhibit, or a list of them", key);
}

bool is_key(const std::string& text) { return is_text(text) && RE2::FullMatch(text, "[^/.][^/]*/[^/.][^/]*"); }

/// Reads one entry by read(node), which returns a list of values, or each entry of a list.
template <class Read>
auto list_of(const fs::path& file, std::string_view key, const toml::node& node, std::size_t most, const char* values, Read read) {
  const auto* list = node.as_array();
  if (!list) return read(node);
  decltype(read(node)) all;
  for (const auto& entry : *list) {
    if (entry.is_array()) refuse(file, entry, "'{}' is a list within a list", key);
    for (auto& value : read(entry)) all.push_back(std::move(value));
    if (all.size() > most) refuse(file, node, "'{}' holds more than {} {}", key, most, values);
  }
  if (all.empty()) refuse(file, node, "'{}' is an empty list", key);
  return all;
}

std::vector<std::string> read_reuse(const fs::path& file, const toml::node& node, const std::string& self) {
  const auto* key = node.as_string();
  if (!key || !is_key(key->get())) refuse(file, node, "'reuse' must hold keys of exhibits, as in he2021/table3");
  if (key->get() == self) refuse(file, node, "'reuse' names the exhibit itself, {}", self);
  return {key->get()};
}

/// Reads a number or a word, which may be a range.
std::vector<Scalar> scalars(const fs::path& file, std::string_view key, const toml::node& node) {
  if (const auto* number = node.as_integer()) return {Scalar(number->get())};
  if (const auto* number = node.as_floating_point()) return {Scalar(number->get())};
  if (const auto* word = node.as_string()) {
    const std::string& text = word->get();
    if (!is_text(text)) refuse(file, node, "'{}' must be one line of text", key);
    if (text.find(':') == text.npos) return {Scalar(text)};
    try {
      return parse_range(text);
    } catch (const UserError& error) {
      refuse(file, node, error.what());
    }
  }
  refuse(file, node, "'{}' must be a number, a word, or a list of them", key);
}

/// Adds a table's keys to the sweep and replaces existing ones. Nested keys get dotted names: set.packages, data.sigma2.
void add_axes(const fs::path& file, const toml::table& table, const std::string& prefix, Sweep& sweep) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (name == "zip") continue;
    if (prefix.empty() && (name == "set" || name == "data")) {
      if (!node.is_table()) refuse(file, node, "'{}' must hold names, as in {}.packages = 100", name, name);
      add_axes(file, *node.as_table(), name + ".", sweep);
    } else {
      sweep.axes[name] = list_of(file, name, node, most_cases, "values", [&](const auto& entry) { return scalars(file, name, entry); });
    }
  }
}

/// Makes one sweep per row of zipped lists, which must have one length.
std::vector<Sweep> zipped(const fs::path& file, const toml::node& node, const toml::node* names, Sweep sweep) {
  if (!names) return {std::move(sweep)};
  if (!names->is_array()) refuse(file, *names, "'zip' must be a list of the sweep's keys");
  std::vector<std::pair<std::string, std::vector<Scalar>>> columns;
  for (const auto& entry : *names->as_array()) {
    const auto name = entry.value<std::string>().value_or("");
    const auto axis = sweep.axes.find(name);
    if (axis == sweep.axes.end()) refuse(file, node, "zip names '{}', which is no list of the sweep", name);
    columns.emplace_back(name, std::move(axis->second));
    sweep.axes.erase(axis);
    if (const auto length = columns[0].second.size(); columns.back().second.size() != length)
      refuse(file, node, "the lists of zip must be of one length; {} has {}, {} has {}", columns[0].first, length, name,
             columns.back().second.size());
  }
  double cases = columns.empty() ? 1 : double(columns[0].second.size());
  std::vector<Sweep> rows;
  for (const auto& [name, values] : sweep.axes) cases *= double(values.size());
  check_count(cases);
  for (std::size_t at = 0; at < (columns.empty() ? 1 : columns[0].second.size()); ++at) {
    rows.push_back(sweep);
    for (const auto& [name, values] : columns) rows.back().axes[name] = {values[at]};
  }
  return rows;
}

std::vector<Sweep> sweeps_at(const fs::path& file, const toml::node& node, const toml::table& defaults) {
  const auto& own = *node.as_table();
  Sweep sweep{.where = fmt::format("{}, line {}", file.string(), node.source().begin.line)};
  add_axes(file, defaults, "", sweep);
  add_axes(file, own, "", sweep);
  return zipped(file, node, own.contains("zip") ? own.get("zip") : defaults.get("zip"), std::move(sweep));
}

/// Returns [defaults.sweep], or an empty table.
const toml::table& sweep_defaults(const fs::path& file, const toml::table& table) {
  static const toml::table none;
  const toml::table* found = &none;
  if (const auto* defaults = table["defaults"].as_table())
    for (const auto& [name, node] : *defaults) {
      if ((name != "sweep" && name != "claim") || !node.is_table())
        refuse(file, node, "defaults of '{}'; accepted: [defaults.sweep] and [defaults.claim]", name.str());
      if (name == "sweep") found = node.as_table();
    }
  return *found;
}

std::vector<std::string> exhibit_keys() {
  std::vector<std::string> keys;
  for (const auto& file : exhibit_files()) keys.push_back(file.parent_path().filename().string() + "/" + file.stem().string());
  return keys;
}

}  // namespace

Exhibit read_exhibit(const fs::path& file, const std::string& profile) {
  std::error_code error;
  const bool paper = fs::exists(home() / "papers" / file / "paper.toml", error);
  if (!fs::is_regular_file(file, error))
    throw UserError("no exhibit file {}: see kmbench list exhibits{}", file.string(),
                    paper ? "; --paper runs all of a paper" : did_you_mean(file.string(), exhibit_keys()));
  const toml::table table = read_toml(file);
  for (const auto& [key, node] : table) check_section(file, key.str(), node);

  const fs::path whole = fs::absolute(file).lexically_normal();
  Exhibit exhibit{.key = whole.parent_path().filename().string() + "/" + whole.stem().string(),
                  .kind = text_of(file, table, "kind"),
                  .number = text_of(file, table, "number"),
                  .title = text_of(file, table, "title")};
  if (!is_key(exhibit.key)) throw UserError("{}: an exhibit lies in a folder that has its paper's key for a name", file.string());
  if (exhibit.kind != "table" && exhibit.kind != "figure" && exhibit.kind != "machine")
    throw UserError("{}: kind must be table, figure or machine, not '{}'", file.string(), exhibit.kind);
  if (const auto* reuse = table.get("reuse"))
    exhibit.reuse = list_of(file, "reuse", *reuse, most_sweeps, "keys", [&](const auto& entry) { return read_reuse(file, entry, exhibit.key); });

  if (const auto* profiles = table["profile"].as_table())
    for (const auto& [name, node] : *profiles) {
      if (name != "quick" || !node.is_table()) refuse(file, node, "profile '{}'; accepted: [profile.quick], a table", name.str());
      if (const auto* own = node.as_table()->get("sweep")) check_section(file, "sweep", *own);
    }
  const toml::table* quick = profile == "quick" ? table["profile"]["quick"].as_table() : nullptr;
  const auto* list = table["sweep"].as_array();
  if (quick && quick->contains("sweep")) list = (*quick)["sweep"].as_array();
  const toml::table& defaults = sweep_defaults(file, table);
  if (quick && quick->contains("zip")) refuse(file, *quick->get("zip"), "'zip' belongs to a sweep, not to a profile");
  toml::table replacements = quick ? *quick : toml::table();
  replacements.erase("sweep");
  if (!list && exhibit.reuse.empty() && exhibit.kind != "machine")
    throw UserError("{}: neither [[sweep]] nor reuse: nothing to measure", file.string());
  if (list && list->size() > most_sweeps) throw UserError("{}: {} sweeps; accepted: up to {}", file.string(), list->size(), most_sweeps);
  for (std::size_t at = 0; list && at < list->size(); ++at) {
    const auto& node = *list->get(at);
    for (auto& sweep : sweeps_at(file, node, defaults)) {
      if (quick) {
        Sweep replaced = sweep;
        add_axes(file, replacements, "", replaced);
        for (auto& [name, values] : replaced.axes)  // replace parameters and settings only if the sweep has them
          if (sweep.axes.contains(name) || name.find('.') == name.npos) sweep.axes[name] = values;
      }
      exhibit.sweeps.push_back(std::move(sweep));
      if (exhibit.sweeps.size() > most_sweeps) refuse(file, node, "more than {} sweeps", most_sweeps);
    }
  }
  return exhibit;
}

fs::path exhibit_file(const std::string& name) {
  const fs::path of_key = home() / "papers" / (name + ".toml"), own = home() / name;
  std::error_code error;
  if (is_key(name) && !name.ends_with(".toml") && fs::is_regular_file(of_key, error)) return of_key;
  return name.starts_with("papers/") && !fs::exists(name, error) && fs::is_regular_file(own, error) ? own : fs::path(name);
}

std::vector<Exhibit> reused(const Exhibit& exhibit, const std::string& profile) {
  std::vector<Exhibit> sources;
  for (const auto& key : exhibit.reuse) {
    sources.push_back(read_exhibit(home() / "papers" / (key + ".toml"), profile));
    if (sources.back().sweeps.empty()) throw UserError("{} reuses {}, which has no sweep of its own", exhibit.key, key);
  }
  return sources;
}

std::vector<fs::path> exhibit_files(const std::string& paper) {
  const fs::path papers = home() / "papers";
  std::error_code error;
  std::vector<std::string> keys;
  for (const auto& folder : entries_of(papers))
    if (fs::is_directory(folder, error)) keys.push_back(folder.filename().string());
  if (!paper.empty() && std::ranges::find(keys, paper) == keys.end()) throw UserError("no paper '{}'; there are: {}", paper, fmt::join(keys, ", "));
  std::vector<fs::path> files;
  for (const auto& key : keys)
    if (paper.empty() || key == paper)
      for (const auto& path : entries_of(papers / key))
        if (path.extension() == ".toml" && path.filename() != "paper.toml") files.push_back(path);
  return files;
}

}  // namespace km
