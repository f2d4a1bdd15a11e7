// kmbench check: every implementation on every awkward shape. Worker processes limit the damage of a crash or a hang to one check.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/judge/check.hpp"
#include "bench/plan/case.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/inbox.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/workers.hpp"

namespace km::check_command {

struct Flags {
  std::string filter, timeout = "120";
  bool huge = false, defaults = false, verbose = false;
} flags;

/// A check as a job: a case whose data set is the shape.
Job job_of(std::size_t id, const Check& check, double timeout_s) {
  const Case c{.implementation_name = check.implementation->name,
               .config = check.config,
               .dataset = {.name = check.shape->name},
               .precision = check.precision};
  return {std::to_string(id), timeout_s, Json{{"id", std::to_string(id)}, {"name", check.name}, {"case", packed(c)}}.dump()};
}

Check check_of(const Json& job) {
  const Case c = unpacked(job["case"]);
  return {job["name"], c.implementation, c.precision, &shape_named(c.dataset.name), c.config};
}

int work(const Inbox& inbox) {
  adopt_orphans();
  for (const auto& data : inbox.jobs()) {
    const Json job = Json::parse(data);
    const std::string id = job["id"];
    inbox.start(id);
    const ProcessState before;
    CheckResult result = run_check(check_of(job));
    const std::string remains = before.remains();
    if (result.wrong.empty()) result.wrong = remains;
    inbox.end(id, Json{{"wrong", result.wrong}, {"skip", result.skip}}.dump(-1, ' ', false, Json::error_handler_t::replace));
    if (!remains.empty()) inbox.leave();  // the next check needs a fresh process
  }
  return 0;
}

class Tally {
 public:
  Tally(const std::vector<Check>& checks, bool verbose)
      : checks_(checks), verbose_(verbose), progress_(checks, [](const Check& check) { return check.implementation->name; }) {}

  void start(const std::string& id) { progress_.start(checks_.at(std::stoul(id)).name); }

  void add(const std::string& id, const std::string& wrong, const std::string& skip) {
    const Check& check = checks_.at(std::stoul(id));
    if (!skip.empty()) ++skips_[check.implementation->name + ": " + skip];
    else ++(wrong.empty() ? right_ : wrong_);
    progress_.clear();
    if (!wrong.empty()) fmt::print("WRONG  {}: {}\n", check.name, wrong);
    else if (verbose_) fmt::print("{}  {}{}\n", skip.empty() ? "right" : "skip ", check.name, skip.empty() ? "" : ": " + skip);
    std::fflush(stdout);
    progress_.done(check.implementation->name);
  }

  int report() {
    progress_.clear();
    int skipped = 0;
    for (const auto& [reason, count] : skips_) {
      fmt::print("skipped {} of {}\n", count, reason);
      skipped += count;
    }
    fmt::print("{} right, {} wrong, {} skipped\n", right_, wrong_, skipped);
    return wrong_ > 0 ? 1 : 0;
  }

 private:
  const std::vector<Check>& checks_;
  bool verbose_;
  Progress progress_;
  int right_ = 0, wrong_ = 0;
  std::map<std::string, int> skips_;
};

int check(const Flags& f, const Invocation& by) {
  if (by.inbox) return work(*by.inbox);
  const auto checks = plan_checks(f.filter, f.huge, f.defaults);
  const double timeout_s = number("--timeout", f.timeout, 0.1, 1e7);
  std::vector<Job> jobs;
  for (std::size_t at = 0; at < checks.size(); ++at) jobs.push_back(job_of(at, checks[at], timeout_s));
  Tally tally(checks, f.verbose);
  const auto ended = [&](const std::string& id, const std::string& text, const std::string& why) {
    const Json result = Json::parse(text, nullptr, false);
    if (result.is_object()) tally.add(id, result.value("wrong", ""), result.value("skip", ""));
    else tally.add(id, why.empty() ? "the worker's answer is not a result" : why, "");
  };
  const auto left = Workers(by.argv, WorkerLimits::of(0)).run(jobs, {.started = [&](const std::string& id) { tally.start(id); }, .ended = ended});
  const int code = tally.report();
  if (left.empty()) return code;
  fmt::print(stderr, "interrupted: {} of {} checks were not made\n", left.size(), checks.size());
  return 130;
}

const RegisterCommand registration{
    6,
    {.name = "check",
     .summary = "Every implementation on every awkward shape, through the judge and its replay",
     .options = join_options({{"--filter", &flags.filter, "Only checks whose name (implementation/precision/shape/parameters) matches"},
                              {"--timeout", &flags.timeout, "Seconds after which a check is given up (120)"},
                              {"--huge", &flags.huge, "Also n d above 2^31 on the GPU (needs 30 GiB of memory)"},
                              {"--defaults", &flags.defaults, "Only the parameters' default values"},
                              {"--verbose", &flags.verbose, "A line for every check"}},
                             other_implementations()),
     .run = [](const Invocation& by) { return check(flags, by); },
     .examples = {"kmbench check --filter cpu/lloyd/naive", "kmbench check --plugin libmine.so --filter plugin/mine"}}};

}  // namespace km::check_command
