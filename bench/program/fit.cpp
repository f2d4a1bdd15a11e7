// kmbench fit: clusters points. Writes labels, centroids and a report.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "bench/base/error.hpp"
#include "bench/base/write_whole.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/device/device.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/workers.hpp"

namespace km::fit_command {

namespace fs = std::filesystem;

struct Flags {
  PointsFlags points;
  ProblemFlags problem;
  MachineFlags machine;
  std::string implementation = "auto", n_init, out;
} flags;

fs::path folder_of(const std::string& out) {
  std::error_code error;
  fs::path path = fs::absolute(out).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // without a slash at the end
  return fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
}

/// Folder of unfinished answers, beside `out`. Workers find it by their parent's id.
fs::path unfinished_of(const fs::path& out, pid_t program) { return out.string() + fmt::format(".{}.part", program); }

/// The program that is filling `out`; 0 if there is none.
pid_t writer_of(const fs::path& out) {
  std::error_code error;
  const std::string begin = out.string() + ".";
  for (const auto& entry : fs::directory_iterator(out.parent_path(), error))
    if (const auto& name = entry.path().string(); name.starts_with(begin) && name.ends_with(".part"))
      if (const auto program = pid_t(std::atol(name.c_str() + begin.size())); program > 0 && ::kill(program, 0) == 0) return program;
  return 0;
}

/// Throws UserError if `out` cannot become a new folder.
void check_folder(const fs::path& out) {
  const auto refuse = [&](const std::string& why) { throw UserError("--out {}: {}", out.string(), why); };
  std::error_code error;
  const auto there = fs::symlink_status(out, error);
  if (fs::exists(there) && !fs::is_directory(there)) refuse("not a folder");
  if (const pid_t program = writer_of(out)) refuse(fmt::format("process {} is writing it; wait for it, or name another folder", program));
  if (fs::exists(there) && !fs::is_empty(out, error)) refuse("not empty; name a new folder");
  if (!fs::is_directory(out.parent_path(), error)) refuse(fmt::format("no folder {}", out.parent_path().string()));
  if (::access(out.parent_path().c_str(), W_OK) != 0) refuse(fmt::format("folder {} is not to be written to", out.parent_path().string()));
}

/// Returns the case of this implementation; for "auto", the GPU's auto, else the CPU's. Its trials keep to a budget, as they are part of the wait.
/// Throws UserError with the reason why it cannot run.
Case planned(Sweep sweep, const std::string& implementation) {
  std::vector<std::string> names = {implementation};
  if (implementation == "auto") names = {"cpu/lloyd/auto"};
  if (implementation == "auto" && device::available()) names.insert(names.begin(), "gpu/lloyd/auto");
  std::string why;
  for (const auto& name : names) {
    sweep.axes["implementation"] = {name};
    sweep.axes.erase("set.trials");
    if (name.ends_with("/lloyd/auto")) sweep.axes["set.trials"] = {"budget"};
    Case c = expand(sweep, "", "paper").front();
    if (c.skip.empty()) return c;
    why = c.skip;
  }
  throw UserError(why);
}

std::vector<Case> starts_of(const Flags& f, ScratchFolder& scratch) {
  const KeepCatalogue keep;
  ProblemFlags problem = f.problem;
  name_points(f.points, problem, scratch);
  if (problem.tolerance.empty()) problem.tolerance = "0";
  if (problem.init.empty()) problem.init = "k-means++";
  const bool one_start = is_init_file(problem.init);
  const auto count = f.n_init.empty() ? (one_start ? 1 : 10) : whole_number("--n-init", f.n_init, 1, 1'000'000);
  if (one_start && count > 1) throw UserError("--n-init {}: a file of initial centroids is one start", count);
  const Case first = planned(problem.sweep(), f.implementation);
  check_external(first.implementation_name == "library/external");
  if (!problem.data.empty()) check_points(first);
  std::vector<Case> starts(std::size_t(count), first);
  for (std::size_t i = 0; i < starts.size(); ++i) {
    starts[i].init_seed += i;
    starts[i].repetitions = 1;
    starts[i].warmup = 0;
    starts[i].once = true;
    starts[i].order = std::int64_t(i);
  }
  return starts;
}

/// The starts' lines as they come in, and the best answer so far.
class Fit {
 public:
  Fit(const std::vector<Case>& starts, fs::path folder, const Invocation& by, std::string machine)
      : starts_(starts), folder_(std::move(folder)), by_(by), machine_(std::move(machine)), lines_(starts.size()) {
    for (std::size_t at = 0; at < starts.size(); ++at) places_[starts[at].id()] = at;
  }

