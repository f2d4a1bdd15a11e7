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

/// The command line with the last names of absolute paths: where a machine keeps its files is nobody's business.
Json shortened(const std::vector<std::string>& argv) {
  Json list = Json::array();
  for (std::size_t at = 0; at < argv.size(); ++at)
    list.push_back(at == 0 || argv[at].starts_with('/') ? fs::path(argv[at]).filename().string() : argv[at]);
  return list;
}

}  // namespace

Json skeleton(const Case& c, const std::vector<std::string>& argv, const std::string& machine) {
  Json line = {{"schema", 1}, {"case", c.id()}};
  line.update(c.identity());
  line["order"] = c.order;
  Json seed = Json();
  if (const auto at = c.dataset.settings.find("seed"); at != c.dataset.settings.end()) seed = at->second;
  const Json settings = c.dataset.settings.empty() ? Json() : Json(c.dataset.settings);
  line["dataset"] = {{"name", c.dataset.name}, {"hash", nullptr}, {"seed", seed}, {"generator", settings}};
  for (const char* name : {"iterations", "samples_event_s", "prepare_s", "download_s", "work", "inertia", "centroid_error", "mean_error",
                           "wrong_labels", "judged_points", "cluster_sizes", "verdict", "skip", "failure", "peak_bytes",
                           "device_peak_bytes", "gpu"})
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
  line["mean_error"] = number(m.judgement.mean_error);
  if (m.centroid_error) line["centroid_error"] = number(*m.centroid_error);
  if (c.k <= 64) line["cluster_sizes"] = m.judgement.cluster_sizes;
}

ResultFile::ResultFile(fs::path path) : path_(std::move(path)) {
  std::error_code error;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
  const int file = ::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (file < 0) throw UserError(fmt::format("cannot write {}: {}", path_.string(), std::generic_category().message(errno)));
  off_t end = ::lseek(file, 0, SEEK_END);
  for (char last = 0; end > 0 && ::pread(file, &last, 1, end - 1) == 1 && last != '\n';) --end;
  const bool cut = ::ftruncate(file, end) == 0;
  ::close(file);
  if (!cut) throw UserError(fmt::format("cannot write {}", path_.string()));
}

void ResultFile::append(const Json& line) const {
  const std::string text = line.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const int file = ::open(path_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  const bool written = file >= 0 && ::write(file, text.data(), text.size()) == ssize_t(text.size());
  if (file >= 0) ::close(file);
  if (!written) throw UserError(fmt::format("cannot append to {}: {}", path_.string(), std::generic_category().message(errno)));
}

std::vector<Json> read_lines(const fs::path& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string text; std::getline(file, text);)
    if (auto line = Json::parse(text, nullptr, false); line.is_object() && line.contains("case")) lines.push_back(std::move(line));
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

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
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
  std::vector<std::vector<std::string>> rows = {{"implementation", "parameters", "data", "n", "d", "k", "prec", "iters", "ms/iter", "min", "verdict"}};
  for (const auto& line : lines) {
    std::string parameters;
    for (const auto& [key, value] : line["parameters"].items())
      parameters += (parameters.empty() ? "" : " ") + key + "=" + (value.is_string() ? value.get<std::string>() : value.dump());
    std::vector<double> samples = line["samples_s"];
    std::string time, least, verdict = "right";
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
