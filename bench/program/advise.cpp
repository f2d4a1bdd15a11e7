// kmbench advise: recommends a k-means for given points on this machine.

#include <algorithm>
#include <chrono>
#include <map>
#include <utility>

#include "bench/base/error.hpp"
#include "bench/contract/plugin.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/result.hpp"
#include "bench/tune/advise.hpp"

namespace km::advise_command {

struct Flags {
  PointsFlags points;
  ProblemFlags problem;
  MachineFlags machine;
  TunedFlags tuned;
  std::string implementation, budget = "60s", at_last = "7", out;
} flags;

/// Returns the cases that can run on this problem, and the reasons of the others with their counts.
std::pair<std::vector<Case>, std::map<std::string, int>> candidates(const Flags& f, ScratchFolder& scratch) {
  const KeepCatalogue keep;
  ProblemFlags problem = f.problem;
  name_points(f.points, problem, scratch);
  if (problem.tolerance.empty() && problem.max_iters.empty()) problem.tolerance = "0";  // until no label changes
  Sweep sweep = problem.sweep();
  sweep.axes["implementation"] = {f.implementation.empty() ? "." : f.implementation};
  sweep.patterns = true;
  std::vector<Case> cases = expand(sweep, "", "paper");
  if (const auto values = f.tuned.values(f.machine.id()))
    for (auto& c : cases) values->apply(c, {});
  const auto idle = [](const std::string& name) {  // no method of its own
    return name == "cpu/lloyd/reference" || name.starts_with("cpu/flags/") || (name == "library/external" && external_program().empty());
  };
  check_external(std::ranges::count(cases, "library/external", &Case::implementation_name) > 0);
  if (f.implementation.empty()) std::erase_if(cases, [&](const Case& c) { return idle(c.implementation_name); });
  std::map<std::string, int> reasons;
  for (const auto& c : cases)
    if (!c.skip.empty()) ++reasons[c.skip];
  std::erase_if(cases, [](const Case& c) { return !c.skip.empty(); });
  if (cases.empty()) throw UserError(reasons.empty() ? "no candidate" : fmt::format("no candidate can run: {}", reasons.begin()->first));
  return {std::move(cases), std::move(reasons)};
}

int run(const Flags& f, const Invocation& by) {
  const auto begin = std::chrono::steady_clock::now();
  f.machine.select_device();
  RunOptions run = f.machine.run_options(by);
  run.interleave = true;
  if (by.inbox) return work(run, *by.inbox);
  AdviseOptions options{.budget_s = seconds_of_budget(f.budget),
                        .at_last = int(whole_number("--at-last", f.at_last, 1, 64)),
                        .out = f.out,
                        .run = std::move(run),
                        .begin = begin};
  if (options.budget_s < 2) throw UserError("--budget '{}': at least 2s", f.budget);
  ScratchFolder scratch;
  const auto [cases, reasons] = candidates(f, scratch);
  check_start(cases.front());
  if (!f.out.empty()) const ResultFile writable(f.out);
  for (const auto& [reason, count] : reasons)
    fmt::print(stderr, "{} cannot run here: {}\n", count == 1 ? "1 implementation" : fmt::format("{} implementations", count), reason);
  const Case& c = cases.front();
  fmt::print(stderr, "{} x {} points in {}, {} clusters, {}\n", c.n, c.d, c.precision_name(), c.k,
             c.tolerance < 0 ? fmt::format("{} iterations", c.max_iters) : "to convergence");
  return advise(cases, options);
}

const RegisterCommand registration{
    5,
    {.name = "advise",
     .summary = "Which k-means for these points on this machine: tries all that can run, judges them, names the fastest",
     .options =
         join_options(flags.points.options(), flags.problem.shape_options(random_init),
                      Options{{"--implementation", &flags.implementation, "Only those matching this regular expression"},
                              {"--budget", &flags.budget, "Time for all of it, with reading and judging: 60s, 2m, 1h (60s)"},
                              {"--at-last", &flags.at_last, "Timed runs of the best, measured again side by side (7; fewer if the budget ends)"}},
                      flags.tuned.options(), Options{{"--out", &flags.out, "File to which the result lines are appended (default: none are kept)"}},
                      flags.machine.options(), other_implementations()),
     .run = [](const Invocation& by) { return run(flags, by); },
     .completes = {"$datasets"},
     .examples = {"kmbench advise points.npy --k 8", "kmbench advise blobs --n 1e5 --d 8 --k 32 --budget 30s"}}};

}  // namespace km::advise_command
