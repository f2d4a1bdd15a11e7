// The parent of a tuning: keeps the history of a search, measures the winner again and reports.
#include "bench/tune/tune.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "bench/machine/environment.hpp"
#include "bench/machine/version.hpp"
#include "bench/run/folder_lock.hpp"
#include "bench/run/progress.hpp"
#include "bench/tune/again.hpp"
#include "bench/tune/store.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr int most_turns = 5000;  // points per command
constexpr std::size_t most_reasons = 5;

class Tuning {
 public:
  Tuning(const TuningSpace& space, const TuneOptions& options)
      : space_(space), options_(options), start_(space.at(space.start())), lock_(options.folder / options.by.machine, "kmbench tune"),
        values_(options.folder, options.by.machine), points_(points_file(options, start_.implementation_name)),
        winners_(winners_file(options, start_.implementation_name)), history_(points_.path(), options.by.machine) {
    write_machine_record(options.folder / options.by.machine, options.by.machine, options.same_machine);
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
    if (start_.skip.empty()) cases.push_back(start_);
    auto again = measure_again(cases, options_, winners_);
    if (!again) return interrupted();
    again_ = std::move(*again);
    return conclude(found);
  }

 private:
  bool search() {
    std::vector<Job> turns;
    for (int turn = 1; turn <= most_turns; ++turn) {
      const std::string id = fmt::format("turn:{}", turn);
      turns.push_back({id, start_.patience_s(options_.timeout_s), id});
    }
    bool begun = false;
    if (!start_.skip.empty() && !history_.find(start_.id(), 1)) add(skeleton(start_, options_.by.argv, options_.by.machine));
    const auto ended = [&](const std::string&, const std::string& text) {
      begun = false;
      if (text.empty()) return;  // the search had already ended
      const Json line = Json::parse(text, nullptr, false);
      if (line.is_object() && line.contains("case")) add(line);
    };
    const auto lost = [&](const std::string&, const std::string& why) {
      if (!std::exchange(begun, false)) return trouble_ = why, void();
      if (const auto c = next()) add(line_of(*c, "", why, options_.by));
    };
    const auto left =
        run_in_workers(options_.by.argv, turns, WorkerLimits::of(options_.memory_bytes), {[&](const std::string&) { begun = true; }, ended, lost});
    ::unsetenv(until_variable);
    if (left.empty() && !trouble_.empty()) throw std::runtime_error(trouble_);
    return left.empty();
  }

  void add(const Json& line) {
    const bool measured = start_.skip.empty() || line["case"] != start_.id();  // else the defaults cannot run
    if (measured && !std::getenv(until_variable)) ::setenv(until_variable, fmt::format("{:.6f}", steady_now_s() + options_.budget_s).c_str(), 1);
    points_.append(line);
    history_.add(line);
    const Case c = case_of(line, start_);
    fmt::print(stderr, "[{}] {}: {}\n", ++count_, c.id() == start_.id() ? "defaults" : shown_parameters(c, changed(c)), outcome(line));
  }

  /// Replays the search to find the point the crashed worker was measuring.
  std::optional<Case> next() const {
    try {
      km::search(options_.strategy, space_, options_.seed, options_.repetitions,
                 answering(space_, history_, [](const Case& c) -> const Tried& { throw c; }));
    } catch (const Case& c) {
      return c;
    }
    return std::nullopt;
  }

  int conclude(const Found& found) {
    const double best_s = again_.seconds(*found.best), start_s = again_.seconds(start_);
    const bool better = best_s > 0 && (start_s == 0 || best_s < start_s);
    const Case& winner = better ? *found.best : start_;
    fmt::print("{} on {}, {} n {} d {} k {}: {} points tried of {:.0f}, {} wrong, {} failed\n", start_.implementation_name, options_.by.machine,
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

  void print_row(const char* what, const Case& c, const std::vector<std::string>& names) const {
    const Json* line = again_.line(c);
    const std::string time = line ? outcome(*line) : c.skip.empty() ? "not measured" : "skipped: " + c.skip;
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
  Again again_;
  std::string trouble_;
  int count_ = 0;
};

std::string file_name(std::string implementation) {
  std::ranges::replace(implementation, '/', '-');
  return implementation;
}

}  // namespace

fs::path points_file(const TuneOptions& options, const std::string& implementation) {
  return options.folder / options.by.machine / (file_name(implementation) + ".jsonl");
}

fs::path winners_file(const TuneOptions& options, const std::string& implementation) {
  return options.folder / options.by.machine / (file_name(implementation) + ".winners.jsonl");
}

int tune(const TuningSpace& space, const TuneOptions& options) { return Tuning(space, options).run(); }

}  // namespace km
