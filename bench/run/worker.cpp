// The worker: measures the cases in its inbox and sends their lines.
#include <omp.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/base/error.hpp"
#include "bench/contract/must_agree.hpp"
#include "bench/data/generators.hpp"
#include "bench/device/device.hpp"
#include "bench/judge/draws.hpp"
#include "bench/run/inbox.hpp"
#include "bench/run/measure.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/ranks.hpp"
#include "bench/run/result.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

/// Measures one case to its result line. Whatever the case throws becomes the line's skip or failure.
class CaseRun {
 public:
  CaseRun(Case c, const RunOptions& options) : case_(std::move(c)), options_(options) {}

  const Case& spec() const { return case_; }
  /// True after the last run, or if the case has ended without a time.
  bool ended() const { return !skip_.empty() || !failure_.empty() || !right() || int(measurement_.line.samples_s.size()) >= case_.repetitions; }
  /// Frees what the runs need, so that another case can run in between. The next repeat() prepares again.
  void release() { session_.reset(); }
  const std::string& failure() const { return failure_; }
  /// True if it failed and other ranks may wait for this one.
  bool others_may_wait() const { return others_wait_ && !failure_.empty(); }
  /// True if the next case needs a fresh process.
  bool spoiled_process() const { return !failure_.empty() || measurement_.process_changed || !right(); }

  /// Makes the next timed run and, after the last, all that follows it.
  void repeat() {
    if (ended()) return;
    if (case_.judge_seed) judge_seed() = *case_.judge_seed;
    try {
      if (!session_) session_ = prepare(case_, measurement_);
      return case_.once ? solve() : measure();
    } catch (const CannotRun& error) {  // thrown on all ranks, like the next
      skip_ = error.what();
    } catch (const AgreedFailure& error) {
      failure_ = error.what();
      others_wait_ = false;
    } catch (const device::Error& error) {
      failure_ = error.what();
      if (error.sticky) (void)session_.release();  // the lost context has freed its device memory
    } catch (const std::bad_alloc&) {
      failure_ = "out of memory";
    } catch (const std::exception& error) {
      failure_ = error.what();
      if (failure_.empty()) failure_ = "it threw an exception without a message";
    } catch (...) {
      failure_ = "it threw something other than a std::exception";
    }
    release();
  }

  Json line() const {
    Json line = skeleton(case_, options_.argv, options_.machine);
    if (!skip_.empty()) line["skip"] = skip_;
    else if (!failure_.empty()) line["failure"] = failure_;
    else add_measurement(line, case_, measurement_);
    return readable(std::move(line));  // before JSON turns NaN into null
  }

 private:
  bool right() const { return measurement_.judgement.verdict.empty(); }

  void measure() {
    session_->repeat(measurement_);
    if (options_.interleave && right()) session_->explain_points(measurement_);
    if (right() && int(measurement_.line.samples_s.size()) < case_.repetitions) return;
    if (right() && options_.energy) session_->measure_energy(measurement_);
    if (right()) session_->finish(measurement_);
    if (options_.save_solutions && !case_.exhibit.empty()) {
      const auto stem = options_.out / (case_.exhibit + "." + case_.id());
      std::filesystem::create_directories(stem.parent_path());
      session_->write(stem.string() + ".", true);
    }
    release();
  }

  void solve() {
    session_->solve(measurement_);
    if (right() && !options_.answers.empty()) {
      const auto folder = options_.answers / case_.id();
      std::filesystem::create_directories(folder);
      try {
        session_->write((folder / "").string(), false);
      } catch (const UserError& error) {  // the disk is full
        throw CannotRun(error.what());
      }
    }
    release();
  }

  Case case_;
  const RunOptions& options_;
  Measurement measurement_;
  std::unique_ptr<Session> session_;
  std::string skip_, failure_;
  bool others_wait_ = true;
};

/// The order of the runs, as indices of cases. Each case comes once, for all its runs in a row; interleaved, once for each of its runs, shuffled.
std::vector<std::size_t> turns_of(const std::vector<std::optional<CaseRun>>& cases, bool interleave) {
  std::vector<std::size_t> turns;
  for (std::size_t at = 0; at < cases.size(); ++at) turns.insert(turns.end(), interleave ? std::size_t(cases[at]->spec().repetitions) : 1, at);
  if (interleave) std::ranges::shuffle(turns, std::mt19937_64(turns.size()));
  return turns;
}

void measure_jobs(const RunOptions& options, const Inbox& inbox) {
  std::vector<std::optional<CaseRun>> cases;  // empty: ended
  for (const auto& text : inbox.jobs()) {
    Case c = unpacked(Json::parse(text));
    if (!c.implementation) {
      inbox.crash(fmt::format("this rank's program has no {}", c.implementation_name));
      inbox.leave(true);
    }
    cases.emplace_back(std::in_place, std::move(c), options);
  }
  CaseRun* current = nullptr;
  for (const std::size_t at : turns_of(cases, options.interleave)) {
    if (!cases[at]) continue;
    CaseRun& run = *cases[at];
    if (current != &run) {
      if (current) current->release();
      current = &run;
      inbox.start(run.spec().id());
    }
    do run.repeat();
    while (!options.interleave && !run.ended());
    if (!run.ended()) continue;
    if (!is_first_rank() && run.others_may_wait()) inbox.crash(fmt::format("rank {}: {}", ranks()->rank(), run.failure()));
    inbox.end(run.spec().id(), run.line().dump(-1, ' ', false, Json::error_handler_t::replace));
    if (run.spoiled_process()) inbox.leave(run.others_may_wait());  // the next case needs a fresh process
    current = nullptr;
    cases[at].reset();
  }
}

/// Gives this rank its share of the machine: threads for the judge, and its first GPU.
void share_machine(const Group& group) {
  omp_set_num_threads(group.processors());
  if (device::available()) device::select(group.local_rank() * (device::count() / group.local_size()));
}

}  // namespace

Job job_of(Case c, double timeout_s) {
  if (!c.judge_seed) c.judge_seed = std::random_device{}();
  return {c.id(), c.patience_s(timeout_s), packed(c).dump()};
}

int work(const RunOptions& options, Inbox& inbox) {
  count_stops();
  adopt_orphans();
  if (Group* const group = all_ranks()) share_machine(*group);
  device::take();
  generates_on_device() = true;
  do measure_jobs(options, inbox);
  while (inbox.next());
  if (ranks()) inbox.leave();
  return 0;
}

}  // namespace km
