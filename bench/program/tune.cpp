// kmbench tune: searches the fastest values of an implementation's tunable parameters for one shape on this machine.
#include "bench/tune/tune.hpp"

#include <fmt/ranges.h>

#include <algorithm>

#include "bench/base/error.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/machine/environment.hpp"
#include "bench/program/flags.hpp"
#include "bench/tune/space.hpp"

namespace km::tune_command {

struct Flags {
  ProblemFlags problem;
  MachineFlags machine;
  std::string implementation, budget = "60s", strategy = "descent", search_seed = "1", repetitions = "2", rounds = "40", out;
  std::vector<std::string> set;
  bool dry_run = false, same_machine = false, anyway = false;
} flags;

/// Returns the only case of a sweep of single values. Throws UserError if it cannot run here, but not for parameters that contradict each other.
Case only_case(const Sweep& sweep) {
  Case c = expand(sweep, "", "paper").front();
  if (!c.skip.empty() && (!c.implementation || c.skip != unsupported(c))) throw UserError(c.skip);
  return c;
}

Value value_of(const Scalar& scalar) {
  if (const auto* whole = std::get_if<std::int64_t>(&scalar)) return *whole;
  return std::get<std::string>(scalar);
}

/// Returns the problem with the defaults and the values to try, each checked against its range.
TuningSpace space_of(const Flags& f) {
  const KeepCatalogue keep;
  Sweep sweep = f.problem.sweep();
  sweep.axes["implementation"] = {f.implementation};
  const Implementation& implementation = *only_case(sweep).implementation;
  check_external(implementation.name == "library/external");
  std::map<std::string, std::vector<Value>> tried;
  for (const auto& text : f.set) {
    const auto [name, list] = assignment("--set", text);
    const auto& parameters = implementation.description.parameters;
    const auto parameter = std::ranges::find(parameters, std::string_view(name), &Parameter::name);
    if (parameter == parameters.end()) throw UserError("{} has no parameter '{}': see kmbench list", implementation.name, name);
    const auto values = values_of_list("--set", list);
    if (values.size() > 1 && !parameter->tunable)
      throw UserError("--set {}: {} is not tunable, for it changes more than speed; give it one value", text, name);
    if (tried.contains(name)) throw UserError("--set {} is given twice; several values are {}=1,10", name, name);
    for (const auto& value : values) {
      Sweep one = sweep;
      one.axes["set." + name] = {value};
      expand(one, "", "paper");
      if (const Value own = value_of(value); std::ranges::find(tried[name], own) == tried[name].end()) tried[name].push_back(own);
    }
    if (values.size() == 1) sweep.axes["set." + name] = values;
  }
  return TuningSpace(only_case(sweep), tried);
}

void print_space(const TuningSpace& space) {
  for (const auto& axis : space.axes()) {
    std::vector<std::string> values;
    for (const auto& value : axis.values) values.push_back(to_string(value));
    fmt::print("{} = {} (default {})\n", axis.name, fmt::join(values, ", "), values[axis.start]);
  }
  fmt::print("{:.0f} settings\n", space.size());
  for (const auto& text : space.merged()) fmt::print("not tried: {}\n", text);
}

int run(const Flags& f, const Invocation& by) {
  f.machine.select_device();
  RunOptions run = f.machine.run_options(by);
  run.interleave = true;
  if (by.inbox) return work(run, *by.inbox);
  TuneOptions options{.strategy = f.strategy,
                      .seed = std::uint64_t(whole_number("--search-seed", f.search_seed, 0, 9'000'000'000'000'000)),
                      .budget_s = seconds_of_budget(f.budget),
                      .repetitions = int(whole_number("--repetitions", f.repetitions, 1, 1000)),
                      .rounds = int(whole_number("--rounds", f.rounds, 8, 1000)),
                      .anyway = f.anyway,
                      .run = std::move(run)};
  const TuningSpace space = space_of(f);
  options.same_machine = f.same_machine;
  if (f.dry_run) {
    print_space(space);
    return 0;
  }
  check_start(space.at(space.start()));
  options.folder = f.out.empty() ? own_tuning_folder() : std::filesystem::path(f.out);
  const std::string busy = load_warning();
  if (!f.anyway) options.busy = busy;
  else if (!busy.empty()) fmt::print(stderr, "warning: {}\n", busy);
  return tune(space, options);
}

const RegisterCommand registration{
    4,
    {.name = "tune",
     .summary = "Search the fastest values of an implementation's tunable parameters, for kmbench run --tuned",
     .options = join_options(
         {{"implementation", &flags.implementation, "The implementation, by name", {}, true}}, flags.problem.options(),
         Options{{"--set", &flags.set, "A parameter's value, or the values to try: tiles=1,4,16 (repeatable; default: its whole range)"},
                 {"--budget", &flags.budget, "Time to search, from when the defaults have their time, and for the rounds again: 60s, 2m, 1h (60s)"},
                 {"--strategy", &flags.strategy, "Of the search (descent)", {tuning_strategies().begin(), tuning_strategies().end()}},
                 {"--search-seed", &flags.search_seed, "Seed of what is drawn at random (1)"},
                 {"--repetitions", &flags.repetitions, "Timed runs of a setting in the search (2)"},
                 {"--rounds", &flags.rounds, "Rounds of the fastest settings against the defaults, at most (40)"},
                 {"--anyway", &flags.anyway, "Tune although other programs use this machine, and count the rounds that they disturb"},
                 {"--out", &flags.out, "Folder of tuned values and lines (default ~/.local/share/kmbench/tuning)"},
                 same_machine_option(flags.same_machine)},
         flags.machine.options(),
         Options{{"--timeout", &flags.machine.timeout, "Seconds after which a setting is given up (default from its forecast, at least 60)"},
                 {"--dry-run", &flags.dry_run, "Print what would be tried, run nothing"}},
         other_implementations()),
     .run = [](const Invocation& by) { return run(flags, by); },
     .completes = {"$implementations"},
     .examples = {"kmbench tune cpu/lloyd/two_step --dataset blobs --n 1e5 --d 8 --k 32 --budget 20s"}}};

}  // namespace km::tune_command