  /// Keeps a start's line, and its answer if it is the best so far: right, and of the least inertia. Throws UserError if no start can run.
  void keep(const std::string& id, const std::string& answer, const std::string& why) {
    const std::size_t at = places_.at(id);
    lines_[at] = line_of(starts_[at], answer, why, by_.argv, machine_);
    if (const Json& skip = lines_[at]["skip"]; skip.is_string() && !has_answer()) throw UserError(skip.get<std::string>());
    const std::string reason = reason_against(lines_[at]);
    const double inertia = reason.empty() ? lines_[at]["inertia"].get<double>() : 0;
    if (reason.empty() || reason != said_)
      fmt::print(stderr, "start {} of {}: {}\n", at + 1, starts_.size(),
                 reason.empty() ? fmt::format("inertia {:.9g}, {} iterations, {:.3g} s", inertia, lines_[at]["iterations"].get<int>(),
                                              lines_[at]["samples_s"][0].get<double>())
                                : reason);
    said_ = reason;
    const bool better = reason.empty() && (!has_answer() || inertia < best()["inertia"].get<double>());
    const std::size_t loser = better ? std::exchange(best_, at) : at;
    std::error_code error;
    if (loser < starts_.size()) fs::remove_all(folder_of_start(loser), error);
  }

  bool has_answer() const { return best_ < lines_.size(); }
  const Json& best() const { return lines_[best_]; }
  fs::path answer() const { return folder_of_start(best_); }
  std::string why_none() const { return lines_.empty() || lines_[0].is_null() ? "nothing ran" : reason_against(lines_[0]); }

  /// Contents of fit.json. total_s: time since the program began.
  Json report(const std::string& points, double total_s) const {
    Json made = {{"points", points}, {"hash", best()["dataset"]["hash"]}};
    copy(made, {"n", "d", "k", "precision", "implementation", "parameters", "library", "device", "departs", "init", "max_iters", "tolerance"});
    copy(made, {"inertia", "iterations", "grade", "wrong_labels", "judged_points"});
    made["run_s"] = best()["samples_s"][0];
    double judge_s = 0;
    Json starts = Json::array();
    for (const auto& line : lines_) {
      const std::string reason = reason_against(line);
      Json one = {{"seed", line["init"]["seed"]}, {"inertia", line["inertia"]}, {"iterations", line["iterations"]}, {"run_s", nullptr}};
      if (reason.empty()) one["run_s"] = line["samples_s"][0];
      one["reason"] = reason.empty() ? Json() : Json(reason);
      starts.push_back(std::move(one));
      if (line["judge_s"].is_number()) judge_s += line["judge_s"].get<double>();
    }
    made["judge_s"] = judge_s;
    made["total_s"] = total_s;
    made["starts"] = std::move(starts);
    copy(made, {"machine", "commit", "dirty", "date"});
    return made;
  }

 private:
  void copy(Json& made, std::initializer_list<const char*> names) const {
    for (const char* name : names) made[name] = best()[name];
  }

  /// Returns why a start has no answer, or "".
  static std::string reason_against(const Json& line) {
    const std::string reason = reason_of(line);
    return reason.empty() && !line["inertia"].is_number() ? "failed: its inertia is no finite number" : reason;
  }

