// kmbench run: runs exhibits, or an ad hoc sweep from flags.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "bench/data/catalogue.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/judge/draws.hpp"
#include "bench/machine/environment.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/plan/pattern.hpp"
#include "bench/program/arguments.hpp"
#include "bench/program/command.hpp"
#include "bench/program/machine_flags.hpp"
#include "bench/program/problem_flags.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km::run_command {
namespace {

struct Flags {
  std::vector<std::string> exhibits, papers, set, data_settings;
  std::string implementation, dataset, data, n, d, k, precision, max_iters, tolerance, init, seed, repetitions, warmup;
  std::string profile = "paper", filter, order_seed = "1", judge_seed, out;
  MachineFlags machine;
  TunedFlags tuned;
  bool dry_run = false, redo = false, save = false, energy = false, same_machine = false;
} flags;

/// Options of a sweep from flags, not allowed with an exhibit.
Options sweep_options() {
  return {{"--implementation", &flags.implementation,
           "Ad hoc: the implementation of this name, else those matching this regular expression (default: all)"},
          {"--dataset", &flags.dataset, "Ad hoc: data sets by name"},
          {"--data", &flags.data, "Ad hoc: a .npy, .csv or .npy.xz file of points"},
          {"--n", &flags.n, "Points: 1000, 1e4,1e5 or 1e4:1e6:x10"},
          {"--d,--nd", &flags.d, "Dimensions, likewise"},
          {"--k,--kc", &flags.k, "Clusters, likewise"},
          {"--set", &flags.set, "Parameter values: packages=1,10,100 (repeatable)"},
          {"--data-set", &flags.data_settings, "Generator settings: sigma2=0.1,0.2 (repeatable)"},
          {"--precision", &flags.precision, "fp32, fp64 or fp32,fp64"},
          {"--iterations", &flags.max_iters, "Iterations to make; with --tolerance, at most (default 10, or 1000)"},
          {"--tolerance", &flags.tolerance, "Stop when at most this share of the points changed label"},
          {"--init", &flags.init, "random, kmeans++, taylor2021 or a .npy of k x d"},
          {"--seed", &flags.seed, "Seed of the initial centroids"}};
}

void add_axis(Sweep& sweep, const std::string& flag, const std::string& name, const std::string& text) {
  if (!text.empty()) sweep.axes[name] = name == "init" ? std::vector<Scalar>{text} : values_of_list(flag, text);
}

/// Adds "packages=1,10" as set.packages.
void add_settings(Sweep& sweep, const std::string& flag, const std::string& prefix, const std::vector<std::string>& settings) {
  for (const auto& text : settings) {
    const auto [name, values] = assignment(flag, text);
    if (!sweep.axes.emplace(prefix + name, values_of_list(flag, values)).second)
      throw UserError(fmt::format("{} {} is given twice; several values are {}=1,10", flag, name, name));
  }
}

Sweep ad_hoc(const Flags& f) {
  if (!f.dataset.empty() && !f.data.empty()) throw UserError("--dataset and --data exclude one another");
  if (f.dataset.empty() && f.data.empty()) throw UserError("name the points: --dataset NAME (see kmbench list datasets) or --data FILE.npy");
  if (f.k.empty()) throw UserError("name the number of clusters: --k");
  Sweep sweep{.patterns = true};
  sweep.axes["implementation"] = {f.implementation.empty() ? std::string(".") : f.implementation};
  add_axis(sweep, "--dataset", "dataset", f.dataset);
  if (!f.data.empty()) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(f.data, error)) throw UserError(fmt::format("--data {}: no such file, or not a regular one", f.data));
    sweep.axes["dataset"] = {std::filesystem::absolute(f.data).string()};
  }
  add_axis(sweep, "--n", "n", f.n);
  add_axis(sweep, "--d", "d", f.d);
  add_axis(sweep, "--k", "k", f.k);
  add_axis(sweep, "--precision", "precision", f.precision);
  add_axis(sweep, "--iterations", "iterations", f.max_iters);
  add_axis(sweep, "--tolerance", "tolerance", f.tolerance);
  add_axis(sweep, "--init", "init", f.init);
  add_axis(sweep, "--seed", "init_seed", f.seed);
  add_axis(sweep, "--warmup", "warmup", f.warmup);
  add_settings(sweep, "--set", "set.", f.set);
  add_settings(sweep, "--data-set", "data.", f.data_settings);
  return sweep;
}

