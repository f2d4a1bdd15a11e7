// kmbench compare: starts python3 -m plots compare, which reads, decides and shows. Its flags are that command's own.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "bench/error.hpp"
#include "bench/home.hpp"
#include "bench/program/commands.hpp"

namespace km {
namespace {

/// With the Python of scripts/setup. Does not return.
[[noreturn]] void become_python(const std::vector<std::string>& arguments) {
  const auto folder = home(), python = folder / ".venv" / "bin" / "python3";
  if (!std::filesystem::exists(folder / "plots" / "__main__.py"))
    throw UserError(fmt::format("compare is Python, in plots/ of a checkout, and {} has none: set KMBENCH_HOME to a checkout", folder.string()));
  if (!std::filesystem::exists(python)) throw UserError(fmt::format("no {}: run scripts/setup in the checkout", python.string()));
  std::vector<std::string> words = {python.string(), "-m", "plots", "compare"};
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

void add_compare(CLI::App& app, int&) {
  auto* command = app.add_subcommand("compare", "Two states of the code, case by case: what became faster, what slower (--help lists its flags)");
  command->set_help_flag();  // goes on to the other program
  command->fallthrough(false)->prefix_command();
  command->callback([=] { become_python(command->remaining()); });
}

}  // namespace km
