// kmbench run: runs exhibits, or an ad hoc sweep from flags.
#include <fmt/ranges.h>
#include <omp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <variant>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/data/catalogue.hpp"
#include "bench/machine/environment.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/plan/pattern.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/ranks.hpp"

namespace km::run_command {

constexpr std::int64_t most_seed = 9'000'000'000'000'000;

struct Flags {
  std::vector<std::string> exhibits, papers, set;
  ProblemFlags problem{.lists = true};
  std::string implementation, repetitions, warmup, profile = "paper", filter, order_seed = "1", judge_seed, out, launch;
  MachineFlags machine;
  TunedFlags tuned;
  bool dry_run = false, redo = false, save = false, energy = false, same_machine = false;
  std::string benchmark_filter, benchmark_repetitions, benchmark_format, benchmark_out, benchmark_out_format;  // Google Benchmark's
  bool benchmark_list_tests = false, benchmark_interleaving = false;
} flags;

/// Options of a sweep from flags, not allowed with an exhibit.
Options sweep_options() {
  return join_options({{"--implementation", &flags.implementation,
                        "Without exhibits: the implementation of this name, else those matching this regular expression (default: all)"}},
                      flags.problem.options(), Options{{"--set", &flags.set, "Parameter values: packages=1,10,100 (repeatable)"}});
}

Sweep ad_hoc(const Flags& f) {
  Sweep sweep = f.problem.sweep();
  sweep.patterns = true;
  sweep.axes["implementation"] = {f.implementation.empty() ? std::string(".") : f.implementation};
  if (!f.warmup.empty()) sweep.axes["warmup"] = values_of_list("--warmup", f.warmup);
  add_settings(sweep, "--set", "set.", f.set, true);
  return sweep;
}

/// Cases that run on the ranks of --launch; the others are skipped.
void launch(std::vector<Case>& cases, const Flags& f) {
  if (f.launch.empty()) return;
  if (!no_ranks().empty()) throw UserError("--launch: " + no_ranks());
  if (f.energy || !f.machine.memory.empty())
    throw UserError("--launch contradicts {}, which counts one process alone", f.energy ? "--energy" : "--memory");
  if (!f.machine.device.empty())
    throw UserError("--launch contradicts --device: each rank takes a GPU of its own; CUDA_VISIBLE_DEVICES chooses which");
  for (auto& c : cases) {
    c.launch = fmt::format("{}", fmt::join(words_of(f.launch), " "));
    if (c.skip.empty() && !c.implementation->description.shards) c.skip = "runs in one process: --launch is for implementations that take shards";
    if (c.skip.empty() && c.init.ends_with("kmeans++"))
      c.skip = "k-means++ needs all points in one process: random, taylor2021 or a file start ranks";
  }
}

/// Rejects flags that an exhibit already fixes, or that need one.
void check_contradictions(const Flags& f) {
  const bool ad_hoc = f.exhibits.empty() && f.papers.empty();
  if (ad_hoc && f.save) throw UserError("--save writes what cases of an exhibit compute; kmbench fit writes labels and centroids");
  if (ad_hoc) return;
  for (const auto& option : sweep_options()) {
    const auto* one = std::get_if<std::string*>(&option.target);
    const auto* list = std::get_if<std::vector<std::string>*>(&option.target);
    if (one ? !(*one)->empty() : !(*list)->empty())
      throw UserError("{} contradicts an exhibit, which fixes it; narrow an exhibit with --filter", option.names.substr(0, option.names.find(',')));
  }
}

/// Skips a case of an exhibit that names more threads than this machine has.
void skip_crowded(Case& c) {
  const auto named = c.config.values().find("threads");
  const auto* const threads = named == c.config.values().end() ? nullptr : std::get_if<std::int64_t>(&named->second);
  if (const std::int64_t here = omp_get_num_procs(); c.skip.empty() && threads && *threads > here)
    c.skip = fmt::format("{} threads, but the machine has {}", *threads, here);
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
  if (files.empty()) throw UserError("no exhibits in papers/{}", fmt::join(f.papers, ", papers/"));
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
  if (cases.empty() && inverted) throw UserError("{} '-{}' leaves no case; without it --dry-run lists them", flag, text);
  if (cases.empty()) throw UserError("{} '{}' matches no case; without it --dry-run lists them", flag, text);
}

/// Sets parameters that the user left open to tuned values (docs/tuning.md).
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
      if (!planned.exhibit.empty()) skip_crowded(c);
      cases.push_back(std::move(c));
    }
  }
  for (const auto& [flag, text] : {std::pair{"--repetitions", f.repetitions}, {"--benchmark_repetitions", f.benchmark_repetitions}})
    if (!text.empty())
      for (const int repetitions = int(whole_number(flag, text, 1, 1'000'000)); auto& c : cases) c.repetitions = repetitions;
  launch(cases, f);
  if (!f.judge_seed.empty())
    for (const auto seed = std::uint64_t(whole_number("--judge-seed", f.judge_seed, 0, most_seed)); auto& c : cases) c.judge_seed = seed;
  cases = shuffled(std::move(cases), std::uint64_t(whole_number("--order-seed", f.order_seed, 0, most_seed)));
  if (!f.filter.empty()) keep_matching(cases, "--filter", f.filter);
  if (const auto& text = f.benchmark_filter; !text.empty())  // as in Google Benchmark, a leading '-' inverts it
    keep_matching(cases, "--benchmark_filter", text.substr(text.starts_with('-')), text.starts_with('-'));
  check_external(std::ranges::count(cases, "library/external", &Case::implementation_name) > 0);
  return cases;
}

