// A sub-command as data. Its file describes it; command_line.cpp, the only file with CLI11, parses it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace km {

class Inbox;

/// A flag, or a positional argument if the name has no dashes. Texts are literals.
struct Option {
  /// Destination of the value. A function is called with each value during parsing.
  using Target = std::variant<std::string*, std::vector<std::string>*, bool*, void (*)(const std::string&)>;

  std::string_view names;  // "--d,--nd"
  Target target;
  std::string_view help;
  std::vector<std::string_view> accepted = {};  // words; empty: any value
  bool required = false;
  bool open = false;            // takes other values than accepted words, too
  std::string_view value = {};  // what its value is called; empty: as in other commands
};

using Options = std::vector<Option>;

/// Arguments of a command.
struct Invocation {
  std::string_view command;
  std::vector<std::string> argv;       // the whole command line
  std::vector<std::string> passed_on;  // all arguments of a command that passes them on
  Inbox* inbox;                        // null unless this process is a worker of this command
};

struct Subcommand {
  std::string_view name, summary;
  Options options;
  int (*run)(const Invocation&);                 // returns the exit code
  std::vector<std::string_view> completes = {};  // further words for the shell: a flag, or $implementations, $datasets, $exhibits
  bool passes_all = false;                       // passes on all arguments, even --help; else unknown ones are refused
  std::vector<std::string_view> examples = {};   // whole commands, for --help and the man page
};

/// All sub-commands, by place.
const std::map<int, Subcommand>& commands();

/// What the value of an option is called in --help and in the man page: "INT" for "--k"; by default "WORD" where words are accepted, else "VALUE".
std::string_view value_name(const Option& option);

/// The names of an option: "--d,--nd" gives --d and --nd.
std::vector<std::string> names_of(const Option& option);

/// Adds a sub-command; `place` is its position in --help.
struct RegisterCommand {
  RegisterCommand(int place, Subcommand command);
};

/// Concatenates groups of options.
template <class... Groups>
Options join_options(Options first, const Groups&... others) {
  (first.insert(first.end(), others.begin(), others.end()), ...);
  return first;
}

/// --plugin and --external: foreign implementations, for commands that name implementations. Workers get the same.
Options other_implementations();

/// Parses the command line and runs its command. Returns the exit code: 2, after one line, for invalid arguments.
int run_command_line(int argc, char** argv);

}  // namespace km
