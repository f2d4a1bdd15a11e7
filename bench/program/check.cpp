// kmbench check: every implementation on every awkward shape. On a GPU, a worker process a round: a lost context costs one check.
#include <fmt/format.h>

#include "bench/judge/check.hpp"
#include "bench/program/commands.hpp"

namespace km {

void add_check(CLI::App& app, int& code) {
  auto* command = app.add_subcommand("check", "Every implementation on every awkward shape, through the judge and against fp64 Lloyd's");
  struct Flags {
    std::string filter;
    bool huge = false, defaults = false, verbose = false;
  };
  auto f = std::make_shared<Flags>();
  command->add_option("--filter", f->filter, "Only checks whose name (implementation/precision/shape/parameters) matches");
  command->add_flag("--huge", f->huge, "Also n d above 2^31 on the GPU (needs 30 GiB of memory)");
  command->add_flag("--defaults", f->defaults, "Only the parameters' default values");
  command->add_flag("--verbose", f->verbose, "A line for every check");
  command->callback([=, &code] {
    int right = 0, wrong = 0;
    std::map<std::string, int> skips;
    run_checks(f->filter, f->huge, f->defaults, [&](const CheckResult& result) {
      if (!result.skip.empty()) ++skips[result.name.substr(0, result.name.find("/fp")) + ": " + result.skip];
      else ++(result.wrong.empty() ? right : wrong);
      if (!result.wrong.empty()) fmt::print("WRONG  {}: {}\n", result.name, result.wrong);
      else if (f->verbose) fmt::print("{}  {}{}\n", result.skip.empty() ? "right" : "skip ", result.name, result.skip.empty() ? "" : ": " + result.skip);
      std::fflush(stdout);
    });
    int skipped = 0;
    for (const auto& [reason, count] : skips) {
      fmt::print("skipped {} of {}\n", count, reason);
      skipped += count;
    }
    fmt::print("{} right, {} wrong, {} skipped\n", right, wrong, skipped);
    code = wrong > 0 ? 1 : 0;
  });
}

}  // namespace km
