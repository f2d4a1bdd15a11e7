// Command of a worker process.
#pragma once

#include <compare>
#include <string>
#include <vector>

namespace km {

/// Words of the command, and NAME=value added to the environment.
struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment = {};
  auto operator<=>(const Command&) const = default;
};

/// Runs a script of this folder in python().
Command python_command(const std::string& script, std::vector<std::string> args = {}, std::vector<std::string> environment = {});

}  // namespace km
