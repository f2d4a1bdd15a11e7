// kmbench list, env, data and export: what looks and converts, and measures nothing.
#include <fmt/format.h>
#include <unistd.h>

#include <fstream>

#include "bench/data/limits.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/machine/environment.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/program/arguments.hpp"
#include "bench/program/commands.hpp"
#include "bench/run/result.hpp"

namespace km {
namespace {

Json implementations_json() {
  Json list = Json::array();
  for (const auto& implementation : implementations()) {
    const auto& description = implementation.description;
    Json parameters = Json::array();
    for (const auto& parameter : description.parameters) {
      const auto json = [](const Value& value) { return std::visit([](const auto& v) { return Json(v); }, value); };
      Json range = Json::array();
      for (const auto& value : parameter.range) range.push_back(json(value));
      parameters.push_back({{"name", parameter.name}, {"default", json(parameter.fallback)}, {"range", range}, {"tunable", parameter.tunable}, {"help", parameter.help}});
    }
    Json precisions = Json::array();
    if (implementation.fp32) precisions.push_back("fp32");
    if (implementation.fp64) precisions.push_back("fp64");
    list.push_back({{"name", implementation.name}, {"summary", description.summary}, {"paper", description.paper},
                    {"device", description.device == Device::cpu ? "cpu" : "gpu"}, {"precisions", precisions}, {"parameters", parameters}});
  }
  return list;
}

Json datasets_json() {
  Json list = Json::array();
  for (const auto& info : list_datasets())
    list.push_back({{"name", info.name}, {"summary", info.summary}, {"kind", info.kind}, {"n", info.n ? Json(info.n) : Json()}, {"d", info.d ? Json(info.d) : Json()},
                    {"licence", info.licence}, {"source", info.source}, {"missing", info.missing.empty() ? Json() : Json(info.missing)}});
  return list;
}

Json exhibits_json() {
  Json list = Json::array();
  for (const auto& file : exhibit_files()) {
    const Exhibit exhibit = read_exhibit(file, "paper");
    list.push_back({{"key", exhibit.key}, {"number", exhibit.number}, {"title", exhibit.title}, {"kind", exhibit.kind},
                    {"file", std::filesystem::relative(file, home()).string()}});
  }
  return list;
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
      fmt::print("{:<20} {:>12} x {:<4} {}{}\n", info.name, info.n ? std::to_string(info.n) : "any", info.d ? std::to_string(info.d) : "any", info.summary,
                 info.missing.empty() ? "" : " [not here: " + info.missing + "]");
  else
    for (const auto& entry : exhibits_json())
      fmt::print("{:<28} {:<10} {}\n", entry["key"].get<std::string>(), entry["number"].get<std::string>(), entry["title"].get<std::string>());
}

}  // namespace

void add_list(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("list", "What there is: implementations, datasets, exhibits");
  auto what = std::make_shared<std::string>("implementations");
  auto json = std::make_shared<bool>(false);
  command->add_option("what", *what, "implementations, datasets or exhibits")->check(CLI::IsMember({"implementations", "datasets", "exhibits"}));
  command->add_flag("--json", *json, "As JSON");
  command->callback([=, &code] {
    if (*json) fmt::print("{}\n", (*what == "implementations" ? implementations_json() : *what == "datasets" ? datasets_json() : exhibits_json()).dump(2));
    else print_list(*what);
    code = 0;
  });
}

void add_env(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("env", "The machine and the build, with warnings");
  auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "As JSON");
  command->callback([=, &code] {
    const auto record = environment();
    fmt::print("{}", *json ? record.dump(2) + "\n" : environment_text(record));
    code = 0;
  });
}

