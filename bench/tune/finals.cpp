#include "bench/tune/finals.hpp"

#include <stdlib.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/base/statistics.hpp"
#include "bench/run/result.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

constexpr int runs_a_round = 5;

double load_average() {
  double load = 0;
  return ::getloadavg(&load, 1) == 1 ? load : 0;
}

}  // namespace

double least_run_s(const Json& line, bool disturbed) {
  if (is_disturbed(line) && !disturbed) return 0;
  const std::vector<double> samples = line["samples_s"];
  const std::vector<bool> slowed = disturbed_samples(line);
  double least = 0;
  for (std::size_t i = 0; i < samples.size(); ++i)
    if ((disturbed || !slowed[i]) && (least == 0 || samples[i] < least)) least = samples[i];
  return least / line["iterations"].get<double>();
}

Finals measure_finals(std::vector<Case> cases, const FinalsOptions& options, const RunOptions& run, const std::function<void(const Json&)>& note) {
  Finals finals;
  for (auto& c : cases) finals.all.push_back({.c = std::move(c)});
  std::vector<Finalist*> order;
  for (auto& one : finals.all) order.push_back(&one);
  const auto start = std::chrono::steady_clock::now();
  std::mt19937_64 random(finals.all.size());
  while (options.another(finals.rounds, seconds_since(start))) {
    ++finals.rounds;
    std::ranges::shuffle(order, random);
    for (Finalist* one : order) {
      if (!one->reason.empty()) continue;
      Case c = one->c;
      c.repetitions = runs_a_round;
      c.order = finals.rounds;
      Workers fresh(run.argv, WorkerLimits::of(run.memory_bytes));
      const auto line = measure_point(fresh, c, run.timeout_s, run);
      finals.interrupted = !line;
      if (!line) return finals;
      note(*line);
      one->reason = reason_of(*line);
      one->rounds_s.push_back(one->reason.empty() ? least_run_s(*line, options.disturbed) : 0);
    }
    finals.load = std::max(finals.load, load_average());
    const auto failed = [](const Finalist& one) { return !one.reason.empty(); };
    if (failed(finals.all.front()) || (finals.all.size() > 1 && std::all_of(finals.all.begin() + 1, finals.all.end(), failed))) break;
  }
  return finals;
}

Change change_between(const Finalist& first, const Finalist& other) {
  std::vector<double> before, after;
  for (std::size_t i = 0; i < std::min(first.rounds_s.size(), other.rounds_s.size()); ++i) {
    if (first.rounds_s[i] <= 0 || other.rounds_s[i] <= 0) continue;
    before.push_back(first.rounds_s[i]);
    after.push_back(other.rounds_s[i]);
  }
  return before.empty() ? Change() : change_of(before, after);
}

double typical_s(const Finalist& one) {
  std::vector<double> timed;
  std::ranges::copy_if(one.rounds_s, std::back_inserter(timed), [](double seconds) { return seconds > 0; });
  return timed.empty() ? 0 : median(std::move(timed));
}

}  // namespace km