/// Rejects flags that an exhibit already fixes.
void check_contradictions(const Flags& f) {
  if (f.exhibits.empty() && f.papers.empty()) return;
  for (const auto& option : sweep_options()) {
    const auto* one = std::get_if<std::string*>(&option.target);
    const auto* list = std::get_if<std::vector<std::string>*>(&option.target);
    if (one ? !(*one)->empty() : !(*list)->empty())
      throw UserError(
          fmt::format("{} contradicts an exhibit, which fixes it; narrow an exhibit with --filter", option.names.substr(0, option.names.find(','))));
  }
}

struct PlannedSweep {
  Sweep sweep;
  std::string exhibit, profile, hash;
};

/// Returns all requested sweeps, with those of reused exhibits.
std::vector<PlannedSweep> sweeps_of(const Flags& f) {
  if (f.exhibits.empty() && f.papers.empty()) return {{ad_hoc(f), "", "paper", ""}};
  std::vector<std::filesystem::path> files;
  for (const auto& exhibit : f.exhibits) files.push_back(exhibit_file(exhibit));
  for (const auto& paper : f.papers)
    for (const auto& file : exhibit_files(paper)) files.push_back(file);
  if (files.empty()) throw UserError(fmt::format("no exhibits in papers/{}", fmt::join(f.papers, ", papers/")));
  std::vector<PlannedSweep> sweeps;
  for (const auto& file : files) {
    const Exhibit exhibit = read_exhibit(file, f.profile);
    std::vector<Exhibit> all = reused(exhibit, f.profile);
    all.insert(all.begin(), exhibit);
    for (const auto& one : all)
      for (const auto& sweep : one.sweeps) sweeps.push_back({sweep, one.key, f.profile, sweeps_hash(one.sweeps)});
  }
  return sweeps;
}

/// Keeps the cases whose names match, or with `inverted` the others.
void keep_matching(std::vector<Case>& cases, const std::string& flag, const std::string& text, bool inverted = false) {
  const Pattern pattern(flag, text);
  std::erase_if(cases, [&](const Case& c) { return pattern.matches(c.name()) == inverted; });
  if (cases.empty()) throw UserError(fmt::format("{} '{}' matches no case; --dry-run lists them", flag, text));
}

/// Sets parameters that the user left open to tuned values (docs/tuning.md). Drops cases that become equal.
void tune(std::vector<Case>& cases, const Sweep& sweep, const TunedValues& values) {
  std::set<std::string> given;
  for (const auto& [name, list] : sweep.axes)
    if (name.starts_with("set.")) given.insert(name.substr(4));
  for (auto& c : cases) values.apply(c, given);
}

