// Measures a case of spectral clustering: as bench/run/measure.cpp, with the judge of chains, and without the replay, whose links k-means alone has.
#include <algorithm>
#include <chrono>

#include "bench/judge/chain.hpp"
#include "bench/machine/memory.hpp"
#include "bench/run/runs.hpp"
#include "bench/run/truth.hpp"

namespace km {
namespace {

template <class T>
class ChainSession final : public Session {
 public:
  ChainSession(const Case& c, Measurement& m) : case_(c), runs_(case_), truth_(generated_labels(c.dataset)) {
    m.process_changed = true;  // threads of a linear algebra library stay
    runs_.prepare(m);
    for (int run = 0; run < c.warmup; ++run) runs_.make();
  }

  void repeat(Measurement& m) override {
    runs_.sample(m, [&] {
      Timing timing = runs_.timed_run();
      judge_last(m);
      return timing;
    });
  }

  void finish(Measurement& m) override {
    m.line.peak_bytes = memory::peak_bytes();
    traced_run(m);
  }

  void solve(Measurement& m) override { runs_.add_sample(m, traced_run(m)); }

  void explain_points(Measurement& m) override { runs_.explain_points(m); }

  const Labels& labels() const override { return last_.labels; }

  void write(const std::string& prefix, bool with_points) override { runs_.write(last_, prefix, with_points); }

 private:
  /// Phases of a run, and as counters what the judge found.
  Timing traced_run(Measurement& m) {
    Timing timing = runs_.traced_run(m);
    judge_last(m);
    m.counters.insert(findings_.begin(), findings_.end());
    return timing;
  }

  /// Downloads and judges the last run, by its labels alone if they are those of a run that was judged.
  void judge_last(Measurement& m) {
    if (!m.library) m.library = noted_library();
    const auto download_start = std::chrono::steady_clock::now();
    last_ = runs_.download();
    m.downloads_s.push_back(seconds_since(download_start));
    m.iters = last_.iters;
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
      findings_ = {{"ari", {std::max(0.0, agreement.ari)}}, {"nmi", {std::max(0.0, agreement.nmi)}}};  // counters are not negative
    }
    if (!record) return;
    const ChainJudgement chain = judge_chain<T>(problem_, case_.config, *record, last_.labels);
    out.verdict = chain.verdict;
    out.inertia = chain.inertia;
    findings_.insert({{"vertices", {double(record->sizes.size())}},
                      {"pieces", {double(record->components)}},
                      {"proposed", {double(record->proposed)}},
                      {"residual", {chain.residual}},
                      {"orthogonality", {chain.orthogonality}},
                      {"counted", {double(chain.counted)}}});
    for (std::size_t e = 0; e < std::min<std::size_t>(10, record->first.values.size()); ++e)
      findings_["eigenvalue_" + std::to_string(e + 1)] = {std::max(0.0, record->first.values[e])};
  }

  Case case_;
  Runs<T> runs_;
  const Problem<T>& problem_ = runs_.problem;
  const std::vector<std::int32_t> truth_;
  Labels judged_;
  Solution<T> last_;
  Trace::Series findings_;  // counters of the line
};

}  // namespace

std::unique_ptr<Session> prepare_chain(const Case& c, Measurement& m) {
  if (c.precision == Precision::fp32) return std::make_unique<ChainSession<float>>(c, m);
  return std::make_unique<ChainSession<double>>(c, m);
}

}  // namespace km
