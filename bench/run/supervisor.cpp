#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>

#include "bench/base/write_whole.hpp"
#include "bench/machine/environment.hpp"
#include "bench/machine/version.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

/// The recorded lines of cases. Reads each file once.
class Recorded {
 public:
  explicit Recorded(const RunOptions& options) : options_(options) {}

  /// Returns the latest line of a case; null if there is none.
  const Json* find(const Case& c) {
    const auto path = result_path(options_, c);
    auto file = files_.find(path);
    if (file == files_.end()) file = files_.emplace(path, latest(read_lines(ResultFile(path).path()))).first;
    const auto at = file->second.find(c.id());
    return at == file->second.end() ? nullptr : &at->second;
  }

 private:
  const RunOptions& options_;
  std::map<std::filesystem::path, std::map<std::string, Json>> files_;
};

/// Reduces `repetitions` of each case by the recorded runs that it may continue, and sets `continues`.
void leave_out_runs(std::vector<Case>& cases, Recorded& recorded, const RunOptions& options) {
  if (options.redo) return;
  for (auto& c : cases) {
    const Json* before = c.skip.empty() ? recorded.find(c) : nullptr;
    if (!before || !can_continue(*before, skeleton(c, options.argv, options.machine))) continue;
    const int made = int((*before)["samples_s"].size());
    if (made >= c.repetitions) continue;
    c.continues = made;
    c.repetitions -= made;
  }
}

/// Returns the ids of cases with all results. Prints how many there are, their commits, and how many lack runs or the energy that was asked for.
std::set<std::string> finished_of(const std::vector<Case>& cases, Recorded& recorded, bool energy) {
  std::set<std::string> done;
  std::map<std::string, int> commits;  // other than this one
  int continued = 0, fewer = 0, no_energy = 0;
  for (const auto& c : cases) {
    const Json* line = recorded.find(c);
    if (!line || !(*line)["verdict"].is_string()) continue;
    if (c.continues > 0) {
      ++continued;
      continue;
    }
    done.insert(c.id());
    no_energy += energy && (*line)["verdict"] == "" && !line->value("energy", Json()).is_object();
    fewer += (*line)["verdict"] == "" && (*line)["samples_s"].size() < std::size_t(c.repetitions);
    if (const Json& commit = (*line)["commit"]; commit.is_string() && commit != version::commit()) ++commits[commit.get<std::string>()];
  }
  if (!done.empty()) fmt::print(stderr, "{} of {} cases have results already (--redo runs them again)\n", done.size(), cases.size());
  for (const auto& [commit, count] : commits) fmt::print(stderr, "{} of these from commit {}; this is {}\n", count, commit, version::commit());
  if (fewer > 0)
    fmt::print(stderr, "{} of these have fewer runs than asked for and are not continued: another commit, machine or exhibit, or changes beside it\n",
               fewer);
  if (no_energy > 0) fmt::print(stderr, "{} of these have no energy: --redo --energy measures it\n", no_energy);
  if (continued > 0) fmt::print(stderr, "{} of {} cases have fewer runs than asked for: the missing ones follow\n", continued, cases.size());
  return done;
}

class Recorder {
 public:
  Recorder(const std::vector<Case>& cases, Recorded& recorded, const RunOptions& options) : options_(options) {
    for (const auto& c : cases) {
      cases_.emplace(c.id(), &c);
      files_[result_path(options, c)].push_back(c.id());
    }
    const std::set<std::string> done = options.redo ? std::set<std::string>{} : finished_of(cases, recorded, options.energy);
    for (const auto& c : cases) {
      if (done.contains(c.id())) continue;
      if (c.skip.empty()) jobs_.push_back(job_of(c, options.timeout_s));
      else if (const Json* before = recorded.find(c); !before || (*before)["skip"] != c.skip)
        ResultFile(result_path(options, c)).append(skeleton(c, options.argv, options.machine));
    }
    progress_.emplace(jobs_, [&](const Job& job) { return cases_.at(job.id)->exhibit; });
    if (const std::string busy = load_warning(); !jobs_.empty() && !busy.empty()) progress_->say("warning: " + busy, Colour::yellow);
  }

  const std::vector<Job>& jobs() const { return jobs_; }
  const std::map<std::filesystem::path, std::vector<std::string>>& files() const { return files_; }

