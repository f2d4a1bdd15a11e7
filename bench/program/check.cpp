// kmbench check: every implementation on every awkward shape. Worker processes limit the damage of a crash or a hang to one check.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "bench/judge/check.hpp"
#include "bench/program/arguments.hpp"
#include "bench/program/command.hpp"
#include "bench/run/process_state.hpp"
#include "bench/run/progress.hpp"
#include "bench/run/workers.hpp"

namespace km::check_command {
namespace {

struct Flags {
  std::string filter, timeout = "120";
  bool huge = false, defaults = false, verbose = false;
};

void work(const std::vector<Check>& checks, const Inbox& inbox) {
  for (const auto& id : inbox.jobs()) {
    inbox.start(id);
    const ProcessState before;
    CheckResult result = run_check(checks.at(std::stoul(id)));
    const std::string change = before.change();
    if (result.wrong.empty()) result.wrong = change;
    const bool children = has_children();
    if (result.wrong.empty() && children) result.wrong = "it left a process behind";
    inbox.end(id, nlohmann::json{{"wrong", result.wrong}, {"skip", result.skip}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
    if (!change.empty() || children) inbox.leave();  // the next check needs a fresh process
  }
}

class Tally {
 public:
  Tally(const std::vector<Check>& checks, bool verbose) : checks_(checks), verbose_(verbose), progress_({{"", checks.size()}}) {}

  void start(const std::string& id) { progress_.start(checks_.at(std::stoul(id)).name); }

  void add(const std::string& id, const std::string& wrong, const std::string& skip) {
    const Check& check = checks_.at(std::stoul(id));
    if (!skip.empty()) ++skips_[check.implementation->name + ": " + skip];
    else ++(wrong.empty() ? right_ : wrong_);
    progress_.clear();
    if (!wrong.empty()) fmt::print("WRONG  {}: {}\n", check.name, wrong);
    else if (verbose_) fmt::print("{}  {}{}\n", skip.empty() ? "right" : "skip ", check.name, skip.empty() ? "" : ": " + skip);
    std::fflush(stdout);
    progress_.done("");
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
  const auto checks = plan_checks(f.filter, f.huge, f.defaults);
  if (by.inbox) {
    work(checks, *by.inbox);
    return 0;
  }
  const double timeout_s = number("--timeout", f.timeout, 0.1, 1e7);
  std::vector<Job> jobs;
  for (std::size_t at = 0; at < checks.size(); ++at) jobs.push_back({std::to_string(at), timeout_s, std::to_string(at)});
  Tally tally(checks, f.verbose);
  const auto ended = [&](const std::string& id, const std::string& text) {
    const auto result = nlohmann::json::parse(text, nullptr, false);
    if (result.is_object()) tally.add(id, result.value("wrong", ""), result.value("skip", ""));
    else tally.add(id, "the worker said of it what is no result", "");
  };
  const auto left = Workers(by.argv, {})
                        .run(jobs, {.started = [&](const std::string& id) { tally.start(id); },
                                    .ended = ended,
                                    .lost = [&](const std::string& id, const std::string& why) { tally.add(id, why, ""); }});
  const int code = tally.report();
  if (left.empty()) return code;
  fmt::print(stderr, "interrupted: {} of {} checks were not made\n", left.size(), checks.size());
  return 130;
}

Flags flags;

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
     .run = [](const Invocation& by) { return check(flags, by); }}};

}  // namespace
}  // namespace km::check_command
