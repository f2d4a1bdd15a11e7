// Parses the command line with CLI11. Its headers take seconds to compile, so no other file includes them.
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ranges>

#include <CLI/CLI.hpp>

#include "bench/base/error.hpp"
#include "bench/contract/plugin.hpp"
#include "bench/machine/version.hpp"
#include "bench/program/flags.hpp"
#include "bench/run/inbox.hpp"

namespace km {
namespace {

/// What the value of a flag is called, and the flags. A flag has one name of its value in all commands, but for Option::value.
const std::map<std::string_view, std::vector<std::string_view>> value_names = {
    {"FILE|NAME", {"points"}},
    {"EXHIBIT", {"exhibits"}},
    {"FILE", {"files", "lines", "--benchmark_out", "--data", "--plugin", "--truth"}},
    {"NAME", {"implementation", "name", "--dataset", "--kmeans", "--machine"}},
    {"INT",
     {"--at-last", "--benchmark_repetitions", "--clusters", "--d", "--device", "--iterations", "--judge-seed", "--k", "--n", "--n-init",
      "--neighbours", "--order-seed", "--repetitions", "--representatives", "--rounds", "--search-seed", "--seed", "--warmup"}},
    {"REGEX", {"--benchmark_filter", "--filter"}},
    {"TIME", {"--budget"}},
    {"LIST", {"--columns", "--skip-columns"}},
    {"NAME=VALUE", {"--data-set", "--set"}},
    {"NUMBER", {"--epsilon", "--memory", "--sigma", "--tolerance"}},
    {"COMMAND", {"--external", "--launch"}},
    {"NAME|REGEX", {"--implementation"}},
    {"WORD|FILE", {"--init"}},
    {"PATH", {"--out"}},
    {"KEY", {"--paper"}},
    {"DEVICE=NUMBER", {"--price"}},
    {"SECONDS", {"--timeout"}},
    {"DIR", {"--tuning"}},
};

std::map<int, Subcommand>& by_place() {
  static std::map<int, Subcommand> all;
  return all;
}

/// Prints one line, without CLI11's advice.
int refuse(const std::string& what) {
  fmt::print(stderr, "kmbench: {}\n", what);
  return 2;
}

/// "; did you mean x?" as it is, nothing as ";".
std::string with_end(const std::string& hint) { return hint.empty() ? ";" : hint; }

/// kmbench 0.1.0, commit 78004bd05c3e with uncommitted changes, GNU 12.2.0, CUDA none
std::string version_text() {
  return fmt::format("kmbench {}, commit {}{}, {}, CUDA {}", version::number(), version::commit(),
                     version::dirty() ? " with uncommitted changes" : "", version::compiler(), version::cuda());
}

void add(CLI::App& app, const Option& option) {
  const auto with = [&](auto target) {
    const std::string names(option.names), help(option.help);
    if constexpr (std::is_same_v<decltype(target), bool*>) return app.add_flag(names, *target, help);
    else if constexpr (std::is_pointer_v<decltype(target)> && std::is_function_v<std::remove_pointer_t<decltype(target)>>)
      return app.add_option_function<std::string>(names, target, help)->trigger_on_parse();
    else return app.add_option(names, *target, help);
  };
  CLI::Option* const added = std::visit(with, option.target)->required(option.required);
  if (!std::holds_alternative<bool*>(option.target)) added->type_name(std::string(value_name(option)));
  const auto check = [&option](const std::string& value) -> std::string {
    if (option.open || std::ranges::find(option.accepted, value) != option.accepted.end()) return "";
    throw UserError("{} '{}'; accepted: {}", option.names, value, fmt::join(option.accepted, ", "));
  };
  if (!option.accepted.empty()) added->check(check, fmt::format("{{{}}}", fmt::join(option.accepted, ",")));
}

void add(CLI::App& app, const Subcommand& command, const std::vector<std::string>& argv, Inbox* inbox, int& code) {
  auto* sub = app.add_subcommand(std::string(command.name), std::string(command.summary));
  if (!command.examples.empty()) sub->footer(fmt::format("Examples:\n  {}", fmt::join(command.examples, "\n  ")));
  for (const auto& option : command.options) add(*sub, option);
  if (command.passes_all) {
    sub->set_help_flag();
    sub->fallthrough(false)->prefix_command();
  }
  sub->callback([&, sub, inbox] { code = command.run({command.name, argv, sub->remaining(), inbox}); });
}

/// What a command takes without a flag, for the arguments that it does not.
std::string takes(const std::string& name, std::string_view unexpected) {
  const auto command = std::ranges::find_if(commands(), [&](const auto& entry) { return entry.second.name == name; });
  std::string words;
  for (const auto& option : command->second.options) {
    if (option.names.starts_with('-')) continue;
    const bool many = std::holds_alternative<std::vector<std::string>*>(option.target);
    words += fmt::format("{}{}{}", words.empty() ? "" : " and ", many ? "" : "one ", value_name(option));
  }
  return fmt::format("{} takes {}; not expected: {}", name, words.empty() ? "flags alone" : words, unexpected);
}

std::vector<std::string> names_of_commands() {
  std::vector<std::string> names;
  for (const auto& [place, command] : commands()) names.emplace_back(command.name);
  return names;
}

/// Throws UserError for a command or a flag that does not exist, with the nearest one that does.
void check_words(const std::vector<std::string>& words) {
  if (words.size() < 2) throw UserError("name a command: {}; kmbench --help says what each does", fmt::join(names_of_commands(), ", "));
  const auto command = std::ranges::find_if(commands(), [&](const auto& entry) { return entry.second.name == words[1]; });
  if (command == commands().end()) {
    const std::string flag = words[1].substr(0, words[1].find('='));
    const std::vector<std::string> known = {"--help", "-h", "--version"};
    if (std::ranges::find(known, flag) != known.end()) return;
    if (flag.starts_with('-')) throw UserError("kmbench has no flag {}{} kmbench --help lists all", flag, with_end(did_you_mean(flag, known)));
    throw UserError("unknown command '{}'{} kmbench --help lists all", words[1], with_end(did_you_mean(words[1], names_of_commands())));
  }
  if (command->second.passes_all) return;
  std::vector<std::string> known = {"--help"};
  for (const auto& option : command->second.options)
    for (auto& name : names_of(option)) known.push_back(std::move(name));
  for (std::size_t at = 2; at < words.size() && words[at] != "--"; ++at) {
    const std::string flag = words[at].substr(0, words[at].find('='));
    if (flag.starts_with("--") && std::ranges::find(known, flag) == known.end())
      throw UserError("{} has no flag {}{} kmbench {} --help lists all", words[1], flag, with_end(did_you_mean(flag, known)), words[1]);
  }
}

}  // namespace

std::vector<std::string> names_of(const Option& option) {
  std::vector<std::string> names;
  for (const auto name : option.names | std::views::split(',')) names.emplace_back(name.begin(), name.end());
  return names;
}

std::string_view value_name(const Option& option) {
  if (!option.value.empty()) return option.value;
  const std::string name = names_of(option).front();
  const auto named = std::ranges::find_if(value_names, [&](const auto& one) { return std::ranges::count(one.second, name) > 0; });
  return named != value_names.end() ? named->first : option.accepted.empty() ? "VALUE" : "WORD";
}

const std::map<int, Subcommand>& commands() { return by_place(); }

RegisterCommand::RegisterCommand(int place, Subcommand command) {
  if (!by_place().emplace(place, std::move(command)).second) throw std::logic_error("two sub-commands in one place");
}

Options other_implementations() {
  return {{"--plugin", load_plugin, "A shared library with implementations (include/kmbench/plugin.h; repeatable)"},
          {"--external", name_external_program, "A program that speaks the protocol of docs/adding.md, as library/external (\"python3 mine.py\")"}};
}

int run_command_line(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  auto inbox = Inbox::open(words);
  CLI::App app{"kmbench: the benchmark of k-means. Measures implementations, judges every run, writes result lines."};
  app.name("kmbench");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text, "Version, commit, compiler and CUDA of this program");
  app.get_formatter()->column_width(34);
  int code = 0;
  for (const auto& [place, command] : commands()) add(app, command, words, inbox ? &*inbox : nullptr, code);
  try {
    check_arguments({words.begin() + 1, words.end()});
    check_words(words);
    app.parse(int(words.size()), argv);
  } catch (const CLI::Success& help) {
    return app.exit(help);
  } catch (const CLI::ExtrasError& error) {
    const std::string text = one_line(error.what());
    return refuse(takes(words[1], text.substr(text.find(": ") + 2)));
  } catch (const CLI::ParseError& error) {
    const std::string text = one_line(error.what());
    const auto flag = text.find(": At Most 1 required");
    return refuse(flag == text.npos ? text : text.substr(0, flag) + " may be given once");
  } catch (const UserError& error) {
    return refuse(error.what());
  } catch (const std::exception& error) {
    const auto* const system = dynamic_cast<const std::system_error*>(&error);
    if (system && std::ferror(stdout)) {  // main tells it
      errno = system->code().value();
      return errno == EPIPE ? 128 + SIGPIPE : 2;
    }
    fmt::print(stderr, "kmbench: {}\n", error.what());
    return 1;
  }
  return code;
}

}  // namespace km
