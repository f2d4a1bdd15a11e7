// Formats the advice: a table of candidates and sentences.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

#include "bench/base/statistics.hpp"
#include "bench/base/text.hpp"
#include "bench/run/result.hpp"
#include "bench/tune/advise.hpp"
#include "bench/tune/rounds.hpp"

namespace km {
namespace {

constexpr double least_chance = 0.05;  // significance level

struct Time {
  double middle, least, most;  // ms of a run
  std::size_t runs;
};

Time time_of(const Json& line) {
  const std::vector<double> samples = line["samples_s"];
  const auto [least, most] = std::ranges::minmax(samples);
  return {median(samples) * 1e3, least * 1e3, most * 1e3, samples.size()};
}

bool has_time(const Advised& one) { return one.line && reason_of(*one.line).empty(); }

bool ran_on_all(const Advised& one) { return points_of(*one.line) == one.c.n; }

enum class Order { time, finalists };

/// Those that fit: of the most points first, then the fastest, or the fastest of the finalists.
std::vector<const Advised*> ranked(const std::vector<Advised>& all, Order order, auto fits) {
  std::vector<const Advised*> found;
  for (const auto& one : all)
    if (has_time(one) && fits(one)) found.push_back(&one);
  std::ranges::stable_sort(found, {}, [order](const Advised* one) {
    return std::tuple(-points_of(*one->line), order == Order::finalists && !one->again, time_of(*one->line).middle);
  });
  return found;
}

/// "12.3 ms of 8 iterations (12.1 to 12.9)", and on how many points, if not all.
std::string shown(const Advised& one) {
  const Time time = time_of(*one.line);
  const std::string range = time.runs > 1 ? fmt::format(" ({:.4g} to {:.4g})", time.least, time.most) : "";
  return fmt::format("{}, {:.4g} ms{} for {} iterations{}", one.c.implementation_name, time.middle, range, (*one.line)["iterations"].get<int>(),
                     ran_on_all(one) ? "" : fmt::format(" on the first {} points", points_of(*one.line)));
}

/// Says how certain it is that `best` is faster: a rank test against each other candidate measured again, Bonferroni-corrected. One more test counts,
/// because the runs themselves say which is the best. `kind`: of the others.
std::string sure(const Advised& best, const std::vector<const Advised*>& others, const std::string& kind) {
  if (others.size() == 1) return fmt::format("no other {} one was measured", kind);
  if (!best.again) return "not sure: it ran once, a longer --budget compares it with others";
  std::vector<const Advised*> beside;
  for (const auto* one : others)
    if (one != &best && one->again) beside.push_back(one);
  for (const auto* one : others)
    if (!one->again && points_of(*one->line) == points_of(*best.line) && time_of(*one->line).middle < time_of(*best.line).middle)
      return fmt::format("not sure: {} took less in its only run, a longer --budget compares them", one->c.implementation_name);
  if (beside.empty()) return "not sure: no other ran beside it on as many points";
  const std::vector<double> own = (*best.line)["samples_s"];
  std::string close;
  double worst = 0;
  for (const auto* one : beside) {
    const double chance = double(beside.size() + 1) * chance_of_ranks(own, (*one->line)["samples_s"].get<std::vector<double>>());
    worst = std::max(worst, chance);
    if (chance > least_chance) close += (close.empty() ? "" : ", ") + one->c.implementation_name;
  }
  if (!close.empty()) return fmt::format("not sure: {} may be as fast, by a rank test over {} runs each", close, own.size());
  return fmt::format("sure (p = {:.1g}, rank test over {} runs each); the next, {}, takes {:.2f} times as long", worst, own.size(),
                     beside.front()->c.implementation_name, time_of(*beside.front()->line).middle / time_of(*best.line).middle);
}

std::string untried(const std::vector<Advised>& all) {
  std::string names;
  for (const auto& one : all)
    if (!one.line && one.cut.empty()) names += (names.empty() ? "" : ", ") + one.c.implementation_name;
  return names.empty() ? "" : fmt::format("Not tried: {}. A longer --budget tries them.\n", names);
}

/// Grade, deviating labels and number of runs.
std::string result_of(const Advised& one) {
  const Json& line = *one.line;
  std::string text = line["grade"].is_string() ? line["grade"].get<std::string>() : "";
  if (line["wrong_labels"].is_number() && line["judged_points"].is_number() && line["wrong_labels"].get<double>() > 0)
    text += fmt::format(", {:.3g}% of the labels differ from fp64's", 100 * line["wrong_labels"].get<double>() / line["judged_points"].get<double>());
  const auto runs = line["samples_s"].size();
  text += fmt::format(", {} {}{}", runs, runs == 1 ? "run" : "runs", one.again ? " beside the others" : "");
  if (!ran_on_all(one)) text += fmt::format(" on {} points", points_of(line));
  if (!ran_on_all(one) && can_be_advised(one)) text += one.cut.empty() ? ": others were faster" : ": too slow for all";
  if (is_disturbed(line)) text += ", disturbed";
  if (line["departs"].is_string()) text += "; departs: " + line["departs"].get<std::string>();
  return text;
}

}  // namespace

bool can_be_advised(const Advised& one) { return has_time(one) && ((*one.line)["grade"] == "exact" || (*one.line)["grade"] == "rounded"); }

std::string advice(const std::vector<Advised>& all) {
  const auto right = ranked(all, Order::finalists, [](const Advised& one) { return can_be_advised(one); });
  const auto exact = ranked(all, Order::finalists, [](const Advised& one) { return (*one.line)["grade"] == "exact"; });
  if (right.empty()) return "No candidate has a right result that may be advised.\n" + untried(all);
  const Advised& best = *right.front();
  std::string text;
  if (!exact.empty() && exact.front() == &best) {
    text = fmt::format("Fastest, and exact: {}; {}.\n", shown(best), sure(best, right, "right"));
  } else {
    text = fmt::format("Fastest at all: {}, rounded; {}.\n", shown(best), sure(best, right, "right"));
    text += exact.empty() ? std::string("None of those measured is exact.\n")
                          : fmt::format("Fastest exact: {}; {}.\n", shown(*exact.front()), sure(*exact.front(), exact, "exact"));
  }
  return text + untried(all);
}

std::string advice_table(std::vector<Advised> all, int columns) {
  std::size_t width = 0;
  for (const auto& one : all) width = std::max(width, one.c.implementation_name.size());
  const auto row = [&](const std::string& name, const std::string& ms, const std::string& iterations, const std::string& each,
                       const std::string& rest) {
    const std::string text = fmt::format("{:<{}}  {:>10}  {:>10}  {:>9}  {}", name, width, ms, iterations, each, rest);
    return (columns > 0 ? fitted(text, std::size_t(columns)) : text) + "\n";
  };
  std::string text = row("implementation", "ms", "iterations", "ms/iter", "result");
  for (const auto* one : ranked(all, Order::time, [](const Advised&) { return true; })) {
    const double ms = time_of(*one->line).middle;
    const int iterations = (*one->line)["iterations"];
    text += row(one->c.implementation_name, fmt::format("{:.4g}", ms), fmt::format("{}", iterations), fmt::format("{:.3g}", ms / iterations),
                result_of(*one));
  }
  for (const auto& one : all)
    if (!has_time(one) && (one.line || !one.cut.empty()))
      text += row(one.c.implementation_name, "", "", "", one.line ? reason_of(*one.line) : one.cut);
  return text;
}

}  // namespace km
