// Converts result lines to Google Benchmark's JSON, and prints that with its own console reporter.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"

namespace km {
namespace {

using benchmark::ConsoleReporter;

std::string shown(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

/// Names a line as Case::name does, with all settings of its generator. compare.py compares lines of one name.
std::string name_of(const Json& line) {
  std::string name = line["exhibit"].is_string() ? shown(line["exhibit"]) + "/" : "";
  name += shown(line["implementation"]) + "/" + shown(line["dataset"]["name"]);
  for (const char* field : {"n", "d", "k"}) name += fmt::format("/{}:{}", field, shown(line[field]));
  name += "/" + shown(line["precision"]);
  for (const Json& settings : {line["dataset"].value("generator", Json()), line["parameters"]})
    if (settings.is_object())
      for (const auto& [key, value] : settings.items()) name += "/" + key + ":" + shown(value);
  if (line["tolerance"].is_number()) name += "/tol:" + shown(line["tolerance"]);
  name += "/iters:" + shown(line["max_iters"]) + "/";
  for (const char* field : {"method", "seed"})
    if (const Json value = line["init"].value(field, Json()); !value.is_null()) name += shown(value);
  if (const Json ranks = line.value("ranks", Json()); ranks.is_object()) name += "/launch:" + shown(ranks["launch"]);
  return name;
}

/// Google Benchmark 1.8 renamed these fields.
template <class Run>
void fail(Run& run, const std::string& why) {
  if constexpr (requires { run.error_occurred; }) {
    run.error_occurred = true;
    run.error_message = why;
  } else {
    run.skipped = decltype(run.skipped)(2);  // SkippedWithError
    run.skip_message = why;
  }
}

/// The run of an entry of to_google_benchmark().
ConsoleReporter::Run run_of(const Json& entry) {
  ConsoleReporter::Run run;
  run.run_name.function_name = entry["name"];
  if (entry.contains("error_occurred")) {
    fail(run, entry.value("error_message", ""));
    return run;
  }
  run.time_unit = benchmark::kMillisecond;
  run.real_accumulated_time = entry["real_time"].get<double>() / 1e3;
  run.cpu_accumulated_time = entry["cpu_time"].get<double>() / 1e3;
  for (const char* counter : {"kmeans_iterations", "inertia"})
    if (entry[counter].is_number()) run.counters[counter] = entry[counter].get<double>();
  return run;
}

/// Returns the last line of each name, with the samples that it continues, in the order of the file.
std::vector<Json> standing(std::vector<Json> lines) {
  for (Json& line : lines) line["case"] = name_of(line);
  auto last = km::latest(lines);
  std::vector<Json> found;
  for (const Json& line : lines | std::views::reverse)
    if (auto node = last.extract(line["case"].get_ref<const std::string&>())) found.push_back(std::move(node.mapped()));
  std::ranges::reverse(found);
  return found;
}

}  // namespace

void print_google_benchmark(const Json& document) {
  ConsoleReporter reporter(wants_colour(stdout) ? ConsoleReporter::OO_Color : ConsoleReporter::OO_None);
  ConsoleReporter::Context context;
  context.name_field_width = 10;
  for (const auto& entry : document["benchmarks"])
    context.name_field_width = std::max(context.name_field_width, entry["name"].get_ref<const std::string&>().size());
  reporter.ReportContext(context);
  for (const auto& entry : document["benchmarks"]) reporter.ReportRuns({run_of(entry)});
  reporter.Finalize();
}

Json to_google_benchmark(const std::vector<Json>& given) {
  const std::vector<Json> lines = standing(given);
  Json out = {{"context", {{"library_build_type", "release"}}}, {"benchmarks", Json::array()}};
  if (!lines.empty()) out["context"].update({{"date", lines[0]["date"]}, {"host_name", lines[0]["machine"]}, {"kmbench_commit", lines[0]["commit"]}});
  for (const auto& line : lines) {
    const std::string name = name_of(line);
    Json entry = {{"name", name}, {"run_name", name}, {"run_type", "iteration"}, {"repetitions", line["samples_s"].size()}, {"threads", 1}};
    if (line["samples_s"].empty()) {
      entry["error_occurred"] = true;
      for (const char* field : {"verdict", "skip", "failure"})
        if (line[field].is_string() && !line[field].get<std::string>().empty()) entry["error_message"] = line[field];
      out["benchmarks"].push_back(entry);
      continue;
    }
    for (std::size_t at = 0; at < line["samples_s"].size(); ++at) {
      entry["repetition_index"] = at;
      entry["iterations"] = 1;
      entry["real_time"] = entry["cpu_time"] = line["samples_s"][at].get<double>() * 1e3;
      entry["time_unit"] = "ms";
      for (const char* delay : {"run_delay_s", "involuntary_switches"})
        if (line[delay].is_array()) entry[delay] = line[delay][at];
      entry["kmeans_iterations"] = line["iterations"];
      entry["inertia"] = line["inertia"];
      out["benchmarks"].push_back(entry);
    }
  }
  return out;
}

}  // namespace km
