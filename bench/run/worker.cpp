// The worker. Each case is a benchmark of Google Benchmark with manual time and one run per repetition. Our reporter sends its line when
// its repetitions end.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/device/device.hpp"
#include "bench/run/continued.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/result.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

struct Entry {
  Case spec;
  Measurement measurement;
  std::string failure, skip;
  bool lost_device = false;
  bool over() const { return !failure.empty() || !skip.empty() || !measurement.judgement.verdict.empty(); }
};

class Bench {
 public:
  Bench(std::vector<Case> cases, const RunOptions& options, const Inbox& inbox) : options_(options), inbox_(inbox) {
    for (auto& c : cases) {
      const std::string name = c.name();
      entries_.emplace(name, Entry{.spec = std::move(c)});
    }
  }

  /// Makes one repetition of a case. Called by Google Benchmark.
  void repeat(const std::string& name, benchmark::State& state) {
    Entry& entry = entries_.at(name);
    if (std::exchange(announced_, name) != name) inbox_.start(entry.spec.id());  // interleaved cases alternate
    for (auto _ : state) state.SetIterationTime(entry.over() ? 0 : guarded(name, entry));
    for (const auto& reason : {entry.skip, entry.failure, entry.measurement.judgement.verdict})
      if (!reason.empty()) return state.SkipWithError(reason.c_str());
  }

  /// Sends the line of a case whose repetitions are over.
  void finish(const std::string& name) {
    Entry& entry = entries_.at(name);
    const Measurement& m = entry.measurement;
    Json line = skeleton(entry.spec, options_.argv, options_.machine);
    if (!entry.skip.empty()) line["skip"] = entry.skip;
    else if (!entry.failure.empty()) line["failure"] = entry.failure;
    else add_measurement(line, entry.spec, m);
    line = readable(std::move(line));  // before JSON turns NaN into null
    inbox_.end(entry.spec.id(), line.dump(-1, ' ', false, Json::error_handler_t::replace));
    announced_.clear();
    if (entry.lost_device || m.process_changed || !entry.failure.empty() || !m.judgement.verdict.empty())
      inbox_.leave();  // the next case needs a fresh process
    entry.measurement = {};
  }

 private:
  double guarded(const std::string& name, Entry& entry) {
    try {
      return measured(name, entry);
    } catch (const CannotRun& error) {
      entry.skip = error.what();
    } catch (const device::Error& error) {
      entry.failure = error.what();
      entry.lost_device = error.sticky;
    } catch (const std::bad_alloc&) {
      entry.failure = "out of memory";
    } catch (const std::exception& error) {
      entry.failure = error.what();
    } catch (...) {
      entry.failure = "it threw what is no std::exception";
    }
    current_.clear();
    if (!entry.lost_device) session_.reset();
    else (void)session_.release();  // the lost context has freed its device memory
    return 0;
  }

  double measured(const std::string& name, Entry& entry) {
    Measurement& m = entry.measurement;
    if (current_ != name) {  // also after an interleaved case
      session_.reset();
      session_ = prepare(entry.spec, m);
      current_ = name;
    }
    const double sample_s = session_->repeat(m);
    const bool right = m.judgement.verdict.empty();
    if (int(m.samples_s.size()) == entry.spec.repetitions || !right) {
      if (right && options_.energy) session_->measure_energy(m);
      if (m.judgement.verdict.empty()) session_->finish(m);
      if (options_.save_solutions && !entry.spec.exhibit.empty()) save(entry);
      current_.clear();
      session_.reset();
    }
    return sample_s;
  }

  void save(const Entry& entry) {
    const auto stem = options_.out / entry.spec.exhibit;
    std::filesystem::create_directories(stem.parent_path());
    session_->save(stem);
  }

  RunOptions options_;
  const Inbox& inbox_;
  std::map<std::string, Entry> entries_;
  std::string current_, announced_;
  std::unique_ptr<Session> session_;
};

class LineReporter : public benchmark::BenchmarkReporter {
 public:
  LineReporter(Bench& bench, std::unique_ptr<benchmark::BenchmarkReporter> display) : bench_(bench), display_(std::move(display)) {}
  bool ReportContext(const Context& context) override { return !display_ || display_->ReportContext(context); }
  void ReportRuns(const std::vector<Run>& runs) override {
    if (display_) display_->ReportRuns(runs);
    if (!runs.empty() && runs.front().run_type == Run::RT_Iteration) bench_.finish(runs.front().run_name.function_name);
  }
  void Finalize() override {
    if (display_) display_->Finalize();
  }

 private:
  Bench& bench_;
  std::unique_ptr<benchmark::BenchmarkReporter> display_;
};

/// Returns the console reporter if --benchmark_format asks for it, else none. The parent writes JSON.
std::unique_ptr<benchmark::BenchmarkReporter> display_reporter(const std::vector<std::string>& args) {
  for (const auto& arg : args)
    if (arg == "--benchmark_format=console") return std::make_unique<benchmark::ConsoleReporter>();
  return nullptr;
}

/// Returns the cases in the inbox. Ends jobs that are no longer in the plan with an empty result.
std::vector<Case> cases_on(const Inbox& inbox, std::vector<Case> cases) {
  std::map<std::string, std::size_t> place;
  for (std::size_t at = 0; at < inbox.jobs().size(); ++at) place.emplace(inbox.jobs()[at], at);
  std::erase_if(cases, [&](const Case& c) { return !place.contains(c.id()); });
  if (cases.size() == place.size()) return cases;
  for (const auto& c : cases) place.erase(c.id());
  for (const auto& [id, at] : place) {
    inbox.start(id);
    inbox.end(id, "");
  }
  return cases;
}

}  // namespace

int work(std::vector<Case> all, const RunOptions& options, const Inbox& inbox) {
  count_stops();
  adopt_orphans();
  const bool shows = std::ranges::find(options.benchmark_args, "--benchmark_format=console") != options.benchmark_args.end();
  if (!shows) ::dup2(STDERR_FILENO, STDOUT_FILENO);  // output of implementations is no result
  std::vector<Case> cases = cases_on(inbox, missing_runs(std::move(all), options));
  std::vector<std::pair<std::string, int>> runs;  // name, repetitions
  for (const auto& c : cases) runs.emplace_back(c.name(), c.repetitions);
  Bench bench(std::move(cases), options, inbox);
  for (const auto& [name, repetitions] : runs)
    benchmark::RegisterBenchmark(name.c_str(), [&bench, name = name](benchmark::State& state) { bench.repeat(name, state); })
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(repetitions)
        ->Unit(benchmark::kMillisecond);
  std::vector<std::string> args = {"kmbench"};
  for (const auto& arg : options.benchmark_args)
    if (!arg.starts_with("--benchmark_out") && arg != "--benchmark_format=json") args.push_back(arg);
  std::vector<char*> argv;
  for (auto& arg : args) argv.push_back(arg.data());
  int argc = int(argv.size());
  benchmark::Initialize(&argc, argv.data());
  LineReporter reporter(bench, display_reporter(options.benchmark_args));
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::Shutdown();
  return 0;
}

}  // namespace km
