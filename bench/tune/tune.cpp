#include "bench/tune/tune.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ranges>

#include "bench/base/error.hpp"
#include "bench/machine/environment.hpp"
#include "bench/machine/version.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/workers.hpp"
#include "bench/tune/finals.hpp"
#include "bench/tune/history.hpp"
#include "bench/tune/store.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

constexpr int most_points = 5000;  // per command
constexpr std::size_t most_reasons = 5;
constexpr std::size_t most_finalists = 2;  // beside the defaults and what was kept before

/// The file of an implementation's lines: <folder>/<device>/gpu-lloyd-naive.jsonl; of the rounds ….winners.jsonl.
fs::path file_of(const TuneOptions& options, std::string implementation, const char* suffix) {
  std::ranges::replace(implementation, '/', '-');
  return options.folder / options.run.machine / (implementation + suffix);
}

class Tuning {
 public:
  Tuning(const TuningSpace& space, const TuneOptions& options)
      : space_(space), options_(options), start_(space.at(space.start())), lock_(lock_folder(options.folder / options.run.machine, "kmbench tune")),
        values_(options.folder, options.run.machine), points_(file_of(options, start_.implementation_name, ".jsonl")),
        winners_(file_of(options, start_.implementation_name, ".winners.jsonl")), history_(points_.path(), options.run.machine) {
    write_machine_record(options.folder / options.run.machine, options.run.machine, options.same_machine);
    if (history_.others() > 0)
      fmt::print(stderr, "{} lines of another machine or commit, or of uncommitted changes, in {} are left aside\n", history_.others(),
                 points_.path().string());
    if (const int known = found_in(history_, space_, options_.repetitions).settings; known > 0)
      fmt::print(stderr, "{} settings have lines already, and the search goes on from there\n", known);
  }

  int run() {
    if (!search()) return interrupted();
    const Found found = found_in(history_, space_, options_.repetitions);
    if (found.best.empty()) {
      print_reasons(found);
      fmt::print(stderr, "kmbench: no setting of {} has a time: nothing is kept\n", start_.implementation_name);
      return 1;
    }
    const auto cases = finalists(found);
    const FinalsOptions finals{.rounds = cases.size() > 1 ? options_.rounds : 0, .budget_s = options_.budget_s, .disturbed = options_.anyway};
    for (const auto& c : cases | std::views::drop(1)) fmt::print(stderr, "{} meets the defaults in up to {} rounds\n", label(c), options_.rounds);
    finals_ = measure_finals(cases, finals, options_.run, [&](const Json& line) { winners_.append(line); });
    return finals_.interrupted ? interrupted() : conclude(found);
  }

