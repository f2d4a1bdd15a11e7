#include "bench/run/measure.hpp"

#include <algorithm>
#include <chrono>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "bench/base/statistics.hpp"
#include "bench/contract/must_agree.hpp"
#include "bench/contract/reuse_scope.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"
#include "bench/machine/energy.hpp"
#include "bench/machine/memory.hpp"
#include "bench/machine/nvml.hpp"
#include "bench/run/energy.hpp"
#include "bench/run/points.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/time_judge.hpp"
#include "bench/run/unforeseen.hpp"

namespace km {

double Measurement::shortest_s() const {
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < line.samples_s.size(); ++i)
    shortest = std::min(shortest, undelayed_s(line.samples_s[i], delays[i], line.samples_s[i] / 4));
  return shortest;
}

namespace {

template <class T>
class TypedSession final : public Session {
 public:
  TypedSession(const Case& c, Measurement& m)
      : case_(c), runs_(case_), answers_(case_, runs_), times_(case_, runs_, answers_), unforeseen_(runs_, answers_.judge) {
    runs_.prepare(m);
    const bool unforeseen = c.warmup > 0 && !c.once;
    for (int run = unforeseen; run < c.warmup; ++run) {
      start_.rotate(1 % problem_.k);
      runs_.make();
    }
    if (unforeseen) m.judged_for(unforeseen_.warm_up(judge_draws()() + std::uint64_t(m.runs)));  // interleaved cases prepare again: other rows
    if (c.on_gpu()) gpu_.emplace();
  }

  void repeat(Measurement& m) override {
    runs_.sample(m, [&] { return timed_run(m); });
  }

