// Builds a result line: fields known before a run, and measured fields. Replaces a line that readers would refuse with all others of its file.
#include "bench/run/result.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <re2/re2.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "bench/base/statistics.hpp"
#include "bench/machine/version.hpp"
#include "bench/machine/wait_policy.hpp"
#include "bench/plan/schema.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/ranks.hpp"
#include "bench/run/together.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

/// Empty unless every sample has the field.
template <class T>
std::vector<T> of_every_sample(const std::vector<Delay>& delays, std::optional<T> Delay::*field) {
  std::vector<T> all;
  for (const auto& delay : delays) {
    if (!(delay.*field)) return {};
    all.push_back(*(delay.*field));
  }
  return all;
}

/// Shortens absolute paths to their last name, also after `--flag=`, to keep the machine's folders private. A word may be a command line (--external).
Json shortened(const std::vector<std::string>& argv) {
  Json list = Json::array();
  for (std::string word : argv) {
    if (list.empty()) word = fs::path(word).filename();
    RE2::Replace(&word, "^(-.*?=)?/(.*/)?", R"(\1)");
    RE2::GlobalReplace(&word, R"( /\S*/)", " ");
    list.push_back(word);
  }
  return list;
}

/// Returns "" for a finite number of at least 0, else its fault, such as " is nan". A worker's JSON has null for NaN and infinity.
std::string fault_of(const Json& value) {
  if (!value.is_number()) return value.is_null() ? " is no finite number" : " is no number";
  const double number = value.get<double>();
  return std::isfinite(number) && number >= 0 ? "" : fmt::format(" is {:g}", number);
}

std::string fault_in(const Json& values, const std::string& name, const char* counted) {
  if (!values.is_array()) return name + " is no array";
  for (std::size_t at = 0; at < values.size(); ++at)
    if (const std::string fault = fault_of(values[at]); !fault.empty()) return fmt::format("{} {} {}{}", name, counted, at + 1, fault);
  return "";
}

/// Why the binding of a rank may cost time, or "". Open MPI binds each of two ranks to one core unless told otherwise.
std::string binding_fault(const Ranks::Place& place, std::int64_t threads) {
  if (threads > place.processors)
    return fmt::format("runs {} threads and has {} of the processors {} to itself", threads, place.processors, place.mask);
  if (place.processors == 1 && place.idle > 0)
    return fmt::format("may use processor {} alone, and no rank uses {} others of its machine: mpirun --bind-to none", place.mask, place.idle);
  return "";
}

/// The line's field `ranks`: the launcher's words, and where this process is a rank, where all are. Null for a case without a launcher.
Json ranks_of(const Case& c) {
  if (c.launch.empty()) return nullptr;
  Json json = {{"launch", c.launch}};
  for (const auto& name : names_of(line_schema()["properties"]["ranks"]["properties"])) json.emplace(name, nullptr);
  if (!ranks()) return json;
  const auto asked = c.config.values().find("threads");
  const bool all = asked == c.config.values().end() || std::get<std::int64_t>(asked->second) == 0;
  json["count"] = ranks()->size();
  json["threads"] = json["processors"] = json["node"] = Json::array();
  int nodes = 0;
  for (const auto& place : ranks()->places()) {
    const std::int64_t threads = all ? place.processors : std::get<std::int64_t>(asked->second);
    nodes = std::max(nodes, place.node + 1);
    if (json["warning"].is_null())
      if (const std::string why = binding_fault(place, threads); !why.empty())
        json["warning"] = fmt::format("rank {} {}", json["threads"].size(), why);
    json["threads"].push_back(threads);
    json["processors"].push_back(place.mask);
    json["node"].push_back(place.node);
  }
  json["nodes"] = nodes;
  json["library"] = ranks()->library();
  return json;
}

/// Adds the GPU and the times of each rank.
void add_ranks(Json& json, const Case& c, const std::vector<Delay>& samples) {
  if (c.on_gpu()) {
    json["gpus"] = Json::array();
    for (const std::size_t gpu : gpus_of(*ranks())) json["gpus"].push_back(fmt::format("{:016x}", gpu));
  }
  json["walls_s"] = Json::array();
  for (std::size_t rank = 0; rank < std::size_t(ranks()->size()); ++rank) {
    Json walls = Json::array();
    for (const Delay& sample : samples) walls.push_back(sample.ranks_s.at(rank));
    json["walls_s"].push_back(std::move(walls));
  }
}

}  // namespace

Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine) {
  Json line;
  for (const Field& field : line_fields()) line[field.name] = field.empty();
  line["schema"] = line_version();
  line["case"] = c.id();
  line.update(c.identity());
  line["order"] = c.order;
  line["continues"] = c.continues > 0 ? Json(c.continues) : Json();
  Json seed = Json();
  if (const auto at = c.dataset.settings.find("seed"); at != c.dataset.settings.end()) seed = at->second;
  const Json settings = c.dataset.settings.empty() ? Json() : Json(c.dataset.settings);
  line["dataset"] = {
      {"name", c.dataset.name}, {"hash", nullptr}, {"seed", seed}, {"generator", settings}, {"source", text_or_null(c.dataset_source)}};
  line["exhibit_hash"] = text_or_null(c.exhibit_hash);
  line["tuned"] = text_or_null(c.tuned);
  line["device"] = c.implementation ? Json(c.on_gpu() ? "gpu" : "cpu") : Json();
  line["departs"] = c.implementation ? text_or_null(departure(c.implementation->description, c.config)) : Json();
  if (!c.skip.empty()) line["skip"] = c.skip;
  if (c.implementation && c.n > 0 && c.d > 0)
    if (const Work work = c.implementation->description.work(c.shape(), c.config, c.value_bytes()); work.bytes > 0)
      line["work"] = {{"bytes", work.bytes}, {"flops", work.flops}};
  line["wait_policy"] = wait_policy();
  line["ranks"] = ranks_of(c);
  line["machine"] = machine;
  line["commit"] = version::commit();
  line["dirty"] = version::dirty();
  line["argv"] = shortened(argv);
  line["date"] = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
  return line;
}

