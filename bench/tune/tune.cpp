#include "bench/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/machine/environment.hpp"
#include "bench/machine/version.hpp"
#include "bench/run/folder_lock.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/tune/history.hpp"
#include "bench/tune/store.hpp"
#include "bench/tune/strategy.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr int most_points = 5000;  // per command
constexpr std::size_t most_reasons = 5;

/// The file of an implementation's lines: <folder>/<device>/gpu-lloyd-naive.jsonl; of winners and defaults measured again ….winners.jsonl.
fs::path file_of(const TuneOptions& options, std::string implementation, const char* suffix) {
  std::ranges::replace(implementation, '/', '-');
  return options.folder / options.run.machine / (implementation + suffix);
}

class Tuning {
 public:
  Tuning(const TuningSpace& space, const TuneOptions& options)
      : space_(space), options_(options), start_(space.at(space.start())), lock_(options.folder / options.run.machine, "kmbench tune"),
        values_(options.folder, options.run.machine), points_(file_of(options, start_.implementation_name, ".jsonl")),
        winners_(file_of(options, start_.implementation_name, ".winners.jsonl")), history_(points_.path(), options.run.machine) {
    write_machine_record(options.folder / options.run.machine, options.run.machine, options.same_machine);
    if (history_.others() > 0)
      fmt::print(stderr, "{} lines of another machine, commit or build in {} are left aside\n", history_.others(), points_.path().string());
    if (const int known = found_in(history_, space_, options_.repetitions).points; known > 0)
      fmt::print(stderr, "{} points have lines already, and the search goes on from there\n", known);
  }

  int run() {
    if (!search()) return interrupted();
    const Found found = found_in(history_, space_, options_.repetitions);
    if (!found.best) {
      print_reasons(found);
      fmt::print(stderr, "kmbench: no point of {} has a time: nothing is kept\n", start_.implementation_name);
      return 1;
    }
    std::vector<Case> cases = {*found.best};
    if (start_.skip.empty() && start_.id() != found.best->id()) cases.push_back(start_);
    const auto keep = [&](const Case& c, const Json& line) {
      winners_.append(line);
      again_[c.id()] = line;
    };
    if (!measure_together(std::move(cases), options_.at_last, options_.run, keep)) return interrupted();
    return conclude(found);
  }

 private:
  /// Searches until the strategy or the budget ends. Returns false if interrupted.
  bool search() {
    if (!start_.skip.empty() && !history_.find(start_.id(), 1)) add(skeleton(start_, options_.run.argv, options_.run.machine));
    Workers workers(options_.run.argv, WorkerLimits::of(options_.run.memory_bytes));
    Budget budget(options_.budget_s);
    int left = most_points;
    bool stopped = false;
    const auto evaluate = [&](const TuningPoint& point, int repetitions) -> std::optional<double> {
      Case c = space_.at(point);
      if (!c.skip.empty()) return std::nullopt;
      c.repetitions = repetitions;
      if (!history_.find(c.id(), repetitions)) {
        if (budget.over() || left-- == 0) throw SearchOver();
        const auto line = measure_point(workers, c, options_.run.timeout_s, options_.run);
        stopped = !line;
        if (stopped) throw SearchOver();
        add(*line);
        budget.begin();
      }
      const Tried* tried = history_.find(c.id(), repetitions);
      return tried && tried->counts() ? std::optional(tried->seconds) : std::nullopt;
    };
    try {
      km::search(options_.strategy, space_, options_.seed, options_.repetitions, evaluate);
    } catch (const SearchOver&) {}
    return !stopped;
  }

  void add(const Json& line) {
    points_.append(line);
    history_.add(line);
    const Case c = case_of(line, start_);
    fmt::print(stderr, "[{}] {}: {}\n", ++count_, c.id() == start_.id() ? "defaults" : shown_parameters(c, changed(c)), outcome(line));
  }

  int conclude(const Found& found) {
    const double best_s = seconds_again(*found.best), start_s = seconds_again(start_);
    const bool better = best_s > 0 && (start_s == 0 || best_s < start_s);
    const Case& winner = better ? *found.best : start_;
    fmt::print("{} on {}, {} n {} d {} k {}: {} points tried of {:.0f}, {} wrong, {} failed\n", start_.implementation_name, options_.run.machine,
               start_.dataset.name, start_.n, start_.d, start_.k, found.points, space_.size(), found.wrong, found.failed);
    print_reasons(found);
    print_row("defaults", start_, space_.names());
    if (found.best->id() != start_.id()) print_row("best found", *found.best, changed(*found.best));
    if (best_s == 0 && start_s == 0) {
      fmt::print(stderr, "kmbench: measured again neither has a time: nothing is kept\n");
      return 1;
    }
    values_.keep(winner, space_.names(), facts(found, better ? best_s : start_s, start_s));
    fmt::print("{}; kept in {} for {}\n",
               better && start_s > 0 && winner.id() != start_.id() ? fmt::format("{:.3f} times as fast as the defaults", start_s / best_s)
               : winner.id() == start_.id()                        ? "nothing tried is faster than the defaults"
                                                                   : "the defaults have no time",
               values_.path().string(), shape_class(winner));
    return 0;
  }

  Json facts(const Found& found, double seconds, double start_s) const {
    return {{"iteration_s", seconds},
            {"default_iteration_s", start_s > 0 ? Json(start_s) : Json()},
            {"dataset", fs::path(start_.dataset.name).filename().string()},
            {"max_iters", start_.max_iters},
            {"strategy", options_.strategy},
            {"seed", options_.seed},
            {"points", found.points},
            {"wrong", found.wrong},
            {"failed", found.failed},
            {"lines", fs::relative(points_.path(), options_.folder).string()},
            {"commit", version::commit()},
            {"dirty", version::dirty()},
            {"date", skeleton(start_, {}, "")["date"]}};
  }

  /// Median seconds per iteration when measured again; 0 if there is none.
  double seconds_again(const Case& c) const {
    const auto line = again_.find(c.id());
    return line == again_.end() || !reason_of(line->second).empty() ? 0 : iteration_s(line->second);
  }

  void print_row(const char* what, const Case& c, const std::vector<std::string>& names) const {
    const auto line = again_.find(c.id());
    const std::string time = line != again_.end() ? outcome(line->second) : c.skip.empty() ? "not measured" : "skipped: " + c.skip;
    fmt::print("  {:<10}  {}  {}\n", what, time, shown_parameters(c, names));
  }

  static void print_reasons(const Found& found) {
    for (std::size_t at = 0; at < std::min(most_reasons, found.reasons.size()); ++at)
      fmt::print("  does not count: {}: {}\n", found.reasons[at].first, found.reasons[at].second);
    if (found.reasons.size() > most_reasons) fmt::print("  and {} more\n", found.reasons.size() - most_reasons);
  }

  /// Parameters that differ from the defaults.
  std::vector<std::string> changed(const Case& c) const {
    auto names = space_.names();
    std::erase_if(names, [&](const std::string& name) { return c.config.values().find(name)->second == start_.config.values().find(name)->second; });
    return names;
  }

  int interrupted() const {
    fmt::print(stderr, "\ninterrupted: what has ended is kept in {}, and the same command goes on from there\n", points_.path().string());
    return 130;
  }

  const TuningSpace& space_;
  const TuneOptions& options_;
  Case start_;
  FolderLock lock_;
  TunedValues values_;
  ResultFile points_, winners_;
  History history_;
  std::map<std::string, Json> again_;  // lines by case
  int count_ = 0;
};

}  // namespace

int tune(const TuningSpace& space, const TuneOptions& options) { return Tuning(space, options).run(); }

}  // namespace km
