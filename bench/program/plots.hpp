// The commands of kmbench that are Python's.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace km {

struct PlotsCommand {
  std::string_view name, summary;
  std::vector<std::string> flags;  // its own, for the shell's completion
  /// What it looks for in the current folder, unless told otherwise, and kmbench knows better: words before the user's, which go on counting.
  std::vector<std::string> (*known)() = nullptr;
};

/// Each starts python3 -m plots <name>.
const std::vector<PlotsCommand>& plots_commands();

}  // namespace km