void add_measurement(Json& line, const Case& c, const Measurement& m) {
  line["dataset"]["hash"] = m.dataset_hash;
  if (m.generator) {
    line["dataset"]["generator"] = *m.generator;
    if (const auto at = m.generator->find("seed"); at != m.generator->end()) line["dataset"]["seed"] = at->second;
  }
  const Judgement& judged = m.judgement;
  LineFields values = m.line;
  values.judge_seed = c.judge_seed;
  values.iterations = m.iters;
  values.judged_points = judged.judged_points;
  values.wrong_labels = judged.wrong_labels;
  values.tied_labels = judged.tied_labels;
  values.inertia = judged.inertia;
  values.mean_error = judged.mean_error;
  values.mean_offset = judged.mean_offset;
  values.label_excess = judged.label_excess;
  if (c.k <= 64) values.cluster_sizes = judged.cluster_sizes;
  if (!m.downloads_s.empty()) values.download_s = median(m.downloads_s);
  values.run_delay_s = of_every_sample(m.delays, &Delay::run_delay_s);
  if (values.run_delay_s.empty()) values.involuntary_switches = of_every_sample(m.delays, &Delay::involuntary_switches);
  const auto object = [](Json members) { return std::make_shared<const Json>(std::move(members)); };
  if (m.library) values.library = object({{"name", m.library->name}, {"version", text_or_null(m.library->version)}});
  if (m.replay)
    values.replayed = object({{"links", m.replay->links}, {"sampled_points", m.replay->sampled}, {"skipped", text_or_null(m.replay->skipped)}});
  write_fields(line, values, judged.verdict.empty());
  line["verdict"] = judged.verdict;
  if (!judged.verdict.empty()) return;
  if (all_ranks()) add_ranks(line["ranks"], c, m.delays);
  line["disturbed_verbs"] = Json::array();
  if (m.prepare_disturbed) line["disturbed_verbs"].push_back("prepare");
  if (m.trace_disturbed) line["disturbed_verbs"].push_back("trace");
  line["prepare_phases"] = m.prepare_trace.prepare();
  line["phases"] = m.trace.phases();
  line["counters"] = m.counters;
  line["grade"] = to_string(judged.grade);
}

std::string unreadable(const Json& line) {
  for (const Field& field : line_fields())
    if (const Json& value = line[field.name]; field.counted && !value.is_null()) {
      const std::string fault = field.type == "array" ? fault_in(value, field.name, "of run") : fault_of(value);
      if (!fault.empty()) return field.type == "array" ? fault : field.name + fault;
    }
  for (const auto& [name, seconds] : line["prepare_phases"].items())
    if (const std::string fault = fault_of(seconds); !fault.empty()) return "phase " + name + " of prepare" + fault;
  for (const auto& [field, word] : {std::pair{"phases", "phase "}, {"counters", "counter "}})
    for (const auto& [name, values] : line[field].items())
      if (std::string fault = fault_in(values, word + name, "of iteration"); !fault.empty()) return fault;
  if (line["energy"].is_object())
    for (const char* name : {"joules", "iterations", "window_s"})
      if (const Json value = line["energy"].value(name, Json()); !value.is_null())
        if (const std::string fault = fault_of(value); !fault.empty()) return std::string("energy: ") + name + fault;
  return "";
}

Json readable(Json line) {
  const std::string why = unreadable(line);
  if (why.empty()) return line;
  for (const Field& field : line_fields())
    if (field.known != "before") line[field.name] = field.empty();
  line["failure"] = "not a result that can be read: " + why;
  return line;
}

Json line_of(const Case& c, const std::string& answer, const std::string& why, const std::vector<std::string>& argv, const std::string& machine) {
  Json line = Json::parse(answer, nullptr, false);
  if (line.is_object() && line.value("case", Json()) == c.id()) return readable(std::move(line));
  line = skeleton(c, argv, machine);
  line["failure"] = why.empty() ? "the worker's answer is not a result line" : why;
  return line;
}

}  // namespace km