std::vector<Case> plan(const Flags& f) {
  check_contradictions(f);
  const auto values = f.tuned.values(f.machine.id());
  const KeepCatalogue keep;
  const auto sweeps = sweeps_of(f);
  double count = 0;
  for (const auto& planned : sweeps) check_count(count += case_count(planned.sweep));
  std::vector<Case> cases;
  for (const auto& planned : sweeps) {
    auto expanded = expand(planned.sweep, planned.exhibit, planned.profile);
    if (values) tune(expanded, planned.sweep, *values);
    for (auto& c : expanded) {
      c.exhibit_hash = planned.hash;
      cases.push_back(std::move(c));
    }
  }
  if (!f.repetitions.empty())
    for (const int repetitions = int(whole_number("--repetitions", f.repetitions, 1, 1'000'000)); auto& c : cases) c.repetitions = repetitions;
  cases = shuffled(std::move(cases), std::uint64_t(whole_number("--order-seed", f.order_seed, 0, 9'000'000'000'000'000)));
  if (!f.filter.empty()) keep_matching(cases, "--filter", f.filter);
  return cases;
}

/// Rejects flags that Google Benchmark would ignore, and flags of its aggregates, which are not printed.
void check_benchmark_flags(const std::vector<std::string>& extras) {
  static const std::vector<std::string_view> known = {"list_tests",
                                                      "list_tests=true",
                                                      "list_tests=false",
                                                      "format=json",
                                                      "format=console",
                                                      "out_format=json",
                                                      "filter=",
                                                      "repetitions=",
                                                      "out=",
                                                      "enable_random_interleaving",
                                                      "enable_random_interleaving=",
                                                      "min_time=",
                                                      "color=",
                                                      "counters_tabular",
                                                      "context=",
                                                      "perf_counters=",
                                                      "time_unit="};
  for (const auto& extra : extras) {
    constexpr std::string_view prefix = "--benchmark_";
    const bool fits = extra.starts_with(prefix) && std::ranges::any_of(known, [&](std::string_view flag) {
                        const auto rest = std::string_view(extra).substr(prefix.size());
                        return rest == flag || (flag.ends_with('=') && rest.starts_with(flag));
                      });
    if (!fits)
      throw UserError(fmt::format("unknown argument '{}'; see kmbench run --help; of Google Benchmark's flags, --benchmark_ followed by: {}", extra,
                                  fmt::join(known, ", ")));
  }
}

/// What Google Benchmark would refuse in the worker, and a file that could not be written after the last case, are refused before the first.
void check_benchmark_values(const std::vector<std::string>& extras) {
  static const std::set<std::string> units = {"ns", "us", "ms", "s"};
  for (const auto& extra : extras) {
    const auto equals = extra.find('=');
    if (equals == extra.npos) continue;
    const std::string flag = extra.substr(0, equals), value = extra.substr(equals + 1);
    if (flag == "--benchmark_out") check_out_file(flag, value);
    if (flag == "--benchmark_time_unit" && !units.contains(value))
      throw UserError(fmt::format("{} '{}'; accepted: {}", flag, value, fmt::join(units, ", ")));
    if (flag == "--benchmark_context" && (value.starts_with('=') || value.find('=') == value.npos))
      throw UserError(fmt::format("{} '{}' is not name=value", flag, value));
    if (flag != "--benchmark_min_time") continue;
    if (value.ends_with('x')) whole_number(flag, value.substr(0, value.size() - 1), 1, 1'000'000'000);
    else number(flag, value.ends_with('s') ? value.substr(0, value.size() - 1) : value, 1e-9, 1e7);
  }
}

bool asked(const std::vector<std::string>& extras, const std::string& flag) {
  return std::ranges::any_of(extras, [&](const std::string& extra) { return extra == flag || extra == flag + "=true"; });
}

/// Applies --benchmark_filter. A leading '-' inverts it, as in Google Benchmark.
void apply_benchmark_filter(std::vector<Case>& cases, const std::vector<std::string>& extras) {
  constexpr std::string_view flag = "--benchmark_filter=";
  for (const auto& extra : extras) {
    if (!extra.starts_with(flag)) continue;
    const bool inverted = extra.substr(flag.size()).starts_with('-');
    keep_matching(cases, "--benchmark_filter", extra.substr(flag.size() + inverted), inverted);
  }
}

/// Loads files named on the command line before anything is written, so that the user sees their faults.
void check_points(const Flags& f, const std::vector<Case>& cases) {
  if (f.data.empty()) return;
  std::set<std::pair<DatasetRequest, Precision>> seen;
  for (const auto& c : cases) {
    if (!seen.emplace(c.dataset, c.precision).second) continue;
    if (c.precision == Precision::fp32) load_dataset<float>(c.dataset);
    else load_dataset<double>(c.dataset);
  }
}

void print_plan(const std::vector<Case>& cases) {
  double seconds = 0;
  std::size_t skipped = 0;
  for (const auto& c : cases) {
    if (!c.skip.empty()) {
      fmt::print("{:>5}  {:>9}  {:>8}  {}  skip: {}\n", c.order, "", "", c.name(), c.skip);
      ++skipped;
      continue;
    }
    fmt::print("{:>5}  {:>6.2f} GiB  {:>6.1f} s  {}\n", c.order, c.memory_bytes() / (1 << 30), c.forecast_s(), c.name());
    seconds += c.forecast_s();
  }
  fmt::print("{} cases, {} of them skipped; about {:.0f} s, a guess from n k d\n", cases.size(), skipped, seconds);
}

/// Prints each case as one JSON object a line, with the fields that its result line will have, and what it takes.
void print_plan_as_json(const std::vector<Case>& cases) {
  for (const auto& c : cases) {
    Json line = c.identity();
    line["case"] = c.id();
    line["name"] = c.name();
    line["exhibit_hash"] = c.exhibit_hash;
    line["repetitions"] = c.repetitions;
    line["warmup"] = c.warmup;
    line["skip"] = c.skip;
    line["memory_bytes"] = c.memory_bytes();
    line["forecast_s"] = c.forecast_s();
    fmt::print("{}\n", line.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
}

int run(Flags f, const Invocation& by) {
  const auto& extras = by.passed_on;
  check_benchmark_flags(extras);
  check_benchmark_values(extras);
  if (f.profile != "paper" && f.profile != "quick") throw UserError(fmt::format("--profile '{}'; accepted: paper, quick", f.profile));
  for (const auto& extra : extras)
    if (extra.starts_with("--benchmark_repetitions=")) f.repetitions = extra.substr(extra.find('=') + 1);
  if (!f.judge_seed.empty()) repeat_judge_seed(std::uint64_t(whole_number("--judge-seed", f.judge_seed, 0, 9'000'000'000'000'000)));
  f.machine.select_device();
  std::vector<Case> cases;  // a worker gets its own
  if (!by.inbox) {
    cases = plan(f);
    apply_benchmark_filter(cases, extras);
    if (f.dry_run) {
      if (std::ranges::find(extras, "--benchmark_format=json") != extras.end()) print_plan_as_json(cases);
      else print_plan(cases);
      return 0;
    }
    if (asked(extras, "--benchmark_list_tests")) {
      for (const auto& c : cases)
        if (c.skip.empty()) fmt::print("{}\n", c.name());
      return 0;
    }
  }
  RunOptions options{.redo = f.redo,
                     .save_solutions = f.save,
                     .energy = f.energy,
                     .timeout_s = f.machine.timeout_s(),
                     .memory_bytes = f.machine.memory_bytes(),
                     .argv = by.argv,
                     .benchmark_args = extras};
  options.machine = f.machine.id();
  options.out = f.out.empty() ? own_results_folder() / options.machine : std::filesystem::path(f.out);
  if (by.inbox) return work(options, *by.inbox);
  check_points(f, cases);
  return supervise(cases, options, [&] { write_machine_record(options.out, options.machine, f.same_machine); });
}

const RegisterCommand registration{
    3,
    {.name = "run",
     .summary = "Measure exhibits, or an ad hoc sweep; finished cases are skipped",
     .options = join_options(
         {{"exhibits", &flags.exhibits, "Exhibits, by key (he2021/table3) or file"},
          {"--paper", &flags.papers, "Every exhibit of a paper (repeatable)"},
          {"--profile", &flags.profile, "paper (full size) or quick (seconds on a laptop)"}},
         sweep_options(),
         Options{{"--repetitions", &flags.repetitions, "Timed runs of each case; where a case has fewer, the missing ones follow"},
                 {"--warmup", &flags.warmup, "Runs before them"},
                 {"--filter", &flags.filter, "Only cases whose name matches this regular expression"},
                 {"--out", &flags.out, "Folder for the result lines (default ~/.local/share/kmbench/results/<machine>)"},
                 same_machine_option(flags.same_machine)},
         flags.machine.options(),
         Options{{"--timeout", &flags.machine.timeout, "Seconds after which a case is given up (default from its forecast, at least 60)"},
                 {"--order-seed", &flags.order_seed, "Seed of the order in which cases run"},
                 {"--judge-seed", &flags.judge_seed, "Seed of the judge's random choices: a line's judge_seed repeats its verdict (default: random)"},
                 {"--dry-run", &flags.dry_run, "Print the plan with memory and time forecast, run nothing; as JSON with --benchmark_format=json"},
                 {"--redo", &flags.redo, "Run cases that have results already"},
                 {"--energy", &flags.energy, "Also measure the energy of an iteration, in runs of their own, where NVML or RAPL can be read"}},
         flags.tuned.options(), Options{{"--save", &flags.save, "Also write points, labels and centroids of exhibit cases as .npy"}},
         other_implementations()),
     .run = [](const Invocation& by) { return run(flags, by); },
     .completes = {"$exhibits"},
     .unknown = Unknown::passed}};

}  // namespace
}  // namespace km::run_command
