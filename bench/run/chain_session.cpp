// Measures a case of spectral clustering: as bench/run/measure.cpp, with the judge of chains, and without the replay, whose links k-means alone has.
#include <algorithm>
#include <cmath>
#include <utility>

#include "bench/contract/must_agree.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/chain.hpp"
#include "bench/judge/judge.hpp"
#include "bench/machine/memory.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/timing.hpp"
#include "bench/run/truth.hpp"

namespace km {
namespace {

constexpr int tries_a_sample = 5;  // at most

template <class T>
class ChainSession final : public Session {
 public:
  ChainSession(const Case& c, Measurement& m)
      : case_(c), points_(load_dataset<T>(c.dataset)), truth_(generated_labels(c.dataset)), problem_{c.shape(), points_.points(), {}} {
    m.dataset_hash = points_.hash;
    m.generator = points_.generator;
    m.process_changed = true;  // threads of a linear algebra library stay
    protect_values(points_.values.get(), "the points");
    memory::reset_peak();
    if (c.on_gpu()) device::start();
    Trace prepare_trace(true);
    noted_library();
    const auto start = std::chrono::steady_clock::now();
    solver_ = c.implementation->prepare<T>()(problem_, c.config, prepare_trace);
    if (c.on_gpu()) device::synchronize();
    m.library = noted_library();
    m.line.prepare_s = seconds_since(start) - (m.library ? m.library->start_s : 0);
    prepare_trace.finish();
    m.prepare_trace = std::move(prepare_trace);
    Trace untraced;
    for (int run = 0; run < c.warmup; ++run) run_once(m, untraced);
  }

  void repeat(Measurement& m) override {
    Timing best;
    const auto start = std::chrono::steady_clock::now();
    const auto again = [&](int tries) {  // repeating may take as long as a sample did
      return tries < tries_a_sample && best.disturbed > disturbed_share && (std::isinf(best.disturbed) || seconds_since(start) < 2 * best.wall_s);
    };
    for (int tries = 0; tries == 0 || again(tries); ++tries) {
      if (tries > 0) wait_for_quiet();
      Trace untraced;
      Timing timing = run_once(m, untraced);
      if (tries == 0 || timing.disturbed < best.disturbed) best = std::move(timing);
      judge_last(m);
      if (!m.judgement.verdict.empty()) break;
    }
    if (m.judgement.verdict.empty() && std::isinf(best.disturbed)) {
      if (best.complaint.empty()) throw AgreedFailure("the process was stopped from outside in every try at a timed run");
      m.judgement.verdict = best.complaint;
    }
    m.line.samples_s.push_back(best.wall_s);
    m.delays.push_back(best.delay);
    if (case_.on_gpu()) m.line.samples_event_s.push_back(best.event_s);
    m.iters = last_.iters;
  }

  void finish(Measurement& m) override {
    m.line.peak_bytes = memory::peak_bytes();
    m.trace_disturbed = traced_run(m).disturbed > disturbed_share;
  }

  void solve(Measurement& m) override {
    m.line.samples_s.push_back(traced_run(m).wall_s);
    m.iters = last_.iters;
  }

  const std::vector<std::int32_t>& labels() const override { return last_.labels; }

  void write_answer(const std::filesystem::path& folder) override { write_labels(folder / "labels.npy", last_.labels); }

  void save(const std::filesystem::path& stem) override {
    write_npy<T>(stem.string() + ".points.npy", problem_.points, problem_.n, problem_.d);
    write_labels(stem.string() + ".labels.npy", last_.labels);
  }

 private:
  Timing run_once(Measurement& m, Trace& trace) {
    ++m.runs;
    Timing timing = timed(
        case_.on_gpu(), [&] { solver_->reset(); }, [&] { solver_->iterate(trace); });
    if (!m.library) m.library = noted_library();
    const auto start = std::chrono::steady_clock::now();
    last_ = solver_->download();
    m.downloads_s.push_back(seconds_since(start));
    return timing;
  }

  /// Phases of a run, and as counters what the judge found.
  Timing traced_run(Measurement& m) {
    Trace trace(true);
    const Timing timing = run_once(m, trace);
    judge_last(m);
    for (const auto& [name, value] : findings_) trace.count(name, value);
    trace.finish();
    m.trace = std::move(trace);
    m.counters = m.trace.counters();
    return timing;
  }

  /// Judges the last run, by its labels alone if they are those of a run that was judged.
  void judge_last(Measurement& m) {
    const auto start = std::chrono::steady_clock::now();
    const auto record = noted_chain<T>();
    if (judged_.empty() || judged_ != last_.labels) {
      judge_run(m.judgement, record);
      judged_ = last_.labels;
    }
    m.judged_for(seconds_since(start));
  }

  void judge_run(Judgement& out, const std::optional<ChainRecord<T>>& record) {
    out.verdict = explain_labels(last_.labels, problem_.n, problem_.k);
    if (!out.verdict.empty()) return;
    out.judged_points = problem_.n;
    out.cluster_sizes.assign(std::size_t(problem_.k), 0);
    for (const auto label : last_.labels) ++out.cluster_sizes[std::size_t(label)];
    findings_.clear();
    if (!truth_.empty()) {
      const Agreement agreement = agreement_of(last_.labels, truth_);
      findings_ = {{"ari", std::max(0.0, agreement.ari)}, {"nmi", agreement.nmi}};  // counters are not negative
    }
    if (!record) return;
    const ChainJudgement chain = judge_chain<T>(problem_, case_.config, *record, last_.labels);
    out.verdict = chain.verdict;
    out.inertia = chain.inertia;
    findings_.insert(findings_.end(), {{"vertices", double(record->sizes.size())},
                                       {"pieces", double(record->pieces)},
                                       {"proposed", double(record->proposed)},
                                       {"residual", chain.residual},
                                       {"orthogonality", chain.orthogonality},
                                       {"counted", double(chain.counted)}});
    for (std::size_t e = 0; e < std::min<std::size_t>(10, record->first.values.size()); ++e)
      findings_.emplace_back("eigenvalue_" + std::to_string(e + 1), std::max(0.0, record->first.values[e]));
  }

  Case case_;
  Dataset<T> points_;
  std::vector<std::int32_t> truth_, judged_;
  Problem<T> problem_;
  std::unique_ptr<AnySolver<T>> solver_;
  Solution<T> last_;
  std::vector<std::pair<std::string, double>> findings_;  // counters of the line
};

}  // namespace

std::unique_ptr<Session> prepare_chain(const Case& c, Measurement& m) {
  if (c.precision == Precision::fp32) return std::make_unique<ChainSession<float>>(c, m);
  return std::make_unique<ChainSession<double>>(c, m);
}

}  // namespace km
