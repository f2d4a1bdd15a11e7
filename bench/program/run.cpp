// kmbench run: exhibits, or an ad hoc sweep from flags.
#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "bench/device/device.hpp"
#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/machine/environment.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/program/commands.hpp"
#include "bench/run/run.hpp"

namespace km {
namespace {

struct Flags {
  std::vector<std::string> exhibits, papers, set, data_settings;
  std::string implementation, dataset, data, n, d, k, precision, iterations, tolerance, init, seed, repetitions, warmup;
  std::string profile = "paper", filter, out, machine, worker;
  bool dry_run = false, redo = false, save = false;
  int device = -1;
  std::uint64_t order_seed = 1;
};

std::vector<Scalar> list_of(const std::string& text) {
  std::vector<Scalar> values;
  std::stringstream in(text);
  for (std::string part; std::getline(in, part, ',');) {
    if (part.empty()) throw UserError(fmt::format("'{}' holds an empty value", text));
    for (auto& value : parse_range(part)) values.push_back(std::move(value));
  }
  if (values.empty()) throw UserError("an empty list of values");
  return values;
}

void add_axis(Sweep& sweep, const std::string& name, const std::string& text) {
  if (!text.empty()) sweep.axes[name] = name == "dataset" || name == "init" ? std::vector<Scalar>{text} : list_of(text);
}

/// "packages=1,10" to set.packages.
void add_settings(Sweep& sweep, const std::string& prefix, const std::vector<std::string>& settings) {
  for (const auto& text : settings) {
    const auto equals = text.find('=');
    if (equals == text.npos || equals == 0) throw UserError(fmt::format("'{}' is not name=value", text));
    sweep.axes[prefix + text.substr(0, equals)] = list_of(text.substr(equals + 1));
  }
}

Sweep ad_hoc(const Flags& f) {
  if (!f.dataset.empty() && !f.data.empty()) throw UserError("--dataset and --data exclude one another");
  if (f.dataset.empty() && f.data.empty()) throw UserError("name the points: --dataset NAME (see kmbench list datasets) or --data FILE.npy");
  if (f.k.empty()) throw UserError("name the number of clusters: --k");
  Sweep sweep{.patterns = true};
  sweep.axes["implementation"] = {f.implementation.empty() ? std::string(".") : f.implementation};
  if (!f.dataset.empty())
    for (const auto& name : list_of(f.dataset)) sweep.axes["dataset"].push_back(name);
  if (!f.data.empty()) {
    if (!std::filesystem::is_regular_file(f.data)) throw UserError(fmt::format("no file {}", f.data));
    sweep.axes["dataset"] = {std::filesystem::absolute(f.data).string()};
  }
  add_axis(sweep, "n", f.n);
  add_axis(sweep, "d", f.d);
  add_axis(sweep, "k", f.k);
  add_axis(sweep, "precision", f.precision);
  add_axis(sweep, "iterations", f.iterations);
  add_axis(sweep, "tolerance", f.tolerance);
  add_axis(sweep, "init", f.init);
  add_axis(sweep, "init_seed", f.seed);
  add_axis(sweep, "warmup", f.warmup);
  add_settings(sweep, "set.", f.set);
  add_settings(sweep, "data.", f.data_settings);
  return sweep;
}

/// What an exhibit fixes, a flag may not.
void check_contradictions(const Flags& f) {
  if (f.exhibits.empty() && f.papers.empty()) return;
  const std::vector<std::pair<const char*, bool>> given = {
      {"--implementation", !f.implementation.empty()}, {"--dataset", !f.dataset.empty()}, {"--data", !f.data.empty()},
      {"--n", !f.n.empty()}, {"--d", !f.d.empty()}, {"--k", !f.k.empty()}, {"--precision", !f.precision.empty()},
      {"--iterations", !f.iterations.empty()}, {"--tolerance", !f.tolerance.empty()}, {"--init", !f.init.empty()},
      {"--seed", !f.seed.empty()}, {"--set", !f.set.empty()}, {"--data-set", !f.data_settings.empty()}};
  for (const auto& [name, present] : given)
    if (present) throw UserError(fmt::format("{} contradicts an exhibit, which fixes it; narrow an exhibit with --filter", name));
}

std::vector<Case> plan(const Flags& f) {
  check_contradictions(f);
  std::vector<Case> cases;
  const auto add = [&](std::vector<Case> more) { std::ranges::move(more, std::back_inserter(cases)); };
  std::vector<std::filesystem::path> files(f.exhibits.begin(), f.exhibits.end());
  for (const auto& paper : f.papers)
    for (const auto& file : exhibit_files(paper)) files.push_back(file);
  for (const auto& file : files) {
    const Exhibit exhibit = read_exhibit(file, f.profile);
    for (const auto& sweep : exhibit.sweeps) add(expand(sweep, exhibit.key, f.profile));
    for (const auto& other : exhibit.reuse) {
      const auto path = home() / "papers" / (other + ".toml");
      const Exhibit source = read_exhibit(path, f.profile);
      for (const auto& sweep : source.sweeps) add(expand(sweep, source.key, f.profile));
    }
  }
  if (files.empty()) add(expand(ad_hoc(f), "", "paper"));
  if (!f.repetitions.empty()) {
    const auto value = parse_scalar(f.repetitions);
    const auto* count = std::get_if<std::int64_t>(&value);
    if (!count || *count < 1 || *count > 1'000'000) throw UserError(fmt::format("--repetitions must be a number from 1 to 1000000, not '{}'", f.repetitions));
    for (auto& c : cases) c.repetitions = int(*count);
  }
  cases = shuffled(std::move(cases), f.order_seed);
  if (!f.filter.empty()) {
    std::regex pattern;
    try {
      pattern = std::regex(f.filter);
    } catch (const std::regex_error&) {
      throw UserError(fmt::format("--filter '{}' is not a regular expression", f.filter));
    }
    std::erase_if(cases, [&](const Case& c) { return !std::regex_search(c.name(), pattern); });
    if (cases.empty()) throw UserError(fmt::format("--filter '{}' matches no case; --dry-run lists them", f.filter));
  }
  return cases;
}

/// Google Benchmark ignores what it does not know, and its aggregates are not ours to print.
void check_benchmark_flags(const std::vector<std::string>& extras) {
  static const std::vector<std::string_view> known = {
      "list_tests", "list_tests=true", "list_tests=false", "format=json", "format=console", "out_format=json", "filter=", "repetitions=",
      "out=", "enable_random_interleaving", "enable_random_interleaving=", "min_time=", "color=", "counters_tabular", "context=", "perf_counters=", "time_unit="};
  for (const auto& extra : extras) {
    constexpr std::string_view prefix = "--benchmark_";
    const bool fits = extra.starts_with(prefix) && std::ranges::any_of(known, [&](std::string_view flag) {
      const auto rest = std::string_view(extra).substr(prefix.size());
      return rest == flag || (flag.ends_with('=') && rest.starts_with(flag));
    });
    if (!fits)
      throw UserError(fmt::format("unknown argument '{}'; see kmbench run --help; of Google Benchmark's flags, --benchmark_ followed by: {}", extra, fmt::join(known, ", ")));
  }
}

bool asked(const std::vector<std::string>& extras, const std::string& flag) {
  return std::ranges::any_of(extras, [&](const std::string& extra) { return extra == flag || extra == flag + "=true"; });
}

/// The cases that --benchmark_filter leaves, by its rules: a leading '-' turns it round.
void print_names(const std::vector<Case>& cases, const std::vector<std::string>& extras) {
  std::string filter = ".";
  for (const std::string_view flag = "--benchmark_filter="; const auto& extra : extras)
    if (extra.starts_with(flag)) filter = extra.substr(flag.size());
  const bool turned = filter.starts_with('-');
  const std::regex pattern(turned ? filter.substr(1) : filter, std::regex::extended);
  for (const auto& c : cases)
    if (c.skip.empty() && std::regex_search(c.name(), pattern) != turned) fmt::print("{}\n", c.name());
}

/// A file named on the command line is read before anything is written, so that what is wrong with it is the user's to hear.
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

int run(const Flags& f, std::vector<std::string> argv, std::vector<std::string> extras) {
  check_benchmark_flags(extras);
  if (f.profile != "paper" && f.profile != "quick") throw UserError(fmt::format("--profile '{}'; accepted: paper, quick", f.profile));
  Flags flags = f;
  for (const auto& extra : extras)
    if (extra.starts_with("--benchmark_repetitions=")) flags.repetitions = extra.substr(extra.find('=') + 1);
  if (f.device >= 0) try {
    device::select(f.device);
  } catch (const device::Error& error) {
    throw UserError(fmt::format("--device {}: {}", f.device, error.what()));
  }
  const auto cases = plan(flags);
  if (f.dry_run) {
    print_plan(cases);
    return 0;
  }
  if (asked(extras, "--benchmark_list_tests")) {
    print_names(cases, extras);
    return 0;
  }
  std::erase_if(argv, [](const std::string& arg) { return arg.starts_with("--worker="); });
  RunOptions options{.redo = f.redo, .save_solutions = f.save, .argv = std::move(argv), .benchmark_args = std::move(extras)};
  options.machine = f.machine.empty() ? machine_id() : f.machine;
  options.out = f.out.empty() ? home() / "results" / options.machine : std::filesystem::path(f.out);
  if (!f.worker.empty()) {
    const auto comma = f.worker.find(',');
    return work(cases, options, std::stoi(f.worker), std::stoi(f.worker.substr(comma + 1)));
  }
  check_points(f, cases);
  write_machine_record(options.out, options.machine);
  return supervise(cases, options);
}

}  // namespace

void add_run(CLI::App& app, int& code, std::vector<std::string> argv) {
  auto* command = app.add_subcommand("run", "Measure exhibits, or an ad hoc sweep; finished cases are skipped");
  auto f = std::make_shared<Flags>();
  command->add_option("exhibits", f->exhibits, "Exhibit files, papers/<key>/<exhibit>.toml");
  command->add_option("--paper", f->papers, "Every exhibit of a paper (repeatable)");
  command->add_option("--profile", f->profile, "paper (full size) or quick (seconds on a laptop)");
  command->add_option("--implementation", f->implementation, "Ad hoc: implementations matching this regular expression (default: all)");
  command->add_option("--dataset", f->dataset, "Ad hoc: data sets by name");
  command->add_option("--data", f->data, "Ad hoc: a .npy, .csv or .npy.xz file of points");
  command->add_option("--n", f->n, "Points: 1000, 1e4,1e5 or 1e4:1e6:x10");
  command->add_option("--d,--nd", f->d, "Dimensions, likewise");
  command->add_option("--k,--kc", f->k, "Clusters, likewise");
  command->add_option("--set", f->set, "Parameter values: packages=1,10,100 (repeatable)");
  command->add_option("--data-set", f->data_settings, "Generator settings: sigma2=0.1,0.2 (repeatable)");
  command->add_option("--precision", f->precision, "fp32, fp64 or fp32,fp64");
  command->add_option("--iterations", f->iterations, "Iterations to make; with --tolerance, at most (default 10, or 1000)");
  command->add_option("--tolerance", f->tolerance, "Stop when at most this share of the points changed label");
  command->add_option("--init", f->init, "random, kmeans++ or a .npy of k x d");
  command->add_option("--seed", f->seed, "Seed of the initial centroids");
  command->add_option("--repetitions", f->repetitions, "Timed runs of each case");
  command->add_option("--warmup", f->warmup, "Runs before them");
  command->add_option("--filter", f->filter, "Only cases whose name matches this regular expression");
  command->add_option("--out", f->out, "Folder for the result lines (default results/<machine>)");
  command->add_option("--machine", f->machine, "Name of this machine (default from GPU or CPU)");
  command->add_option("--device", f->device, "GPU to use (default 0)");
  command->add_option("--order-seed", f->order_seed, "Seed of the order in which cases run");
  command->add_flag("--dry-run", f->dry_run, "Print the plan with memory and time forecast, run nothing");
  command->add_flag("--redo", f->redo, "Run cases that have results already");
  command->add_flag("--save", f->save, "Also write points, labels and centroids of exhibit cases as .npy");
  command->add_option("--worker", f->worker)->group("");
  command->allow_extras();
  command->callback([=, &code] { code = run(*f, argv, command->remaining()); });
}

}  // namespace km
