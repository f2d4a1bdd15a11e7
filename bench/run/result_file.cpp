// Appends and reads files of result lines, and selects the line of a case that counts.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/base/error.hpp"
#include "bench/run/fields.hpp"
#include "bench/run/result.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

/// Sets missing fields and fields of the wrong type to null (or empty), so that readers can rely on all of them.
Json with_every_field(Json line) {
  for (const Field& field : line_fields())
    if (const auto at = line.find(field.name); at == line.end() || !field.fits(*at)) line[field.name] = field.empty();
  for (const char* name : {"samples_s", "samples_event_s", "run_delay_s", "involuntary_switches"})
    if (Json& series = line[name]; !std::ranges::all_of(series, &Json::is_number) || (!series.is_null() && series.size() != line["samples_s"].size()))
      series = name == std::string_view("samples_s") ? Json::array() : Json();
  if (line["iterations"].is_null() || line["iterations"].get<double>() < 1) line["samples_s"] = Json::array();  // iterations are needed for a time
  if (!line["dataset"].contains("name") || !line["dataset"]["name"].is_string()) line["dataset"]["name"] = "";
  return line;
}

/// Prepends the samples of `before` if `line` continues it. A delay that one of them does not know counts as none, as in plots/read/results.py.
Json pooled(Json before, Json line) {
  const auto hash = [](const Json& of) { return of["dataset"].value("hash", Json()); };
  const bool further = line["continues"] == before["samples_s"].size() && line["verdict"] == "" && can_continue(before, line);
  if (!further || line["grade"] != before["grade"] || line["iterations"] != before["iterations"] || hash(line) != hash(before)) return line;
  for (const char* delay : {"run_delay_s", "involuntary_switches"})
    if (before[delay].is_array() || line[delay].is_array())
      for (Json* one : {&before, &line})
        if ((*one)[delay].is_null()) (*one)[delay] = std::vector<int>((*one)["samples_s"].size());
  for (const char* series : {"samples_s", "samples_event_s", "run_delay_s", "involuntary_switches"}) {
    Json all = before[series];
    if (all.is_array() && line[series].is_array()) all.insert(all.end(), line[series].begin(), line[series].end());
    else all = nullptr;
    line[series] = std::move(all);
  }
  return line;
}

}  // namespace

ResultFile::ResultFile(fs::path path) : path_(std::move(path)) {
  const auto refuse = [&] {
    const std::string why = errno == ELOOP ? "it is a link, and a result file has to be none" : std::generic_category().message(errno);
    return UserError("cannot write {}: {}", path_.string(), why);
  };
  std::error_code failed;
  if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), failed);
  const Descriptor file(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.id() < 0) throw refuse();
  off_t end = std::max<off_t>(0, ::lseek(file.id(), 0, SEEK_END));
  const off_t size = end;
  const auto begins_line = [&](off_t at) {
    char first = 0;
    return at == size || (::pread(file.id(), &first, 1, at) == 1 && first == '{');
  };
  for (char last = 0; end > 0 && ::pread(file.id(), &last, 1, end - 1) == 1 && last != '\n';) --end;
  if (!begins_line(0) || !begins_line(end)) throw UserError("cannot write {}: it holds something else than result lines", path_.string());
  if (end < size && ::ftruncate(file.id(), end) != 0) throw refuse();
}

void ResultFile::append(const Json& line) const {
  const std::string text = readable(line).dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  const auto refuse = [&](const std::string& why) { throw UserError("cannot append to {}: {}", path_.string(), why); };
  const Descriptor file(::open(path_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.id() < 0) refuse(std::generic_category().message(errno));
  const off_t before = ::lseek(file.id(), 0, SEEK_END);
  const auto wrote = ::write(file.id(), text.data(), text.size());
  if (wrote == ssize_t(text.size())) return;
  const std::string why = wrote < 0 ? std::generic_category().message(errno) : "the disk is full";
  refuse(before >= 0 && ::ftruncate(file.id(), before) != 0 ? why + "; a torn line is left at its end" : why);
}

Descriptor lock_folder(const fs::path& folder, const std::string& holder) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw UserError("cannot write to {}: {}", folder.string(), failed.message());
  Descriptor file(::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644));
  if (file.id() < 0) throw UserError("cannot write to {}: {}", folder.string(), std::generic_category().message(errno));
  if (::flock(file.id(), LOCK_EX | LOCK_NB) == 0) return file;
  throw UserError("another {} is writing to {}; wait for it, or choose --out", holder, folder.string());
}

std::vector<Json> read_lines(const fs::path& path) {
  std::vector<Json> lines;
  if (fs::exists(path) && !fs::is_regular_file(path)) throw UserError("{}: not a regular file", path.string());  // to open a pipe would wait
  std::ifstream file(path, std::ios::binary);
  if (const int why = errno; !file && why != ENOENT) throw UserError("{}: {}", path.string(), std::generic_category().message(why));
  int number = 0;
  for (std::string text; std::getline(file, text);) {
    ++number;
    Json line = Json::parse(text, nullptr, false);
    if (!line.is_object() || !line.contains("case") || !line["case"].is_string()) continue;
    if (const auto schema = line.find("schema"); schema != line.end() && schema->is_number() && schema->get<double>() > line_version())
      throw UserError("{}, line {}: schema {}; this kmbench reads up to {}", path.string(), number, schema->dump(), line_version());
    lines.push_back(with_every_field(std::move(line)));
  }
  return lines;
}

std::vector<Json> read_lines(const std::vector<std::string>& files) {
  std::vector<Json> all;
  std::error_code error;
  for (const auto& file : files)
    if (!fs::is_regular_file(file, error)) throw UserError("{}: no such file, or not a regular one", file);
  for (const auto& file : files) {
    auto lines = read_lines(fs::path(file));
    if (lines.empty()) throw UserError("{}: holds no result line; accepted: the .jsonl files of kmbench run", file);
    std::ranges::move(lines, std::back_inserter(all));
  }
  return all;
}

bool can_continue(const Json& before, const Json& line) {
  if (before["verdict"] != "" || before["dirty"] != false) return false;  // changes beside a commit have no identity
  return std::ranges::all_of(std::initializer_list<const char*>{"machine", "commit", "dirty", "device", "exhibit_hash"},
                             [&](const char* field) { return line[field] == before[field]; });
}

std::map<std::string, Json> latest(const std::vector<Json>& lines) {
  std::map<std::string, Json> last;
  for (const auto& line : lines) {
    const auto [at, fresh] = last.try_emplace(line["case"].get<std::string>(), line);
    if (!fresh) at->second = pooled(at->second, line);
  }
  return last;
}

std::vector<Json> ResultFile::lines(const std::vector<std::string>& ids) const {
  const auto last = latest(read_lines(path_));
  std::vector<Json> found;
  for (const auto& id : ids)
    if (const auto at = last.find(id); at != last.end()) found.push_back(at->second);
  return found;
}

}  // namespace km
