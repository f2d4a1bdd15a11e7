// kmbench completion: prints a shell script from the commands' descriptions and the known names.
#include <fmt/ranges.h>

#include <algorithm>
#include <ranges>

#include "bench/base/error.hpp"
#include "bench/contract/implementation.hpp"
#include "bench/data/dataset.hpp"
#include "bench/plan/exhibit.hpp"
#include "bench/program/command.hpp"

namespace km::completion_command {

using Words = std::vector<std::string>;

std::string joined(const Words& words) { return fmt::format("{}", fmt::join(words, " ")); }

/// Words after a command: its flags and the accepted words of its positional arguments.
Words after(const Subcommand& command) {
  Words words(command.completes.begin(), command.completes.end());
  for (const auto& option : command.options)
    if (option.names.starts_with('-'))
      for (auto& name : names_of(option)) words.push_back(std::move(name));
    else words.insert(words.end(), option.accepted.begin(), option.accepted.end());
  if (!command.passes_all) words.emplace_back("--help");
  return words;
}

/// Names without characters special to shells. An unreadable catalogue gives none, so that the shell still starts.
template <class List, class Name>
Words names(List list, Name name) {
  Words words;
  try {
    for (const auto& entry : list())
      if (const std::string word = name(entry); word.find_first_of(" \t'\"`$\\;&|<>()*?[]{}!#~") == word.npos) words.push_back(word);
  } catch (const UserError&) {}
  return words;
}

std::string paper_of(const std::filesystem::path& exhibit) { return exhibit.parent_path().filename().string(); }

/// For bash, and zsh under bashcompinit. No variable is called `words`, which zsh reserves.
std::string script() {
  Words names_of_commands;
  std::string flags;
  std::map<std::string_view, std::string> values;  // by flag
  for (const auto& [place, command] : commands()) {
    names_of_commands.emplace_back(command.name);
    flags += fmt::format("    {}) choices=\"{}\" ;;\n", command.name, joined(after(command)));
    for (const auto& option : command.options)
      if (option.names.starts_with('-') && !option.accepted.empty())
        values[option.names] = fmt::format("    {}) choices=\"{}\" ;;\n", option.names, fmt::join(option.accepted, " "));
  }
  const Words implementation_names = names([] { return implementations(); }, [](const auto& one) { return one.name; });
  const Words dataset_names = names([] { return list_datasets(); }, [](const auto& one) { return one.name; });
  const auto files = [] { return exhibit_files(); };
  const Words exhibits = names(files, [](const auto& file) { return paper_of(file) + "/" + file.stem().string(); });
  Words papers = names(files, paper_of);
  papers.erase(std::ranges::unique(papers).begin(), papers.end());
  return fmt::format(R"(_kmbench() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" choices=""
  local implementations="{}"
  local datasets="{}"
  local exhibits="{}"
  if [ "$COMP_CWORD" -eq 1 ]; then choices="{} --help --version"; else case "${{COMP_WORDS[1]}}" in
{}  esac; fi
  case "$before" in
    --implementation) choices="$implementations" ;;
    --dataset) choices="$datasets" ;;
    --paper) choices="{}" ;;
    --data|--out) choices="" ;;
{}  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}}
)",
                     joined(implementation_names), joined(dataset_names), joined(exhibits), joined(names_of_commands), flags, joined(papers),
                     fmt::join(values | std::views::values, ""));
}

std::string shell;

int complete(const Invocation&) {
  if (shell == "zsh") fmt::print("autoload -U +X compinit bashcompinit && compinit && bashcompinit\n");
  fmt::print("{}complete -o default -F _kmbench kmbench\n", script());
  return 0;
}

const RegisterCommand registration{25,
                                   {.name = "completion",
                                    .summary = "A script that completes commands, flags and names: source <(kmbench completion bash)",
                                    .options = {{"shell", &shell, "The shell", {"bash", "zsh"}, true}},
                                    .run = complete}};

}  // namespace km::completion_command
