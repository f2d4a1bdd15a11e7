// The worker. Each case is a benchmark of Google Benchmark with manual time and one run per repetition. Our reporter sends its line when
// its repetitions end.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "bench/run/case_run.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

class Bench {
 public:
  /// Registers the cases in the inbox.
  Bench(const Inbox& inbox, const RunOptions& options) : inbox_(inbox) {
    for (const auto& text : inbox.jobs()) {
      const Case c = unpacked(Json::parse(text));
      const std::string name = c.name();
      runs_.try_emplace(name, c, options);
      benchmark::RegisterBenchmark(name.c_str(), [this, name](benchmark::State& state) { repeat(name, state); })
          ->UseManualTime()
          ->Iterations(1)
          ->Repetitions(c.repetitions)
          ->Unit(benchmark::kMillisecond);
    }
  }

  /// Makes one repetition of a case. Called by Google Benchmark.
  void repeat(const std::string& name, benchmark::State& state) {
    CaseRun& run = runs_.at(name);
    if (current_ != &run) {  // interleaved cases alternate
      if (current_) current_->release();
      current_ = &run;
      inbox_.start(run.spec().id());
    }
    for (auto _ : state) state.SetIterationTime(run.repeat());
    if (const std::string reason = run.reason(); !reason.empty()) state.SkipWithError(reason.c_str());
  }

  /// Sends the line of a case whose repetitions are over.
  void finish(const std::string& name) {
    const CaseRun& run = runs_.at(name);
    inbox_.end(run.spec().id(), run.line().dump(-1, ' ', false, Json::error_handler_t::replace));
    if (run.spoiled_process()) inbox_.leave();  // the next case needs a fresh process
    current_ = nullptr;
    runs_.erase(name);
  }

 private:
  const Inbox& inbox_;
  std::map<std::string, CaseRun> runs_;
  CaseRun* current_ = nullptr;
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

}  // namespace

Job job_of(const Case& c, double timeout_s) { return {c.id(), c.patience_s(timeout_s), packed(c).dump()}; }

int work(const RunOptions& options, Inbox& inbox) {
  count_stops();
  adopt_orphans();
  const bool shows = std::ranges::find(options.benchmark_args, "--benchmark_format=console") != options.benchmark_args.end();
  if (!shows) ::dup2(STDERR_FILENO, STDOUT_FILENO);  // output of implementations is no result
  std::vector<std::string> args = {"kmbench"};
  for (const auto& arg : options.benchmark_args)
    if (!arg.starts_with("--benchmark_out") && !arg.starts_with("--benchmark_filter") && arg != "--benchmark_format=json") args.push_back(arg);
  std::vector<char*> argv;
  for (auto& arg : args) argv.push_back(arg.data());
  int argc = int(argv.size());
  benchmark::Initialize(&argc, argv.data());
  do {
    Bench bench(inbox, options);
    LineReporter reporter(bench, display_reporter(options.benchmark_args));
    benchmark::RunSpecifiedBenchmarks(&reporter);
    benchmark::ClearRegisteredBenchmarks();
  } while (inbox.next());
  benchmark::Shutdown();
  return 0;
}

}  // namespace km