/// Loads files named on the command line before anything is written, so that the user sees their faults.
void check_files(const Flags& f, const std::vector<Case>& cases) {
  if (f.problem.data.empty()) return;
  std::set<std::pair<DatasetRequest, Precision>> seen;
  for (const auto& c : cases)
    if (seen.emplace(c.dataset, c.precision).second) check_points(c);
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
  fmt::print("{} {}, {} of them skipped; about {:.0f} s, a guess from n k d\n", cases.size(), cases.size() == 1 ? "case" : "cases", skipped, seconds);
}

/// Prints each case as one JSON object a line: the fields of its result line, memory and forecast.
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

RunOptions options_of(const Flags& f, const Invocation& by) {
  RunOptions options = f.machine.run_options(by);
  options.redo = f.redo;
  options.save_solutions = f.save;
  options.energy = f.energy;
  options.launcher = words_of(f.launch);
  options.interleave = f.benchmark_interleaving;
  options.format = f.benchmark_format;
  options.benchmark_out = f.benchmark_out;
  options.out = f.out.empty() ? own_results_folder() / options.machine : std::filesystem::path(f.out);
  return options;
}

int run(const Flags& f, const Invocation& by) {
  f.machine.select_device();
  if (by.inbox) return work(options_of(f, by), *by.inbox);
  if (!f.benchmark_out.empty()) check_out_file("--benchmark_out", f.benchmark_out);
  const std::vector<Case> cases = plan(f);
  if (f.dry_run) {
    if (f.benchmark_format == "json") print_plan_as_json(cases);
    else print_plan(cases);
    return 0;
  }
  if (f.benchmark_list_tests) {
    for (const auto& c : cases)
      if (c.skip.empty()) fmt::print("{}\n", c.name());
    return 0;
  }
  check_files(f, cases);
  const RunOptions options = options_of(f, by);
  return supervise(cases, options, [&] { write_machine_record(options.out, options.machine, f.same_machine); });
}

/// Google Benchmark's own flags, as it documents them.
Options google_benchmark_options() {
  return {{"--benchmark_filter", &flags.benchmark_filter, "Google Benchmark's: as --filter; a leading '-' inverts it"},
          {"--benchmark_list_tests", &flags.benchmark_list_tests, "Google Benchmark's: print the names of the cases, run nothing"},
          {"--benchmark_repetitions", &flags.benchmark_repetitions, "Google Benchmark's: as --repetitions"},
          {"--benchmark_enable_random_interleaving", &flags.benchmark_interleaving, "Google Benchmark's: runs of different cases alternate"},
          {"--benchmark_format",
           &flags.benchmark_format,
           "Google Benchmark's output on standard output; the table goes to standard error",
           {"console", "json"}},
          {"--benchmark_out", &flags.benchmark_out, "File for Google Benchmark's JSON"},
          {"--benchmark_out_format", &flags.benchmark_out_format, "Its format", {"json"}}};
}

const RegisterCommand registration{
    3,
    {.name = "run",
     .summary = "Measure exhibits, or an ad hoc sweep; finished cases are skipped",
     .options = join_options(
         {{"exhibits", &flags.exhibits, "Exhibits, by key (he2021/table3) or file"},
          {"--paper", &flags.papers, "Every exhibit of a paper (repeatable)"},
          {"--profile", &flags.profile, "Full size, or seconds on a laptop (default paper)", {"paper", "quick"}}},
         sweep_options(),
         Options{{"--repetitions", &flags.repetitions, "Timed runs of each case (default 5); where a case has fewer, the missing ones follow"},
                 {"--warmup", &flags.warmup, "Runs before them (default 1)"},
                 {"--filter", &flags.filter, "Only cases whose name matches this regular expression"},
                 {"--out", &flags.out, "Folder for the result lines (default ~/.local/share/kmbench/results/<machine>)"},
                 same_machine_option(flags.same_machine)},
         flags.machine.options(),
         Options{{"--timeout", &flags.machine.timeout, "Seconds after which a case is given up (default from its forecast, at least 60)"},
                 {"--order-seed", &flags.order_seed, "Seed of the order in which cases run (default 1)"},
                 {"--judge-seed", &flags.judge_seed, "Seed of the judge's random choices: a line's judge_seed repeats its verdict (default: random)"},
                 {"--launch", &flags.launch, "Words that start each worker on several ranks (\"mpirun -n 4\"; docs/scale.md)"},
                 {"--dry-run", &flags.dry_run, "Print the plan with memory and time forecast, run nothing; as JSON with --benchmark_format=json"},
                 {"--redo", &flags.redo, "Run cases that have results already"},
                 {"--energy", &flags.energy, "Also measure the energy of an iteration, in runs of their own, where NVML or RAPL can be read"}},
         flags.tuned.options(), Options{{"--save", &flags.save, "Also write points, labels and centroids of exhibit cases as .npy"}},
         google_benchmark_options(), other_implementations()),
     .run = [](const Invocation& by) { return run(flags, by); },
     .completes = {"$exhibits"},
     .examples = {"kmbench run he2021/table3 --profile quick",
                  "kmbench run --implementation 'cpu/lloyd/' --dataset blobs --n 1e4:1e6:x10 --d 8 --k 32",
                  "kmbench run --implementation cpu/lloyd/two_step --data points.npy --k 8 --set packages=1,10,100"}}};

}  // namespace km::run_command
