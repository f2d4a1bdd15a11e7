// Exhibit files: TOML to sweeps.
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/plan/exhibit.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

const std::vector<std::string_view> sections = {"kind", "number", "title", "sweep", "profile", "labels", "table",
                                                "figure", "paper", "claim", "notes", "reuse", "machine"};

[[noreturn]] void refuse(const fs::path& file, const toml::node& node, std::string_view what) {
  throw UserError(fmt::format("{}, line {}: {}", file.string(), node.source().begin.line, what));
}

/// A number, a word, or a list of them; a word may be a range.
std::vector<Scalar> scalars(const fs::path& file, std::string_view key, const toml::node& node) {
  if (const auto* list = node.as_array()) {
    std::vector<Scalar> values;
    for (const auto& entry : *list)
      for (auto& value : scalars(file, key, entry)) values.push_back(std::move(value));
    if (values.empty()) refuse(file, node, fmt::format("'{}' is an empty list", key));
    return values;
  }
  if (const auto* number = node.as_integer()) return {Scalar(number->get())};
  if (const auto* number = node.as_floating_point()) return {Scalar(number->get())};
  if (const auto* word = node.as_string()) {
    const std::string& text = word->get();
    if (text.find(':') == text.npos) return {Scalar(text)};
    try {
      return parse_range(text);
    } catch (const UserError& error) {
      refuse(file, node, error.what());
    }
  }
  refuse(file, node, fmt::format("'{}' must be a number, a word, or a list of them", key));
}

/// Add a table's keys to the sweep, set.packages and data.sigma2 by their dotted names; they replace what is there.
void add_axes(const fs::path& file, const toml::table& table, const std::string& prefix, Sweep& sweep) {
  for (const auto& [key, node] : table) {
    const std::string name = prefix + std::string(key.str());
    if (prefix.empty() && (name == "set" || name == "data")) {
      if (!node.is_table()) refuse(file, node, fmt::format("'{}' must hold names, as in {}.packages = 100", name, name));
      add_axes(file, *node.as_table(), name + ".", sweep);
    } else if (name == "sweep") {
      continue;
    } else {
      sweep.axes[name] = scalars(file, name, node);
    }
  }
}

std::string text_of(const toml::table& table, std::string_view key) {
  return std::string(table[key].value_or(std::string_view()));
}

}  // namespace

Exhibit read_exhibit(const fs::path& file, const std::string& profile) {
  if (!fs::is_regular_file(file)) throw UserError(fmt::format("no exhibit file {}: see kmbench list exhibits", file.string()));
  toml::table table;
  try {
    table = toml::parse_file(file.string());
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}, line {}: {}", file.string(), error.source().begin.line, error.description()));
  }
  for (const auto& [key, node] : table)
    if (std::ranges::find(sections, key.str()) == sections.end())
      refuse(file, node, fmt::format("unknown section '{}'; accepted: {}", key.str(), fmt::join(sections, ", ")));

  Exhibit exhibit{.key = fs::absolute(file).parent_path().filename().string() + "/" + file.stem().string(),
                  .kind = text_of(table, "kind"), .number = text_of(table, "number"), .title = text_of(table, "title")};
  if (exhibit.kind != "table" && exhibit.kind != "figure" && exhibit.kind != "machine")
    throw UserError(fmt::format("{}: kind must be table, figure or machine, not '{}'", file.string(), exhibit.kind));
  if (const auto* one = table["reuse"].as_string()) exhibit.reuse.push_back(one->get());
  if (const auto* list = table["reuse"].as_array())
    for (const auto& entry : *list) exhibit.reuse.push_back(entry.value_or(std::string()));

  const toml::table* quick = profile == "quick" ? table["profile"]["quick"].as_table() : nullptr;
  const auto* list = table["sweep"].as_array();
  if (quick && (*quick)["sweep"].is_array()) list = (*quick)["sweep"].as_array();
  if (table["sweep"] && !list) refuse(file, *table["sweep"].node(), "write [[sweep]], with two brackets");
  for (std::size_t at = 0; list && at < list->size(); ++at) {
    const auto& node = *list->get(at);
    if (!node.is_table()) refuse(file, node, "a sweep must be a table");
    Sweep sweep{.where = fmt::format("{}, line {}", file.string(), node.source().begin.line)};
    add_axes(file, *node.as_table(), "", sweep);
    if (quick) {
      Sweep replaced = sweep;
      add_axes(file, *quick, "", replaced);
      for (auto& [name, values] : replaced.axes)  // parameters and settings only where the sweep has them
        if (sweep.axes.contains(name) || name.find('.') == name.npos) sweep.axes[name] = values;
    }
    exhibit.sweeps.push_back(std::move(sweep));
  }
  return exhibit;
}

std::vector<fs::path> exhibit_files(const std::string& paper) {
  const fs::path papers = home() / "papers";
  if (!paper.empty() && !fs::is_directory(papers / paper)) {
    std::vector<std::string> keys;
    for (const auto& entry : fs::directory_iterator(papers))
      if (entry.is_directory()) keys.push_back(entry.path().filename().string());
    std::ranges::sort(keys);
    throw UserError(fmt::format("no paper '{}'; there are: {}", paper, fmt::join(keys, ", ")));
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(paper.empty() ? papers : papers / paper))
    if (entry.path().extension() == ".toml" && entry.path().filename() != "paper.toml") files.push_back(entry.path());
  std::ranges::sort(files);
  return files;
}

}  // namespace km
