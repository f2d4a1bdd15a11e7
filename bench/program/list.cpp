// kmbench list and export: commands that measure nothing.

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/base/home.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/program/command.hpp"
#include "bench/run/result.hpp"

namespace km::list_command {

Json implementations_json() {
  std::vector<Implementation> all = implementations();
  const auto& chains = implementations(Task::spectral);
  all.insert(all.end(), chains.begin(), chains.end());
  std::ranges::sort(all, {}, &Implementation::name);
  Json list = Json::array();
  for (const auto& implementation : all) {
    const auto& description = implementation.description;
    Json parameters = Json::array();
    for (const auto& parameter : description.parameters) {
      Json range = Json::array();
      for (const auto& value : parameter.range) range.push_back(json_of(value));
      parameters.push_back({{"name", parameter.name},
                            {"default", json_of(parameter.fallback)},
                            {"range", range},
                            {"tunable", parameter.tunable},
                            {"help", parameter.help}});
    }
    Json precisions = Json::array();
    if (implementation.fp32) precisions.push_back("fp32");
    if (implementation.fp64) precisions.push_back("fp64");
    list.push_back({{"name", implementation.name},
                    {"summary", description.summary},
                    {"paper", description.paper},
                    {"task", description.task == Task::kmeans ? "kmeans" : "spectral"},
                    {"device", description.device == Device::cpu ? "cpu" : "gpu"},
                    {"precisions", precisions},
                    {"parameters", parameters}});
  }
  return list;
}

Json datasets_json() {
  Json list = Json::array();
  for (const auto& info : list_datasets())
    list.push_back({{"name", info.name},
                    {"summary", info.summary},
                    {"kind", info.kind},
                    {"n", info.n ? Json(info.n) : Json()},
                    {"d", info.d ? Json(info.d) : Json()},
                    {"settings", info.settings.empty() ? Json() : Json(info.settings)},
                    {"licence", info.licence},
                    {"source", info.source},
                    {"missing", info.missing.empty() ? Json() : Json(info.missing)}});
  return list;
}

Json exhibits_json() {
  Json list = Json::array();
  for (const auto& file : exhibit_files()) {
    const Exhibit exhibit = read_exhibit(file, "paper");
    list.push_back({{"key", exhibit.key},
                    {"number", exhibit.number},
                    {"title", exhibit.title},
                    {"kind", exhibit.kind},
                    {"file", std::filesystem::relative(file, home()).string()}});
  }
  return list;
}

/// " (low=0 high=1 seed=7)", as --data-set takes them; "" for a file.
std::string shown(const Settings& settings) {
  std::string text;
  for (const auto& [name, value] : settings) text += fmt::format("{}{}={}", text.empty() ? " (" : " ", name, value);
  return text.empty() ? text : text + ")";
}

void print_list(const std::string& what) {
  if (what == "implementations")
    for (const auto& entry : implementations_json()) {
      fmt::print("{:<32} {}{}\n", entry["name"].get<std::string>(), entry["summary"].get<std::string>(),
                 entry["paper"] == "" ? "" : " [" + entry["paper"].get<std::string>() + "]");
      for (const auto& parameter : entry["parameters"])
        fmt::print("    {} = {}{}{}\n", parameter["name"].get<std::string>(), parameter["default"].dump(), parameter["tunable"] ? " (tunable)" : "",
                   parameter["help"] == "" ? "" : ": " + parameter["help"].get<std::string>());
    }
  else if (what == "datasets")
    for (const auto& info : list_datasets())
      fmt::print("{:<20} {:>12} x {:<4} {}{}{}\n", info.name, info.n ? std::to_string(info.n) : "any", info.d ? std::to_string(info.d) : "any",
                 info.summary, shown(info.settings), info.missing.empty() ? "" : " [not here: " + info.missing + "]");
  else
    for (const auto& entry : exhibits_json())
      fmt::print("{:<28} {:<10} {}\n", entry["key"].get<std::string>(), entry["number"].get<std::string>(), entry["title"].get<std::string>());
}

struct Flags {
  std::string what = "implementations", out;
  bool json = false;
  std::vector<std::string> files;
} flags;

int list(const Invocation&) {
  const auto& what = flags.what;
  if (flags.json)
    fmt::print("{}\n", (what == "implementations" ? implementations_json() : what == "datasets" ? datasets_json() : exhibits_json()).dump(2));
  else print_list(what);
  return 0;
}

int export_lines(const Invocation&) {
  const std::string text = to_google_benchmark(read_lines(flags.files)).dump(2) + "\n";
  if (flags.out.empty()) fmt::print("{}", text);
  else write_whole(flags.out, text);
  return 0;
}

const RegisterCommand list_command{
    1,
    {.name = "list",
     .summary = "What there is: implementations, datasets, exhibits",
     .options = join_options({{"what", &flags.what, "What to list", {"implementations", "datasets", "exhibits"}}, {"--json", &flags.json, "As JSON"}},
                             other_implementations()),
     .run = list,
     .examples = {"kmbench list datasets", "kmbench list --json"}}};

const RegisterCommand export_command{8,
                                     {.name = "export",
                                      .summary = "Result lines as Google Benchmark's JSON, for tools made for it",
                                      .options = {{"files", &flags.files, "Result files, .jsonl", {}, true},
                                                  {"--out", &flags.out, "File to write (default: standard output)"}},
                                      .run = export_lines,
                                      .examples = {"kmbench export results/h200/ours.jsonl --out ours.json"}}};

}  // namespace km::list_command