  fs::path folder_of_start(std::size_t at) const { return folder_ / starts_[at].id(); }

  const std::vector<Case>& starts_;
  fs::path folder_;
  const Invocation& by_;
  std::string machine_;
  std::unordered_map<std::string, std::size_t> places_;  // by the case's id
  std::vector<Json> lines_;
  std::size_t best_ = SIZE_MAX;
  std::string said_;  // the last start's reason; one that repeats is told once
};

void print_summary(const Json& report, const fs::path& out) {
  fmt::print("inertia {:.9g} after {} iterations, {}: {}, the best of {} {}\n", report["inertia"].get<double>(), report["iterations"].get<int>(),
             report["grade"].get<std::string>(), report["implementation"].get<std::string>(), report["starts"].size(),
             report["starts"].size() == 1 ? "start" : "starts");
  fmt::print("{:.3g} s in all, {:.3g} s of it judging\nlabels.npy, centroids.npy and fit.json in {}\n", report["total_s"].get<double>(),
             report["judge_s"].get<double>(), out.string());
}

int run(const Flags& f, const Invocation& by) {
  const auto begin = std::chrono::steady_clock::now();
  f.machine.select_device();
  const fs::path out = folder_of(f.out);
  RunOptions options = f.machine.run_options(by);
  options.answers = unfinished_of(out, by.inbox ? ::getppid() : ::getpid());
  if (by.inbox) return work(options, *by.inbox);
  check_folder(out);
  ScratchFolder scratch;
  const std::vector<Case> starts = starts_of(f, scratch);
  std::vector<Job> jobs;
  for (const auto& c : starts) jobs.push_back(job_of(c, options.timeout_s));
  const WorkerLimits limits = WorkerLimits::of(options.memory_bytes);
  Fit fit(starts, options.answers, by, options.machine);
  const ScratchFolder unfinished(options.answers);
  if (!Workers(by.argv, limits).run(jobs, {.ended = std::bind_front(&Fit::keep, &fit)}).empty()) {
    fmt::print(stderr, "\ninterrupted\n");
    return 130;
  }
  if (!fit.has_answer()) {
    fmt::print(stderr, "kmbench: no start has a right result: {}\n", one_line(fit.why_none()));
    return 1;
  }
  const Json report = fit.report(f.points.points, seconds_since(begin));
  write_whole(fit.answer() / "fit.json", report.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
  std::error_code error;
  fs::rename(fit.answer(), out, error);
  if (error) throw UserError("cannot write {}: {}", out.string(), error.message());
  print_summary(report, out);
  return 0;
}

const RegisterCommand registration{
    0,
    {.name = "fit",
     .summary = "Cluster points: labels, centroids and what they rest on, judged",
     .options = join_options(
         flags.points.options(),
         Options{{"--out", &flags.out, "New folder for labels.npy, centroids.npy and fit.json", {}, true},
                 {"--implementation", &flags.implementation, "auto: the fastest of the GPU, else of the CPU (auto)", {}, false, false, "NAME"},
                 {"--n-init", &flags.n_init, "Starts, from --seed on; the least inertia wins (10; 1 for a file of centroids)"}},
         flags.problem.shape_options(
             "Initial centroids, by method or a .npy of k x d (default k-means++, which is greedy-kmeans++, as in scikit-learn)"),
         flags.machine.options(),
         Options{{"--timeout", &flags.machine.timeout, "Seconds after which a start is given up (default: from its forecast)"}},
         other_implementations()),
     .run = [](const Invocation& by) { return run(flags, by); },
     .completes = {"$datasets"},
     .examples = {"kmbench fit points.npy --k 8 --out clusters", "kmbench fit shuttle.csv --k 7 --n-init 3 --precision fp64 --out clusters"}}};

}  // namespace km::fit_command
