// The flags that say where a command measures: the machine's name and folder, the GPU, what a worker may take, and what was tuned there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/program/command.hpp"
#include "bench/tune/store.hpp"

namespace km {

/// Each reading throws UserError for a value out of its range.
struct MachineFlags {
  std::string machine, device, memory, timeout;

  /// --machine, --device and --memory. What --timeout gives up, the command says.
  Options options();

  /// The GPU that is named, where one is; it has to be there.
  void select_device() const;
  std::string id() const;       // the name given, else this machine's own, which is the selected GPU's
  double memory_bytes() const;  // 0: what is available
  double timeout_s() const;     // 0: from the forecast
};

/// --same-machine, for commands that append to a folder of results.
Option same_machine_option(bool& same);

/// --machine and --out of what is written into machine.json.
struct RecordFlags {
  std::string machine, out;

  Options options();
  std::string id() const;
  std::filesystem::path folder() const;
};

/// --tuned and --tuning.
struct TunedFlags {
  bool tuned = false;
  std::string tuning;

  Options options();
  /// What was found on that machine, where it is asked for. Throws UserError for a folder without --tuned.
  std::optional<TunedValues> values(const std::string& machine) const;
};

}  // namespace km
