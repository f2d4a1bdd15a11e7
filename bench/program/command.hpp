// A sub-command as data: its file describes it, and command_line.cpp, the only file that knows CLI11, reads it.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace km {

/// A flag, or an argument by position where the name has no dashes. Texts are literals.
struct Option {
  /// Where the value goes. A function is called with each value while the line is read.
  using Target = std::variant<std::string*, std::vector<std::string>*, bool*, void (*)(const std::string&)>;

  std::string_view names;  // "--d,--nd"
  Target target;
  std::string_view help;
  bool required = false;
  std::vector<std::string_view> accepted = {};  // words; empty: any
};

using Options = std::vector<Option>;

/// What happens to arguments that are no option: refused; passed on to the command; or all arguments passed on, --help too.
enum class Unknown { refused, passed, all_passed };

/// What a command runs with.
struct Invocation {
  std::string_view command;
  std::vector<std::string> argv;       // the whole line
  std::vector<std::string> passed_on;  // of unknown arguments
};

struct Subcommand {
  std::string_view name, summary;
  Options options;
  int (*run)(const Invocation&);                 // returns the exit code
  std::vector<std::string_view> completes = {};  // what else may follow, for the shell: a word, or $implementations, $datasets, $exhibits
  Unknown unknown = Unknown::refused;
};

/// All sub-commands, in the order of their places.
const std::vector<Subcommand>& commands();

/// Adds a sub-command; `place` orders them in --help.
struct RegisterCommand {
  RegisterCommand(int place, Subcommand command);
};

/// The options of several groups, one after the other.
template <class... Groups>
Options join_options(Options first, const Groups&... others) {
  (first.insert(first.end(), others.begin(), others.end()), ...);
  return first;
}

/// --plugin and --external: implementations from elsewhere, for the commands that name implementations. Workers get the same ones.
Options other_implementations();

/// Reads the command line and runs its command. Returns the exit code: 2, after one line, for what cannot be understood.
int run_command_line(int argc, char** argv);

}  // namespace km
