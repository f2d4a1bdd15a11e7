#include "bench/tune/advise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/plan/combination.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/result.hpp"
#include "bench/run/terminal.hpp"

namespace km {
namespace {

constexpr std::int64_t small_n = 100'000;
constexpr std::size_t best_again = 3, exact_again = 2;

double seconds_of(const Json& line) { return reason_of(line).empty() ? iteration_s(line) : std::numeric_limits<double>::infinity(); }

class Advice {
 public:
  Advice(const std::vector<Case>& candidates, const AdviseOptions& options) : options_(options) {
    for (const auto& c : candidates) all_.push_back({.c = c});
    if (!options.out.empty()) file_.emplace(options.out);
  }

  int run() {
    if (!try_all() || !measure_again()) {
      fmt::print(stderr, "\ninterrupted\n");
      return 130;
    }
    fmt::print("{}{}", advice_table(all_, columns_of(stdout)), advice(all_));
    return std::ranges::any_of(all_, [](const Advised& one) { return can_be_advised(one); }) ? 0 : 1;
  }

 private:
  /// Tries all candidates on few points to rank them, then on all points, fastest first, while time is left. Returns false if interrupted.
  bool try_all() {
    Workers workers(options_.run.argv, WorkerLimits::of(options_.run.memory_bytes));
    Budget budget(options_.budget_s);
    const auto measured = [&](Case c, const std::string& points) {
      c.repetitions = options_.repetitions;
      const auto line = measure_point(workers, c, allowed_s(c), options_.run);
      budget.begin();
      if (line) fmt::print(stderr, "{}{}: {}\n", c.implementation_name, points, outcome(*line));
      return line;
    };
    std::map<std::string, double> order;
    for (const auto& one : all_)
      if (const auto less = smaller(one.c); less && !budget.over()) {
        const auto line = measured(*less, fmt::format(", {} points", small_n));
        if (!line) return false;
        order[one.c.id()] = seconds_of(*line);
      }
    std::ranges::stable_sort(all_, {}, [&](const Advised& one) { return order[one.c.id()]; });
    for (auto& one : all_) {
      if (budget.over()) break;
      one.line = measured(one.c, "");
      if (!one.line) return false;
      if (file_) file_->append(*one.line);
    }
    return true;
  }

  bool measure_again() {
    std::vector<const Advised*> right;
    for (const auto& one : all_)
      if (can_be_advised(one)) right.push_back(&one);
    std::ranges::sort(right, {}, [](const Advised* one) { return seconds_of(*one->line); });
    std::vector<Case> cases;
    std::size_t exact = 0;
    for (std::size_t at = 0; at < right.size(); ++at) {
      const bool is_exact = (*right[at]->line)["grade"] == "exact";
      if (at < best_again || (is_exact && exact < exact_again)) cases.push_back(right[at]->c);
      exact += is_exact;
    }
    const auto keep = [&](const Case& c, const Json& line) {
      const auto one = std::ranges::find_if(all_, [&](const Advised& a) { return a.c.id() == c.id(); });
      one->line = std::make_shared<const Json>(line);
      one->again = true;
      if (file_) file_->append(line);
      fmt::print(stderr, "{}: {}\n", c.implementation_name, outcome(line));
    };
    return measure_together(std::move(cases), options_.at_last, options_.run, keep);
  }

  /// Time limit of a candidate: a quarter of the budget, at least ten seconds, plus the generation of the points.
  double allowed_s(const Case& c) const { return std::max(10.0, options_.budget_s / 4) + double(c.n) * c.d * 1e-7; }

  const AdviseOptions& options_;
  std::vector<Advised> all_;
  std::optional<ResultFile> file_;
};

}  // namespace

std::optional<Case> smaller(const Case& c) {
  if (c.n <= 4 * small_n || c.k > small_n) return std::nullopt;
  Case less = c;
  less.n = small_n;
  less.dataset.n = small_n;
  return unsupported(less).empty() ? std::optional(less) : std::nullopt;
}

int advise(const std::vector<Case>& candidates, const AdviseOptions& options) { return Advice(candidates, options).run(); }

}  // namespace km
