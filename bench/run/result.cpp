#include "bench/run/result.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <numeric>

#include "bench/error.hpp"
#include "bench/machine/version.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

Json series(const Trace::Series& all) {
  Json object = Json::object();
  for (const auto& [name, values] : all) object[name] = values;
  return object;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json() : Json(text); }

/// The command line with the last names of absolute paths: where a machine keeps its files is nobody's business.
Json shortened(const std::vector<std::string>& argv) {
  Json list = Json::array();
  for (std::size_t at = 0; at < argv.size(); ++at)
    list.push_back(at == 0 || argv[at].starts_with('/') ? fs::path(argv[at]).filename().string() : argv[at]);
  return list;
}

/// What readers rely on: a field that is missing or of another type counts as null, so that a strange line does no harm.
Json with_every_field(Json line) {
  const auto want = [&](const char* name, auto fits, Json fallback) {
    if (const auto at = line.find(name); at == line.end() || !fits(*at)) line[name] = std::move(fallback);
  };
  const auto text = [](const Json& v) { return v.is_string(); };
  for (const char* name : {"verdict", "skip", "failure", "exhibit", "grade", "commit", "machine", "date"}) want(name, text, nullptr);
  for (const char* name : {"implementation", "precision"}) want(name, text, "");
  for (const char* name : {"n", "d", "k"})
    want(
        name, [](const Json& v) { return v.is_number_integer(); }, 0);
  for (const char* name : {"iterations", "inertia", "wrong_labels"})
    want(
        name, [](const Json& v) { return v.is_number(); }, nullptr);
  for (const char* name : {"parameters", "dataset"})
    want(
        name, [](const Json& v) { return v.is_object(); }, Json::object());
  want(
      "samples_s", [](const Json& v) { return v.is_array() && std::ranges::all_of(v, [](const Json& s) { return s.is_number(); }); }, Json::array());
  if (line["iterations"].is_null() || line["iterations"].get<double>() < 1) line["samples_s"] = Json::array();  // no time without iterations
  if (!line["dataset"].contains("name") || !line["dataset"]["name"].is_string()) line["dataset"]["name"] = "";
  return line;
}

}  // namespace

Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine) {
  Json line = {{"schema", line_schema}, {"case", c.id()}};
  line.update(c.identity());
  line["order"] = c.order;
  Json seed = Json();
  if (const auto at = c.dataset.settings.find("seed"); at != c.dataset.settings.end()) seed = at->second;
  const Json settings = c.dataset.settings.empty() ? Json() : Json(c.dataset.settings);
  line["dataset"] = {
      {"name", c.dataset.name}, {"hash", nullptr}, {"seed", seed}, {"generator", settings}, {"source", text_or_null(c.dataset_source)}};
  line["exhibit_hash"] = text_or_null(c.exhibit_hash);
  line["device"] = c.implementation ? Json(c.on_gpu() ? "gpu" : "cpu") : Json();
  line["departs"] = c.implementation ? text_or_null(c.implementation->description.departs) : Json();
  for (const char* name :
       {"iterations",   "samples_event_s", "prepare_s",    "download_s",        "work",    "inertia",  "centroid_error", "mean_error", "mean_offset",
        "wrong_labels", "tied_labels",     "label_excess", "judged_points",     "judge_s", "replayed", "cluster_sizes",  "verdict",    "grade",
        "skip",         "failure",         "peak_bytes",   "device_peak_bytes", "gpu"})
    line[name] = nullptr;
  line["samples_s"] = Json::array();
  for (const char* name : {"prepare_phases", "phases", "counters"}) line[name] = Json::object();
  if (!c.skip.empty()) line["skip"] = c.skip;
  if (c.implementation && c.n > 0 && c.d > 0)
    if (const Work work = c.implementation->description.work(c.shape(), c.config, c.value_bytes()); work.bytes > 0)
      line["work"] = {{"bytes", work.bytes}, {"flops", work.flops}};
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
  line["verdict"] = m.judgement.verdict;
  line["iterations"] = m.iters;
  line["judged_points"] = m.judgement.judged_points;
  line["wrong_labels"] = m.judgement.wrong_labels;
  line["tied_labels"] = m.judgement.tied_labels;
  line["peak_bytes"] = m.peak_bytes;
  if (m.device_peak_bytes) line["device_peak_bytes"] = *m.device_peak_bytes;
  line["gpu"] = m.gpu;
  if (!m.judgement.verdict.empty()) return;
  line["samples_s"] = m.samples_s;
  if (!m.samples_event_s.empty()) line["samples_event_s"] = m.samples_event_s;
  line["prepare_s"] = m.prepare_s;
  line["download_s"] = median(m.downloads_s);
  line["prepare_phases"] = m.prepare_trace.prepare();
  line["phases"] = series(m.trace.phases());
  line["counters"] = series(m.trace.counters());
  line["inertia"] = number(m.judgement.inertia);
  line["judge_s"] = m.judge_s;
  line["grade"] = to_string(m.judgement.grade);
  line["mean_error"] = number(m.judgement.mean_error);
  line["mean_offset"] = number(m.judgement.mean_offset);
  line["label_excess"] = number(m.judgement.label_excess);
  if (m.replay) {
    line["replayed"] = {{"links", m.replay->links}, {"sampled_points", m.replay->sampled}, {"skipped", text_or_null(m.replay->skipped)}};
  }
  if (m.centroid_error) line["centroid_error"] = number(*m.centroid_error);
  if (c.k <= 64) line["cluster_sizes"] = m.judgement.cluster_sizes;
}

