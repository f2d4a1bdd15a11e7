// kmbench compare, replay, hardware, claims and explain: start python3 -m plots, which has their flags.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/program/command.hpp"

namespace km::plots_command {
namespace {

using Words = std::vector<std::string>;

/// Arguments that kmbench knows better than the Python command. They precede the user's, which override them.
Words known(std::string_view command) {
  if (command == "compare") return {};
  if (command == "replay") return {"--kmbench", std::filesystem::read_symlink("/proc/self/exe").string()};
  return {"--results", results_folder().string(), "--papers", (home() / "papers").string()};
}

/// Replaces this process by the Python of scripts/setup. Does not return.
int become_python(const Invocation& by) {
  const auto folder = home(), python = folder / ".venv" / "bin" / "python3";
  if (!std::filesystem::exists(folder / "plots" / "__main__.py"))
    throw UserError(
        fmt::format("{} is Python, in plots/ of a checkout, and {} has none: set KMBENCH_HOME to a checkout", by.command, folder.string()));
  if (!std::filesystem::exists(python)) throw UserError(fmt::format("no {}: run scripts/setup in the checkout", python.string()));
  Words words = {python.string(), "-m", "plots", std::string(by.command)};
  for (const auto& more : {known(by.command), by.passed_on}) words.insert(words.end(), more.begin(), more.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const char* before = std::getenv("PYTHONPATH");
  ::setenv("PYTHONPATH", (folder.string() + (before && *before ? std::string(":") + before : "")).c_str(), 1);
  ::execv(argv[0], argv.data());
  throw UserError(fmt::format("cannot start {}: run scripts/setup", python.string()));
}

/// flags: the Python command's flags, for the shell's completion.
Subcommand python_command(std::string_view name, std::string_view summary, std::vector<std::string_view> flags) {
  return {.name = name, .summary = summary, .options = {}, .run = become_python, .completes = std::move(flags), .passes_all = true};
}

const RegisterCommand compare{
    10, python_command("compare", "Two states of the code, case by case: what became faster, what slower (--help lists its flags)",
                       {"--within", "--threshold", "--filter", "--all", "--markdown", "--json", "--annotations", "--out", "--rank", "--help"})};
const RegisterCommand replay{11,
                             python_command("replay", "The cases of a result file again, on this machine, and what differs (--help lists its flags)",
                                            {"--kmbench", "--filter", "--repetitions", "--dry-run", "--out", "--help"})};
const RegisterCommand hardware{
    12, python_command("hardware", "Machines side by side: time, share of their ceilings, price, energy, claims (--help lists its flags)",
                       {"$exhibits", "--results", "--papers", "--out", "--machine", "--profile", "--all", "--help"})};
const RegisterCommand claims{13, python_command("claims", "The papers' claims with a verdict each (--help lists its flags)",
                                                {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile", "--all",
                                                 "--list", "--beside", "--help"})};
const RegisterCommand explain{14, python_command("explain",
                                                 "What stands behind a cell of an exhibit: samples, command, commit, judge (--help lists its flags)",
                                                 {"$exhibits", "--results", "--papers", "--machine", "--profile", "--help"})};

}  // namespace
}  // namespace km::plots_command
