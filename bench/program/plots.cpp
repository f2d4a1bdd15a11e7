// kmbench compare, replay, hardware, claims and explain: each starts python3 -m plots, which reads, decides and shows. Flags are that command's.
#include "bench/program/plots.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/program/commands.hpp"

namespace km {
namespace {

using Words = std::vector<std::string>;

Words this_program() { return {"--kmbench", std::filesystem::read_symlink("/proc/self/exe").string()}; }
Words own_folders() { return {"--results", results_folder().string(), "--papers", (home() / "papers").string()}; }

/// With the Python of scripts/setup. Does not return.
[[noreturn]] void become_python(const PlotsCommand& command, const Words& arguments) {
  const auto folder = home(), python = folder / ".venv" / "bin" / "python3";
  if (!std::filesystem::exists(folder / "plots" / "__main__.py"))
    throw UserError(
        fmt::format("{} is Python, in plots/ of a checkout, and {} has none: set KMBENCH_HOME to a checkout", command.name, folder.string()));
  if (!std::filesystem::exists(python)) throw UserError(fmt::format("no {}: run scripts/setup in the checkout", python.string()));
  Words words = {python.string(), "-m", "plots", std::string(command.name)};
  if (command.known)
    for (auto& word : command.known()) words.push_back(std::move(word));
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const char* before = std::getenv("PYTHONPATH");
  ::setenv("PYTHONPATH", (folder.string() + (before && *before ? std::string(":") + before : "")).c_str(), 1);
  ::execv(argv[0], argv.data());
  throw UserError(fmt::format("cannot start {}: run scripts/setup", python.string()));
}

}  // namespace

const std::vector<PlotsCommand>& plots_commands() {
  static const std::vector<PlotsCommand> all = {
      {.name = "compare",
       .summary = "Two states of the code, case by case: what became faster, what slower (--help lists its flags)",
       .flags = {"--within", "--threshold", "--filter", "--all", "--markdown", "--out", "--rank", "--help"}},
      {.name = "replay",
       .summary = "The cases of a result file again, on this machine, and what differs (--help lists its flags)",
       .flags = {"--kmbench", "--filter", "--repetitions", "--dry-run", "--out", "--help"},
       .known = this_program},
      {.name = "hardware",
       .summary = "Machines side by side: time, share of their ceilings, price, energy, claims (--help lists its flags)",
       .flags = {"--results", "--papers", "--out", "--machine", "--profile", "--all", "--help"},
       .known = own_folders},
      {.name = "claims",
       .summary = "The papers' claims with a verdict each (--help lists its flags)",
       .flags = {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile", "--all", "--help"},
       .known = own_folders},
      {.name = "explain",
       .summary = "What stands behind a cell of an exhibit: samples, command, commit, judge (--help lists its flags)",
       .flags = {"--results", "--papers", "--machine", "--profile", "--help"},
       .known = own_folders}};
  return all;
}

void add_plots(CLI::App& app) {
  for (const auto& one : plots_commands()) {
    auto* command = app.add_subcommand(std::string(one.name), std::string(one.summary));
    command->set_help_flag();  // goes on to the other program
    command->fallthrough(false)->prefix_command();
    command->callback([command, &one] { become_python(one, command->remaining()); });
  }
}

}  // namespace km
