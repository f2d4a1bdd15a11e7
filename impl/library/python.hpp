// The Python interpreter of adapters, and the commands of their worker processes.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "bench/base/home.hpp"

namespace km {

/// Words of a command, and NAME=value added to the environment. lasting: cases share its processes.
struct Command {
  std::vector<std::string> words;
  std::vector<std::string> environment = {};
  bool lasting = false;
  auto operator<=>(const Command&) const = default;
};

/// True if python() has the module, and the attribute if named. Imports it only for an attribute. Cached.
bool python_has(const std::string& module, const std::string& attribute = "");
/// The reason of a skip: this library is missing from that Python.
std::string not_installed(const std::string& library);
/// Runs a script of this folder in python(). Its processes last, because imports take seconds.
Command python_command(const std::string& script, std::vector<std::string> args = {}, std::vector<std::string> environment = {});
/// The same on ranks of MPI, which rank 0 speaks for (ranks.py). KMBENCH_MPIRUN may have the launcher's words.
Command ranks_command(const std::string& script, std::int64_t ranks);
/// The reason of a skip: the launcher starts nothing. "" if it does.
std::string unlaunched();
/// True if the command ends well. Cached.
bool runs(const std::vector<std::string>& words);

}  // namespace km