namespace {

struct DataFlags {
  std::string name, out, n, d, k, precision = "fp32";
  std::vector<std::string> settings;
};

DatasetRequest request_of(const DataFlags& f) {
  DatasetRequest request{.name = f.name};
  if (!f.n.empty()) request.n = whole_number("--n", f.n, 1, 1'000'000'000'000'000);
  if (!f.d.empty()) request.d = int(whole_number("--d", f.d, 1, most_dimensions));
  if (!f.k.empty()) request.k = int(whole_number("--k", f.k, 1, 100'000'000));
  for (const auto& text : f.settings) {
    const auto [name, number] = assignment("--data-set", text);
    const auto value = parse_scalar(number);
    if (std::holds_alternative<std::string>(value)) throw UserError(fmt::format("--data-set '{}' is not name=number", text));
    const double setting = std::holds_alternative<double>(value) ? std::get<double>(value) : double(std::get<std::int64_t>(value));
    if (!request.settings.emplace(name, setting).second) throw UserError(fmt::format("--data-set {} is given twice", name));
  }
  return request;
}

/// What would make the points in vain: another ending, a folder in its place, none to put it in.
void check_out(const std::filesystem::path& out) {
  std::error_code error;
  if (out.extension() != ".npy" && out.extension() != ".csv") throw UserError(fmt::format("--out {}: written are .npy and .csv", out.string()));
  if (std::filesystem::exists(out, error) && !std::filesystem::is_regular_file(out, error)) throw UserError(fmt::format("--out {}: not a regular file", out.string()));
  const auto folder = out.has_parent_path() ? out.parent_path() : std::filesystem::path(".");
  if (!std::filesystem::is_directory(folder, error)) throw UserError(fmt::format("--out {}: no folder {}", out.string(), folder.string()));
  if (::access(folder.c_str(), W_OK) != 0) throw UserError(fmt::format("--out {}: folder {} is not to be written to", out.string(), folder.string()));
}

template <class T>
void write_data(const DatasetRequest& request, const std::string& out) {
  const auto dataset = load_dataset<T>(request);
  if (out.ends_with(".csv")) write_csv<T>(out, dataset.points(), dataset.n, dataset.d);
  else write_npy<T>(out, dataset.points(), dataset.n, dataset.d);
  fmt::print("{}: {} x {}, hash {}\n", out, dataset.n, dataset.d, dataset.hash);
}

}  // namespace

void add_data(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("data", "Write a data set as .npy or .csv");
  auto f = std::make_shared<DataFlags>();
  command->add_option("name", f->name, "Data set: see kmbench list datasets")->required();
  command->add_option("--out", f->out, "File to write, .npy or .csv")->required();
  command->add_option("--n", f->n, "Points");
  command->add_option("--d,--nd", f->d, "Dimensions");
  command->add_option("--k,--kc", f->k, "Groups, for generators that place some");
  command->add_option("--precision", f->precision, "fp32 or fp64")->check(CLI::IsMember({"fp32", "fp64"}));
  command->add_option("--data-set", f->settings, "Generator settings: sigma2=0.1 (repeatable)");
  command->callback([=, &code] {
    const auto request = request_of(*f);
    check_out(f->out);
    if (f->precision == "fp32") write_data<float>(request, f->out);
    else write_data<double>(request, f->out);
    code = 0;
  });
}

void add_export(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("export", "Result lines as Google Benchmark's JSON, for tools made for it");
  auto files = std::make_shared<std::vector<std::string>>();
  auto out = std::make_shared<std::string>();
  command->add_option("files", *files, "Result files, .jsonl")->required();
  command->add_option("--out", *out, "File to write (default: standard output)");
  command->callback([=, &code] {
    std::vector<Json> lines;
    std::error_code error;
    for (const auto& file : *files)
      if (!std::filesystem::is_regular_file(file, error)) throw UserError(fmt::format("{}: no such file, or not a regular one", file));
    for (const auto& file : *files)
      for (auto& line : read_lines(file)) lines.push_back(std::move(line));
    const std::string text = to_google_benchmark(lines).dump(2) + "\n";
    if (out->empty()) fmt::print("{}", text);
    else if (!(std::ofstream(*out) << text)) throw UserError("cannot write " + *out);
    code = 0;
  });
}

}  // namespace km
