// Flags of the machine: name, folder, GPU, limits of a worker, tuned values.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/program/command.hpp"
#include "bench/run/run.hpp"
#include "bench/tune/store.hpp"

namespace km {

/// Each getter throws UserError for a value out of range.
struct MachineFlags {
  std::string machine, device, memory, timeout;

  /// --machine, --device and --memory. Commands describe --timeout themselves.
  Options options();

  /// Selects the named GPU, if any. Throws UserError if it does not exist.
  void select_device() const;
  std::string id() const;  // the given name, else this machine's own
  /// Returns the options that these flags and the command line determine.
  RunOptions run_options(const Invocation& by) const;
};

/// --same-machine, for commands that append to a results folder.
Option same_machine_option(bool& same);

/// --machine and --out, for commands that write machine.json.
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
  /// Returns the machine's tuned values, if requested. Throws UserError for a folder without --tuned.
  std::optional<TunedValues> values(const std::string& machine) const;
};

}  // namespace km
