// What a device drew since the machine was started, in joules: the GPU by NVML's counter, the processors by RAPL's (Linux's powercap).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace km {

/// Of a whole card, or of every processor package of the machine: what else runs there is in it.
class EnergyMeter {
 public:
  /// Of the selected GPU, or of the processors. `powercap`: where the kernel shows RAPL's counters. Does not throw.
  explicit EnergyMeter(bool gpu, const std::filesystem::path& powercap = "/sys/class/powercap");

  /// Why nothing can be read, in a sentence; empty where it can.
  const std::string& unreadable() const { return unreadable_; }
  /// "NVML" or "RAPL, 2 packages".
  const std::string& source() const { return source_; }
  /// The counter in joules; it moves in steps (NVML: some hundredths of a second) and never back. Empty where it fell silent.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;  // microjoules, from 0 again past `range`
    double range = 0, last = 0, turns = 0;
  };

  std::string uuid_, unreadable_, source_;
  std::vector<Package> packages_;
};

}  // namespace km
