// kmbench man: the manual page, from the commands' descriptions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "bench/machine/version.hpp"
#include "bench/program/command.hpp"

namespace km::man_command {

/// Text for roff: dashes are those of the keyboard, a line begins no request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out.starts_with('.') || out.starts_with('\'') ? "\\&" + out : out;
}

/// .TP: names in bold, the value in italics, the help beneath.
std::string entry(const Option& option) {
  const auto names = names_of(option);
  const std::string value = std::holds_alternative<bool*>(option.target) ? "" : fmt::format(" \\fI{}\\fR", roff(value_name(option)));
  const std::string accepted = option.accepted.empty() ? "" : fmt::format(" ({})", fmt::join(option.accepted, ", "));
  return fmt::format(".TP\n\\fB{}\\fR{}\n{}{}\n", roff(fmt::format("{}", fmt::join(names, ", "))), value, roff(option.help), roff(accepted));
}

std::string section(const Subcommand& command) {
  std::string text = fmt::format(".SS kmbench {}\n{}.\n", roff(command.name), roff(command.summary));
  if (command.passes_all) return text + fmt::format(".PP\n\\fBkmbench {} \\-\\-help\\fR lists its flags.\n", roff(command.name));
  for (const auto& option : command.options) text += entry(option);
  for (const auto& example : command.examples) text += fmt::format(".PP\n.nf\n    {}\n.fi\n", roff(example));
  return text;
}

int print(const Invocation&) {
  fmt::print(".TH KMBENCH 1 \"\" \"kmbench {}\"\n.SH NAME\nkmbench \\- the benchmark of k\\-means\n", version::number());
  fmt::print(".SH SYNOPSIS\n.B kmbench\n.I command\n.RI [ flags ]\n.SH DESCRIPTION\n");
  fmt::print(
      "Measures implementations of k\\-means on CPUs and NVIDIA GPUs, judges every run, and rebuilds the tables of five papers.\n.SH COMMANDS\n");
  for (const auto& [place, command] : commands()) fmt::print("{}", section(command));
  fmt::print(".SH ENVIRONMENT\n");
  for (const auto& [name, text] :
       {std::pair{"KMBENCH_DATA", "Folders of data sets, with colons between."},
        {"KMBENCH_HOME", "The folder with datasets/ and papers/; default: the checkout, or share/kmbench of the installation."},
        {"KMBENCH_PYTHON", "The Python of commands that draw, and of libraries."},
        {"KMBENCH_RESULTS", "The folder of new lines; default ~/.local/share/kmbench/results."}})
    fmt::print(".TP\n\\fB{}\\fR\n{}\n", name, roff(text));
  fmt::print(".SH EXIT STATUS\n0: done; 1: a case failed, was wrong or is slower; 2: bad input; 3: compare cannot decide; 130: interrupted.\n");
  return 0;
}

const RegisterCommand registration{26, {.name = "man", .summary = "This manual, for man -l -", .options = {}, .run = print}};

}  // namespace km::man_command
