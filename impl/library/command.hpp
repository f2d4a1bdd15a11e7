// What a worker process runs.
#pragma once

#include <compare>
#include <string>
#include <vector>

namespace km {

/// Words of the command, and NAME=value beside our environment.
struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment = {};
  auto operator<=>(const Command&) const = default;
};

/// The command of a script beside this file, in python().
Command python_command(const std::string& script, std::vector<std::string> args = {}, std::vector<std::string> environment = {});

}  // namespace km
