// kmbench compare, report, claims, …: start python3 -m plots, which has their flags; kmbench fetch starts datasets.fetch.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "bench/base/error.hpp"
#include "bench/base/home.hpp"
#include "bench/program/command.hpp"

namespace km::plots_command {

using Words = std::vector<std::string>;

/// Flags of the Python command that kmbench knows better. They precede the user's, which override them.
Words known(std::string_view name) {
  const auto command = std::ranges::find_if(commands(), [&](const auto& entry) { return entry.second.name == name; });
  const auto takes = [&](std::string_view flag) { return std::ranges::find(command->second.completes, flag) != command->second.completes.end(); };
  Words words;
  const auto add = [&](const char* flag, const std::filesystem::path& value) {
    if (takes(flag)) words.insert(words.end(), {flag, value.string()});
  };
  add("--kmbench", program());
  add("--results", name == "show" ? own_results_folder() : home() / "results");
  add("--papers", home() / "papers");
  return words;
}

/// A path below results/ or tuning/ that is not in the current folder is that of home().
std::string found(const std::string& word) {
  std::error_code error;
  const bool recorded = word.starts_with("results/") || word.starts_with("tuning/");
  return recorded && !std::filesystem::exists(word, error) && std::filesystem::exists(home() / word, error) ? (home() / word).string() : word;
}

/// Replaces this process by python(). Does not return.
int become_python(const Invocation& by) {
  const auto folder = home();
  if (!std::filesystem::exists(folder / "plots" / "__main__.py"))
    throw UserError("{} is Python, in plots/, and {} has none: set KMBENCH_HOME to a checkout", by.command, folder.string());
  Words words = {python(), "-P", "-m"};  // -P: a plots/ in the current folder is another
  if (by.command == "fetch") words.emplace_back("datasets.fetch");
  else words.insert(words.end(), {"plots", std::string(by.command)});
  for (auto& word : known(by.command)) words.push_back(std::move(word));
  for (const auto& word : by.passed_on) words.push_back(found(word));
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string before = variable("PYTHONPATH");
  ::setenv("PYTHONPATH", (folder.string() + (before.empty() ? "" : ":" + before)).c_str(), 1);
  ::execvp(argv[0], argv.data());
  throw UserError("cannot start {}: KMBENCH_PYTHON names a Python", words.front());
}

/// flags: the Python command's flags, for the shell's completion.
Subcommand python_command(std::string_view name, std::string_view summary, std::vector<std::string_view> flags) {
  flags.push_back("--help");
  return {.name = name, .summary = summary, .options = {}, .run = become_python, .completes = std::move(flags), .passes_all = true};
}

const RegisterCommand registrations[] = {
    {10, python_command("compare", "Two states of the code, case by case: what became faster, what slower",
                        {"--within", "--threshold", "--filter", "--all", "--markdown", "--json", "--annotations", "--out", "--rank"})},
    {11, python_command("replay", "The cases of a result file again, on this machine, and what differs",
                        {"--kmbench", "--filter", "--repetitions", "--dry-run", "--out"})},
    {12, python_command("hardware", "Machines side by side: time, share of their ceilings, price, energy, claims",
                        {"$exhibits", "--results", "--papers", "--out", "--machine", "--profile", "--all"})},
    {13, python_command("claims", "The papers' claims with a verdict each",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile", "--all", "--list", "--beside"})},
    {14, python_command("explain", "What stands behind a cell of an exhibit: samples, command, commit, judge",
                        {"$exhibits", "--results", "--papers", "--machine", "--profile"})},
    {15, python_command("render", "Tables and figures of exhibits, as files",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile"})},
    {16, python_command("report", "One page of tables, figures and claims, index.html",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile", "--beside"})},
    {17, python_command("all", "Tables, figures, claims and the report, from one reading",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile", "--beside"})},
    {18, python_command("show", "Lines of ad hoc runs, or of any file, as a table and a plot", {"--results", "--machine", "--profile", "--out"})},
    {19, python_command("history", "Medians by commit, and where their level changed", {"--results", "--machine", "--filter", "--all", "--out"})},
    {20, python_command("coverage", "How many printed numbers of the papers stand beside a line",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit", "--profile"})},
    {21, python_command("artifact", "One archive of lines, exhibits, claims, tables and an AD/AE appendix",
                        {"--results", "--papers", "--out", "--machine", "--paper", "--exhibit"})},
    {22, python_command("tuning", "What a tuning tried: regret of the defaults, and a map of times", {"--x", "--y", "--metric", "--out"})},
    {23, python_command("t4", "A tuning in the auto-tuners' results format, T4", {"--out"})},
    {27, python_command("fetch", "Data sets from their official addresses, checked, into data/", {"$datasets", "--out"})},
    {24,
     python_command("scatter", "The picture of a clustering", {"--points", "--clusters", "--labels", "--centroids", "--out", "--dims", "--title"})},
};

}  // namespace km::plots_command
