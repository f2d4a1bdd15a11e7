// The worker: every case is a registered benchmark of Google Benchmark, with manual time and one run a repetition; a reporter of ours
// writes its line as soon as its repetitions are over.
#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <sstream>

#include "bench/device/device.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/run.hpp"

namespace km {
namespace {

struct Entry {
  Case spec;
  Measurement measurement;
  std::string failure, skip;
  bool restart = false;
};

class Bench {
 public:
  Bench(std::vector<Case> cases, const RunOptions& options, int events) : options_(options), events_(events), progress_(cases.size()) {
    for (auto& c : cases) {
      const std::string name = c.name();
      entries_.emplace(name, Entry{.spec = std::move(c)});
    }
  }

  /// One repetition of one case, called by Google Benchmark.
  void repeat(const std::string& name, benchmark::State& state) {
    Entry& entry = entries_.at(name);
    announce(name, entry);
    for (auto _ : state) {
      if (entry.failure.empty() && entry.skip.empty() && entry.measurement.judgement.verdict.empty()) state.SetIterationTime(guarded(name, entry));
      else state.SetIterationTime(0);
    }
    for (const auto& reason : {entry.skip, entry.failure, entry.measurement.judgement.verdict})
      if (!reason.empty()) return state.SkipWithError(reason.c_str());
  }

  /// All repetitions of a case are over: write its line.
  void finish(const std::string& name) {
    Entry& entry = entries_.at(name);
    Json line = skeleton(entry.spec, options_.argv, options_.machine);
    if (!entry.skip.empty()) line["skip"] = entry.skip;
    else if (!entry.failure.empty()) line["failure"] = entry.failure;
    else add_measurement(line, entry.spec, entry.measurement);
    ResultFile(result_path(options_, entry.spec)).append(line);
    tell("end " + entry.spec.id());
    announced_.clear();
    progress_.done(entry.spec, line);
    entry.measurement = {};
    if (entry.restart) ::_exit(restart_code);
  }

 private:
  double guarded(const std::string& name, Entry& entry) {
    try {
      return measured(name, entry);
    } catch (const CannotRun& error) {
      entry.skip = error.what();
    } catch (const device::Error& error) {
      entry.failure = error.what();
      entry.restart = error.sticky;
    } catch (const std::bad_alloc&) {
      entry.failure = "out of memory";
    } catch (const std::exception& error) {
      entry.failure = error.what();
    }
    current_.clear();
    if (!entry.restart) session_.reset();
    else (void)session_.release();  // its device memory went with the context
    return 0;
  }

  double measured(const std::string& name, Entry& entry) {
    Measurement& m = entry.measurement;
    if (current_ != name) {  // also after interleaving with another case
      session_.reset();
      session_ = prepare(entry.spec, m);
      current_ = name;
    }
    const double sample_s = session_->repeat(m);
    if (int(m.samples_s.size()) == entry.spec.repetitions || !m.judgement.verdict.empty()) {
      session_->trace(m);
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

  /// Interleaved cases take turns: the parent has to know whose turn it is.
  void announce(const std::string& name, const Entry& entry) {
    if (std::exchange(announced_, name) == name) return;
    progress_.start(entry.spec);
    tell("start " + skeleton(entry.spec, options_.argv, options_.machine).dump());
  }

  void tell(const std::string& text) {
    const std::string line = text + "\n";
    if (events_ >= 0 && ::write(events_, line.data(), line.size()) < 0) ::_exit(1);  // the parent is gone
  }

  RunOptions options_;
  int events_;
  Progress progress_;
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

/// The reporter --benchmark_format asks for, beside ours; none unless asked. JSON is the parent's to write.
std::unique_ptr<benchmark::BenchmarkReporter> display_reporter(const std::vector<std::string>& args) {
  for (const auto& arg : args)
    if (arg == "--benchmark_format=console") return std::make_unique<benchmark::ConsoleReporter>();
  return nullptr;
}

std::set<std::string> read_ids(int descriptor) {
  std::string text(1 << 16, '\0'), all;
  for (ssize_t got; (got = ::read(descriptor, text.data(), text.size())) > 0;) all.append(text, 0, std::size_t(got));
  std::istringstream in(all);
  return {std::istream_iterator<std::string>(in), {}};
}

}  // namespace

int work(std::vector<Case> cases, const RunOptions& options, int todo, int events) {
  if (todo >= 0) {
    const auto ids = read_ids(todo);
    std::erase_if(cases, [&](const Case& c) { return !ids.contains(c.id()); });
  }
  std::vector<std::string> names;
  for (const auto& c : cases) names.push_back(c.name());
  std::vector<int> repetitions;
  for (const auto& c : cases) repetitions.push_back(c.repetitions);
  Bench bench(std::move(cases), options, events);
  for (std::size_t at = 0; at < names.size(); ++at)
    benchmark::RegisterBenchmark(names[at].c_str(), [&bench, name = names[at]](benchmark::State& state) { bench.repeat(name, state); })
        ->UseManualTime()->Iterations(1)->Repetitions(repetitions[at])->Unit(benchmark::kMillisecond);
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