 private:
  /// Searches until the strategy or the budget ends. Returns false if interrupted.
  bool search() {
    if (!start_.skip.empty() && !history_.find(start_.id())) add(skeleton(start_, options_.run.argv, options_.run.machine));
    Workers workers(options_.run.argv, WorkerLimits::of(options_.run.memory_bytes));
    std::optional<std::chrono::steady_clock::time_point> begin;  // of the budget: when the first point has its time
    int left = most_points;
    bool stopped = false;
    const auto evaluate = [&](const TuningPoint& point, int repetitions) -> std::optional<double> {
      Case c = space_.at(point);
      if (!c.skip.empty()) return std::nullopt;
      c.repetitions = repetitions;
      if (!history_.find(c.id(), repetitions)) {
        if ((begin && seconds_since(*begin) > options_.budget_s) || left-- == 0) throw SearchOver();
        const auto line = measure_point(workers, c, options_.run.timeout_s, options_.run);
        stopped = !line;
        if (stopped) throw SearchOver();
        add(*line);
        if (!begin) begin = std::chrono::steady_clock::now();
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
    fmt::print(stderr, "[{}] {}: {}\n", ++count_, label(c), outcome(line));
  }

  /// The defaults, then what may be faster: the fastest found, and what was kept before. The fastest alone if the defaults have no time.
  std::vector<Case> finalists(const Found& found) const {
    const auto is_start = [&](const Case& c) { return c.id() == start_.id(); };
    const auto defaults = std::ranges::find_if(found.best, is_start);
    if (defaults == found.best.end()) return {found.best.front()};
    std::vector<Case> all = {start_};
    const auto add = [&](const Case& c) {
      if (std::ranges::none_of(all, [&](const Case& other) { return other.id() == c.id(); })) all.push_back(c);
    };
    for (auto c = found.best.begin(); c != defaults && all.size() <= most_finalists; ++c) add(*c);
    Case kept = start_;
    values_.apply(kept, {});
    if (kept.tuned == "exact" && space_.holds(kept)) add(kept);
    return all;
  }

  int conclude(const Found& found) {
    const Finalist& first = finals_.all.front();
    const std::size_t tests = std::max<std::size_t>(finals_.all.size() - 1, 1);
    const Finalist* winner = &first;
    Change gain;
    std::size_t counted = finals_.all.size() > 1 ? 0 : std::size_t(finals_.rounds);
    for (const auto& one : finals_.all | std::views::drop(1)) {
      if (!one.reason.empty()) continue;
      const Change change = change_between(first, one);
      counted = std::max(counted, change.rounds);
      if (!surely_faster(change, tests) || (winner != &first && change.ratio >= gain.ratio)) continue;
      winner = &one;
      gain = change;
    }
    gain.p = std::min(1.0, gain.p * double(tests));
    print_table(found, tests);
    if (!first.reason.empty()) {
      fmt::print(stderr, "kmbench: {} when measured again: nothing is kept\n", first.reason);
      return 1;
    }
    const bool fails = std::ranges::all_of(finals_.all | std::views::drop(1), [](const Finalist& one) { return !one.reason.empty(); });
    if (!fails && 2 * counted < std::size_t(finals_.rounds)) {
      fmt::print(stderr, "kmbench: other programs disturbed {} of {} rounds: nothing is kept; wait for a quiet machine, or give --anyway\n",
                 finals_.rounds - int(counted), finals_.rounds);
      return 1;
    }
    values_.keep(winner->c, space_.names(), facts(found, *winner, gain));
    fmt::print("{}; kept in {} for {}\n",
               winner != &first              ? fmt::format("{} is {:.3f} times as fast as the defaults", label(winner->c), 1 / gain.ratio)
               : first.c.id() == start_.id() ? "nothing tried is surely faster than the defaults, which stay"
                                             : fmt::format("the defaults have no time: {}", label(first.c)),
               values_.path().string(), shape_class(winner->c));
    return 0;
  }

  /// `gain`: the winner's time over the defaults', where it is another setting.
  Json facts(const Found& found, const Finalist& winner, const Change& gain) const {
    const Tried* defaults = history_.find(start_.id());
    const Finalist& first = finals_.all.front();
    const bool timed = defaults && defaults->counts(), better = &winner != &first;
    const auto seconds = [&](const Finalist& one) { return one.rounds_s.empty() ? searched_s(one.c) : typical_s(one); };
    return {{"iteration_s", seconds(winner)},
            {"default_iteration_s", timed ? Json(seconds(first)) : Json()},
            {"ratio", better ? Json(gain.ratio) : Json()},
            {"interval", better && gain.rounds >= fewest_rounds(1) ? Json{gain.low, gain.high} : Json()},
            {"p", better ? Json(gain.p) : Json()},
            {"rounds", finals_.rounds},
            {"load", finals_.load},
            {"anyway", options_.anyway},
            {"dataset", fs::path(start_.dataset.name).filename().string()},
            {"max_iters", start_.max_iters},
            {"strategy", options_.strategy},
            {"seed", options_.seed},
            {"settings", found.settings},
            {"wrong", found.wrong},
            {"failed", found.failed},
            {"lines", fs::relative(points_.path(), options_.folder).string()},
            {"commit", version::commit()},
            {"dirty", version::dirty()},
            {"date", skeleton(start_, {}, "")["date"]}};
  }

  std::string label(const Case& c) const { return c.id() == start_.id() ? "defaults" : shown_parameters(c, changed(c)); }

  void print_table(const Found& found, std::size_t tests) const {
    fmt::print("{} on {}, {} n {} d {} k {}: {} settings tried of {:.0f}, {} wrong, {} failed; {} rounds, load {:.2f}\n", start_.implementation_name,
               options_.run.machine, start_.dataset.name, start_.n, start_.d, start_.k, found.settings, space_.size(), found.wrong, found.failed,
               finals_.rounds, finals_.load);
    print_reasons(found);
    if (!start_.skip.empty()) fmt::print("  defaults: skipped: {}\n", start_.skip);
    std::size_t width = 0;
    for (const auto& one : finals_.all) width = std::max(width, label(one.c).size());
    for (const auto& one : finals_.all) {
      const Change change = change_between(finals_.all.front(), one);
      std::string text =
          one.reason.empty() ? fmt::format("{:.4g} ms an iteration", 1e3 * (typical_s(one) > 0 ? typical_s(one) : searched_s(one.c))) : one.reason;
      if (&one != &finals_.all.front() && one.reason.empty())
        text += fmt::format(", {:.3f}{} times as fast, p = {:.2g}: {}", 1 / change.ratio,
                            change.rounds < fewest_rounds(1) ? "" : fmt::format(" [{:.3f}, {:.3f}]", 1 / change.high, 1 / change.low),
                            std::min(1.0, change.p * double(tests)), surely_faster(change, tests) ? "surely faster" : "not surely faster");
      fmt::print("  {:<{}}  {}\n", label(one.c), width, text);
    }
  }

  /// Seconds per iteration in the search.
  double searched_s(const Case& c) const {
    const Tried* tried = history_.find(c.id());
    return tried ? tried->seconds : 0;
  }

  static void print_reasons(const Found& found) {
    for (std::size_t at = 0; at < std::min(most_reasons, found.reasons.size()); ++at)
      fmt::print("  does not count: {}: {}\n", found.reasons[at].first, found.reasons[at].second);
    if (found.reasons.size() > most_reasons) fmt::print("  and {} more\n", found.reasons.size() - most_reasons);
  }

  std::vector<std::string> changed(const Case& c) const {
    auto names = space_.names();
    std::erase_if(names, [&](const std::string& name) { return c.config.values().find(name)->second == start_.config.values().find(name)->second; });
    return names;
  }

  int interrupted() const {
    fmt::print(stderr, "\ninterrupted: what has ended is kept in {}{}\n", points_.path().string(),
               version::dirty() ? "" : ", and the same command goes on from there");
    return 130;
  }

  const TuningSpace& space_;
  const TuneOptions& options_;
  Case start_;
  Descriptor lock_;
  TunedValues values_;
  ResultFile points_, winners_;
  History history_;
  Finals finals_;
  int count_ = 0;
};

}  // namespace

int tune(const TuningSpace& space, const TuneOptions& options) {
  if (!options.busy.empty()) throw UserError(options.busy + ": a tuning would keep noise; wait, or give --anyway");
  return Tuning(space, options).run();
}

}  // namespace km
