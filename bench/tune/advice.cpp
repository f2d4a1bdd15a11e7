// Formats the advice: a table of candidates and sentences.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/base/statistics.hpp"
#include "bench/run/result.hpp"
#include "bench/run/terminal.hpp"
#include "bench/tune/advise.hpp"
#include "bench/tune/rank_test.hpp"

namespace km {
namespace {

constexpr double least_chance = 0.05;  // significance level

struct Time {
  double middle, least, most;  // ms per iteration
  std::size_t runs;
};

Time time_of(const Json& line) {
  const std::vector<double> samples = line["samples_s"];
  const double ms = 1e3 / line["iterations"].get<double>();
  const auto [least, most] = std::ranges::minmax(samples);
  return {median(samples) * ms, least * ms, most * ms, samples.size()};
}

bool has_time(const Advised& one) { return one.line && reason_of(*one.line).empty(); }

/// Sorts fastest first.
std::vector<const Advised*> ranked(const std::vector<Advised>& all, auto fits) {
  std::vector<const Advised*> found;
  for (const auto& one : all)
    if (has_time(one) && fits(one)) found.push_back(&one);
  std::ranges::stable_sort(found, {}, [](const Advised* one) { return time_of(*one->line).middle; });
  return found;
}

std::string shown(const Advised& one) {
  const Time time = time_of(*one.line);
  return fmt::format("{}, {:.3f} ms an iteration ({:.3f} to {:.3f})", one.c.implementation_name, time.middle, time.least, time.most);
}

/// Says how certain it is that `best` is faster: a rank test against each other candidate measured again, Bonferroni-corrected.
std::string sure(const Advised& best, const std::vector<const Advised*>& others) {
  std::vector<const Advised*> beside;
  for (const auto* one : others)
    if (one != &best && one->again && best.again) beside.push_back(one);
  if (beside.empty()) return "nothing else was measured beside it";
  const std::vector<double> own = (*best.line)["samples_s"];
  std::string close;
  double worst = 0;
  for (const auto* one : beside) {
    const double chance = double(beside.size()) * chance_of_ranks(own, (*one->line)["samples_s"].get<std::vector<double>>());
    worst = std::max(worst, chance);
    if (chance > least_chance) close += (close.empty() ? "" : ", ") + one->c.implementation_name;
  }
  if (!close.empty()) return fmt::format("not sure: {} may be as fast, by a rank test over {} runs each", close, own.size());
  return fmt::format("sure (p = {:.1g}, rank test over {} runs each); the next, {}, takes {:.2f} times as long", worst, own.size(),
                     beside.front()->c.implementation_name, time_of(*beside.front()->line).middle / time_of(*best.line).middle);
}

}  // namespace

bool can_be_advised(const Advised& one) { return has_time(one) && ((*one.line)["grade"] == "exact" || (*one.line)["grade"] == "rounded"); }

std::string advice(const std::vector<Advised>& all) {
  const auto right = ranked(all, [](const Advised& one) { return can_be_advised(one); });
  const auto exact = ranked(all, [](const Advised& one) { return (*one.line)["grade"] == "exact"; });
  if (right.empty()) return "No candidate has a right result that may be advised.\n";
  const Advised& best = *right.front();
  std::string text;
  if (!exact.empty() && exact.front() == &best) {
    text = fmt::format("Fastest, and exact: {}; {}.\n", shown(best), sure(best, right));
  } else {
    text = fmt::format("Fastest at all: {}, rounded; {}.\n", shown(best), sure(best, right));
    text += exact.empty() ? std::string("None of those measured is exact.\n")
                          : fmt::format("Fastest exact: {}; {}.\n", shown(*exact.front()), sure(*exact.front(), exact));
  }
  const auto untried = std::ranges::count_if(all, [](const Advised& one) { return !one.line; });
  if (untried > 0) text += fmt::format("There was no time for {} of {} candidates: a longer --budget tries them.\n", untried, all.size());
  return text;
}

std::string advice_table(std::vector<Advised> all, int columns) {
  std::size_t width = 0;
  for (const auto& one : all) width = std::max(width, one.c.implementation_name.size());
  const auto row = [&](const std::string& name, const std::string& ms, const std::string& least, const std::string& most, const std::string& rest) {
    const std::string text = fmt::format("{:<{}}  {:>10}  {:>10}  {:>10}  {}", name, width, ms, least, most, rest);
    return (columns > 0 ? fitted(text, std::size_t(columns)) : text) + "\n";
  };
  std::string text = row("implementation", "ms/iter", "least", "most", "result");
  for (const auto* one : ranked(all, [](const Advised&) { return true; })) {
    const Json& line = *one->line;
    const Time time = time_of(line);
    std::string rest = line["grade"].is_string() ? line["grade"].get<std::string>() : "";
    if (line["wrong_labels"].is_number() && line["judged_points"].is_number() && line["wrong_labels"].get<double>() > 0)
      rest +=
          fmt::format(", {:.3g}% of the labels differ from fp64's", 100 * line["wrong_labels"].get<double>() / line["judged_points"].get<double>());
    rest += fmt::format(", {} runs{}", time.runs, one->again ? " beside the others" : "");
    if (line["departs"].is_string()) rest += "; departs: " + line["departs"].get<std::string>();
    text += row(one->c.implementation_name, fmt::format("{:.3f}", time.middle), fmt::format("{:.3f}", time.least), fmt::format("{:.3f}", time.most),
                rest);
  }
  for (const auto& one : all)
    if (one.line && !has_time(one)) text += row(one.c.implementation_name, "", "", "", reason_of(*one.line));
  return text;
}

}  // namespace km
