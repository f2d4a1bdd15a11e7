// The worker: measures the cases in its inbox and sends their lines.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "bench/run/case_run.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/run.hpp"
#include "bench/run/workers.hpp"

namespace km {
namespace {

/// The order of the runs, as indices of cases: each case once, for all its runs in a row; interleaved, once for each of its runs, shuffled.
std::vector<std::size_t> turns_of(const std::vector<std::optional<CaseRun>>& cases, bool interleave) {
  std::vector<std::size_t> turns;
  for (std::size_t at = 0; at < cases.size(); ++at) turns.insert(turns.end(), interleave ? std::size_t(cases[at]->spec().repetitions) : 1, at);
  if (interleave) std::ranges::shuffle(turns, std::mt19937_64(turns.size()));
  return turns;
}

/// Measures the jobs that the inbox holds now.
void measure_jobs(const RunOptions& options, const Inbox& inbox) {
  std::vector<std::optional<CaseRun>> cases;  // empty: ended
  for (const auto& text : inbox.jobs()) cases.emplace_back(std::in_place, unpacked(Json::parse(text)), options);
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
    inbox.end(run.spec().id(), run.line().dump(-1, ' ', false, Json::error_handler_t::replace));
    if (run.spoiled_process()) inbox.leave();  // the next case needs a fresh process
    current = nullptr;
    cases[at].reset();
  }
}

}  // namespace

Job job_of(Case c, double timeout_s) {
  if (!c.judge_seed) c.judge_seed = std::random_device{}();
  return {c.id(), c.patience_s(timeout_s), packed(c).dump()};
}

int work(const RunOptions& options, Inbox& inbox) {
  count_stops();
  adopt_orphans();
  ::dup2(STDERR_FILENO, STDOUT_FILENO);  // output of implementations is no result
  do measure_jobs(options, inbox);
  while (inbox.next());
  return 0;
}

}  // namespace km