ResultFile::ResultFile(fs::path path) : path_(std::move(path)) {
  const auto refuse = [&] { return UserError(fmt::format("cannot write {}: {}", path_.string(), std::generic_category().message(errno))); };
  std::error_code failed;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failed);
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) throw refuse();
  off_t end = std::max<off_t>(0, ::lseek(file, 0, SEEK_END));
  const off_t size = end;
  for (char last = 0; end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\n';) --end;
  const bool cut = end == size || ::ftruncate(file, end) == 0;
  if (!cut) {
    const auto error = refuse();
    ::close(file);
    throw error;
  }
  ::close(file);
}

void ResultFile::append(const Json& line) const {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  std::string why = file < 0 ? std::generic_category().message(errno) : "";
  if (file >= 0) {
    const off_t before = ::lseek(file, 0, SEEK_END);
    const auto wrote = ::write(file, text.data(), text.size());
    if (wrote != ssize_t(text.size())) {
      why = wrote < 0 ? std::generic_category().message(errno) : "the disk is full";
      if (before >= 0 && ::ftruncate(file, before) != 0) why += "; a torn line is left at its end";
    }
    ::close(file);
  }
  if (!why.empty()) throw UserError(fmt::format("cannot append to {}: {}", path_.string(), why));
}

std::vector<Json> read_lines(const fs::path& path) {
  std::vector<Json> lines;
  std::ifstream file(path, std::ios::binary);
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("case") || !line["case"].is_string()) continue;
    if (const auto schema = line.find("schema"); schema != line.end() && schema->is_number() && schema->get<double>() > line_schema)
      throw UserError(fmt::format("{}, line {}: schema {}; this kmbench reads up to {}", path.string(), number, schema->dump(), line_schema));
    lines.push_back(with_every_field(std::move(line)));
  }
  return lines;
}

std::set<std::string> ResultFile::finished() const {
  std::set<std::string> ids;
  for (const auto& line : read_lines(path_)) {
    const bool done = line["verdict"].is_string();
    if (done) ids.insert(line["case"].get<std::string>());
    else ids.erase(line["case"].get<std::string>());
  }
  return ids;
}

std::vector<Json> ResultFile::lines(const std::vector<std::string>& ids) const {
  std::map<std::string, Json> last;
  for (auto& line : read_lines(path_)) last.insert_or_assign(line["case"].get<std::string>(), line);
  std::vector<Json> found;
  for (const auto& id : ids)
    if (const auto at = last.find(id); at != last.end()) found.push_back(at->second);
  return found;
}

Json to_google_benchmark(const std::vector<Json>& lines) {
  Json out = {{"context", {{"library_build_type", "release"}}}, {"benchmarks", Json::array()}};
  for (const auto& line : lines) {
    if (out["context"].size() == 1) {
      out["context"]["date"] = line["date"];
      out["context"]["host_name"] = line["machine"];
      out["context"]["kmbench_commit"] = line["commit"];
    }
    std::string name = line["implementation"].get<std::string>() + "/" + line["dataset"]["name"].get<std::string>();
    if (line["exhibit"].is_string()) name = line["exhibit"].get<std::string>() + "/" + name;
    for (const char* field : {"n", "d", "k"}) name += fmt::format("/{}:{}", field, line[field].get<std::int64_t>());
    name += "/" + line["precision"].get<std::string>();
    for (const auto& [key, value] : line["parameters"].items())
      name += "/" + key + ":" + (value.is_string() ? value.get<std::string>() : value.dump());
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
      entry["kmeans_iterations"] = line["iterations"];
      entry["inertia"] = line["inertia"];
      out["benchmarks"].push_back(entry);
    }
  }
  return out;
}

std::string summary_table(const std::vector<Json>& lines) {
  std::vector<std::vector<std::string>> rows = {
      {"implementation", "parameters", "data", "n", "d", "k", "prec", "iters", "ms/iter", "min", "verdict"}};
  for (const auto& line : lines) {
    std::string parameters;
    for (const auto& [key, value] : line["parameters"].items())
      parameters += (parameters.empty() ? "" : " ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    std::vector<double> samples = line["samples_s"];
    std::string time, least, verdict = line["grade"].is_string() ? line["grade"].get<std::string>() : "right";
    for (const char* field : {"verdict", "skip", "failure"})
      if (line[field].is_string() && !line[field].get<std::string>().empty())
        verdict = (field == std::string_view("verdict") ? "wrong: " : fmt::format("{}: ", field)) + line[field].get<std::string>();
    if (!samples.empty()) {
      const double iters = line["iterations"];
      time = fmt::format("{:.3f}", median(samples) / iters * 1e3);
      least = fmt::format("{:.3f}", std::ranges::min(samples) / iters * 1e3);
    }
    rows.push_back({line["implementation"], parameters, line["dataset"]["name"], line["n"].dump(), line["d"].dump(), line["k"].dump(),
                    line["precision"], line["iterations"].is_null() ? "" : line["iterations"].dump(), time, least, verdict});
  }
  std::vector<std::size_t> widths(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t at = 0; at < row.size(); ++at) widths[at] = std::max(widths[at], row[at].size());
  std::string text;
  for (const auto& row : rows) {
    for (std::size_t at = 0; at < row.size(); ++at) {
      const bool right = at >= 3 && at <= 9 && at != 6;
      text += at + 1 == row.size() ? row[at] : right ? fmt::format("{:>{}}  ", row[at], widths[at]) : fmt::format("{:<{}}  ", row[at], widths[at]);
    }
    text += "\n";
  }
  return text;
}

}  // namespace km