  JobEvents events() {
    return {.started = [this](const std::string& id) { progress_->start(cases_.at(id)->name()); },
            .ended = [this](const std::string& id, const std::string& answer, const std::string& why) { record(id, answer, why); }};
  }

  std::vector<Json> lines() {
    progress_->clear();
    std::vector<Json> all;
    for (const auto& [path, ids] : files_)
      for (auto& line : ResultFile(path).lines(ids)) all.push_back(std::move(line));
    return all;
  }

 private:
  void record(const std::string& id, const std::string& answer, const std::string& why) {
    const Case& c = *cases_.at(id);
    const Json line = line_of(c, answer, why, options_.argv, options_.machine);
    ResultFile(result_path(options_, c)).append(line);
    if (const Colour colour = colour_of(line); colour == Colour::red) progress_->say_of(c.name(), outcome(line), colour);
    else if (const std::string sentence = far_off(line); !sentence.empty()) progress_->say_of("warning: " + c.name(), sentence, Colour::yellow);
    progress_->done(c.exhibit);
  }

  const RunOptions& options_;
  std::map<std::string, const Case*> cases_;
  std::map<std::filesystem::path, std::vector<std::string>> files_;
  std::vector<Job> jobs_;
  std::optional<Progress> progress_;
};

/// Writes and prints what --benchmark_out and --benchmark_format ask for.
void export_google_benchmark(const std::vector<Json>& lines, const RunOptions& options) {
  if (options.format.empty() && options.benchmark_out.empty()) return;
  const Json document = to_google_benchmark(lines);
  const std::string text = document.dump(2) + "\n";
  if (options.format == "json") fmt::print("{}", text);
  if (options.format == "console") print_google_benchmark(document);
  if (!options.benchmark_out.empty()) write_whole(options.benchmark_out, text);
}

}  // namespace

std::filesystem::path result_path(const RunOptions& options, const Case& c) {
  return options.out / (c.exhibit.empty() ? "adhoc.jsonl" : c.exhibit.substr(0, c.exhibit.find('/')) + ".jsonl");
}

std::shared_ptr<const Json> measure_point(Workers& workers, const Case& c, double timeout_s, const RunOptions& run) {
  std::shared_ptr<const Json> line;
  bool begun = false;
  const auto ended = [&](const std::string&, const std::string& answer, const std::string& why) {
    if (!begun && !why.empty()) throw std::runtime_error(why);
    line = std::make_shared<const Json>(line_of(c, answer, why, run.argv, run.machine));
  };
  workers.run({job_of(c, timeout_s)}, {.started = [&](const std::string&) { begun = true; }, .ended = ended});
  return line;
}

int supervise(std::vector<Case> cases, const RunOptions& options, const std::function<void()>& locked) {
  const Descriptor lock = lock_folder(options.out, "kmbench");
  locked();
  Recorded recorded(options);
  leave_out_runs(cases, recorded, options);
  Recorder recorder(cases, recorded, options);
  const auto left = Workers(options.argv, WorkerLimits::of(options.memory_bytes), options.launcher).run(recorder.jobs(), recorder.events());
  if (!left.empty()) {
    fmt::print(stderr, "\ninterrupted: {} of {} cases are left; what has ended is kept in {}, and the same command goes on from there\n", left.size(),
               cases.size(), options.out.string());
    return 130;
  }
  const std::vector<Json> lines = recorder.lines();
  std::FILE* text = options.format.empty() ? stdout : stderr;
  fmt::print(text, "{}", summary_table(lines, columns_of(text)));
  if (const auto disturbed = std::ranges::count_if(lines, is_disturbed); disturbed > 0)
    fmt::print(text, "‡ {} of {} times are disturbed by other processes: run again with --redo on a quiet machine\n", disturbed,
               std::ranges::count_if(lines, [](const Json& line) { return !line["samples_s"].empty(); }));
  for (const auto& [path, ids] : recorder.files())
    fmt::print(text, "{} {} of this plan in {}\n", ids.size(), ids.size() == 1 ? "line" : "lines", path.string());
  export_google_benchmark(lines, options);
  return std::ranges::any_of(lines,
                             [](const Json& line) { return line["failure"].is_string() || (line["verdict"].is_string() && line["verdict"] != ""); });
}

}  // namespace km