  void solve(Measurement& m) override {
    runs_.add_sample(m, timed_run(m));
    m.line.peak_bytes = memory::peak_bytes();
    if (!m.judgement.verdict.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    m.judgement.verdict = answers_.explain_stop();
    m.judged_for(seconds_since(start));
  }

  const Labels& labels() const override { return answers_.last.labels; }

  void write(const std::string& prefix, bool with_points) override { runs_.write(answers_.last, prefix, with_points); }

  void measure_energy(Measurement& m) override {
    EnergyMeter meter(case_.on_gpu());
    start_.as_given();
    const int most = problem_.tolerance < 0 ? problem_.max_iters : 2 * m.iters;  // in another order of additions a stop may come later
    int reported = 0;
    const Json energy = energy_of(meter, [&] {
      const int iters = runs_.make();
      reported = std::max(reported, iters);
      return iters;
    });
    m.line.energy = std::make_shared<const Json>(energy);
    if (energy["joules"].is_null()) return;
    answers_.download();
    const auto start = std::chrono::steady_clock::now();
    answers_.judge_if_new(m);
    const double runs = energy["iterations"].get<double>() / answers_.last.iters;
    if (m.judgement.verdict.empty() && reported > most)
      m.judgement.verdict = fmt::format("in the energy runs it reported {} iterations; at most {} are possible", reported, most);
    if (m.judgement.verdict.empty()) m.judgement.verdict = explain_energy(energy["window_s"].get<double>(), runs, std::ranges::min(m.line.samples_s));
    m.judged_for(seconds_since(start));
  }

  void finish(Measurement& m) override {
    if (m.judgement.verdict.empty() && !times_.explain_verbs(m).empty()) repeat_all(m);
    m.line.peak_bytes = memory::peak_bytes();  // before the points are read once more
    explain_points(m);                         // before the traced run, which could put them back
    Evidence<T>& evidence = answers_.evidence;
    const int iters = runs_.traced_run(m).iters;
    if (case_.on_gpu()) {
      m.line.device_peak_bytes = device::peak_bytes();
      m.line.gpu = std::make_shared<const Json>(gpu_->finish());
    }
    answers_.download(iters);
    const auto start = std::chrono::steady_clock::now();
    answers_.judge_if_new(m);
    if (m.judgement.verdict.empty()) m.judgement.verdict = times_.explain_verbs(m);
    if (const std::string why = times_.explain_trace(m.trace, iters); m.judgement.verdict.empty()) m.judgement.verdict = why;
    if (m.judgement.verdict.empty()) m.judgement.verdict = times_.explain_threads(m);
    evidence.draws = judge_draws();
    const auto drawn = evidence.draws() % 8;
    const double shortest_s = m.shortest_s();
    const bool replay_unforeseen = !answers_.judge.departs && (shortest_s < 0.01 || drawn == 0);
    if (m.judgement.verdict.empty()) m.judgement.verdict = unforeseen_.make(m, times_.beside_s(), replay_unforeseen, evidence.draws);
    if (evidence.first.iters == 0) evidence.first = answers_.last;  // interleaved cases prepare again: the traced run has the given start, too
    if (m.judgement.verdict.empty()) times_.explain_whole_run(m);
    runs_.end();
    look_at_process(m);
    if (m.judgement.verdict.empty()) {
      const ReuseScope reuse;  // for both replays
      evidence.middle = m.line.samples_s.size() >= 5 && (shortest_s < 0.1 || drawn == 1);
      start_.as_given();
      evidence.known = &runs_.points->known;
      m.replay = answers_.replay_of(m, evidence);
      if (m.judgement.verdict.empty() && replay_unforeseen) {
        start_.take(unforeseen_.rows);
        const Replay second = answers_.replay_of(m, {.first = std::move(unforeseen_.solution), .sample = false, .draws = evidence.draws});
        m.replay->verdict = second.verdict;
        m.replay->links += second.links;
      }
    }
    explain_points(m);
    m.judged_for(seconds_since(start));
  }

  void explain_points(Measurement& m) override { runs_.explain_points(m); }

 private:
  /// Makes all samples anew: a disturbance that nobody counts prolongs download or reset once, moved work always.
  void repeat_all(Measurement& m) {
    const std::size_t samples = m.line.samples_s.size();
    for (auto* times : {&m.line.samples_s, &m.line.samples_event_s, &m.downloads_s}) times->clear();
    times_.clear();
    m.delays.clear();
    while (m.judgement.verdict.empty() && m.line.samples_s.size() < samples) repeat(m);
  }

  /// Makes and judges one timed run from its own start. Stores the solution in answers_.last.
  Timing timed_run(Measurement& m) {
    runs_.wake_gpus();
    runs_.take_turn(m.runs++);
    Timing timing = runs_.timed_run();
    const double download_s = undelayed_s([&] {
      const auto download_start = std::chrono::steady_clock::now();
      answers_.download(timing.iters);
      m.downloads_s.push_back(seconds_since(download_start));
    });
    m.downloads_s.back() = slowest(group_, m.downloads_s.back());
    times_.add(timing, download_s);
    if (m.runs == 1) m.iters = timing.iters;
    if (timing.iters != m.iters) {  // a stop elsewhere is no gain: the time is as if it had made the first run's iterations
      const double more = double(m.iters) / std::max(1, timing.iters);
      timing.wall_s *= more, timing.event_s *= more;
    }
    answers_.judge_timed(m);
    return timing;
  }

  void look_at_process(Measurement& m) {
    const std::string remains = state_.remains(), of_all = agreed(group_, remains);
    m.process_changed = summed(group_, !case_.on_gpu() && state_.has_more_threads()) > 0;
    if (m.judgement.verdict.empty()) m.judgement.verdict = of_all;
  }

  ProcessState state_;
  Case case_;
  Group* group_ = all_ranks();  // measure, decide and judge alike
  Runs<T> runs_;
  Start<T>& start_ = runs_.start;
  const Problem<T>& problem_ = runs_.problem;
  Answers<T> answers_;
  TimeJudge<T> times_;
  UnforeseenRun<T> unforeseen_;
  std::optional<GpuState> gpu_;
};

}  // namespace

std::unique_ptr<Session> prepare(const Case& c, Measurement& m) {
  Group* const group = all_ranks();  // those of this machine share its memory
  const double here = group ? double(group->local_size()) / group->size() : 1, points = double(c.n) * c.d * c.value_bytes();
  const auto value_bytes = std::size_t(c.value_bytes());
  const bool there = last_points.keep(c.dataset, value_bytes) || is_mapped(c.dataset, value_bytes, group), whole = group && is_file(c.dataset);
  const double needed = (there ? 0 : whole ? points * group->local_size() : points * here) + 12.0 * double(c.n) * here;
  const double available = double(memory::available_bytes());
  if (available <= 0) throw std::runtime_error("the machine does not tell how much memory is available");
  const std::string why =
      needed > available ? fmt::format("needs {:.1f} GiB of memory, {:.1f} GiB are available", needed / (1 << 30), available / (1 << 30)) : "";
  if (const std::string all = agreed(group, why); !all.empty()) throw CannotRun(all);
  if (group && c.on_gpu())
    if (const std::string shared = explain_shared_gpu(*group, gpus_of(*group)); !shared.empty()) throw CannotRun(shared);
  if (c.implementation->description.task == Task::spectral) return prepare_chain(c, m);
  if (c.precision == Precision::fp32) return std::make_unique<TypedSession<float>>(c, m);
  return std::make_unique<TypedSession<double>>(c, m);
}

}  // namespace km
