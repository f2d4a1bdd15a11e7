// Reads a device's energy counter in joules: the GPU's by NVML, the processors' by RAPL (Linux powercap).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace km {

/// The kernel's folder of RAPL counters; tests set another.
inline std::filesystem::path& powercap() {
  static std::filesystem::path folder = "/sys/class/powercap";
  return folder;
}

/// Energy of a whole card, or of every processor package. It includes other processes.
class EnergyMeter {
 public:
  /// Meters the selected GPU, or the processors by the counters in `folder`. Does not throw.
  explicit EnergyMeter(bool gpu, const std::filesystem::path& folder = powercap());

  /// Why nothing can be read, or "".
  const std::string& unreadable() const { return unreadable_; }
  /// "NVML" or "RAPL, 2 packages".
  const std::string& source() const { return source_; }
  /// Returns the counter in joules. It is monotonic and moves in steps (NVML: some hundredths of a second). Empty if it can no longer be read.
  std::optional<double> joules();

 private:
  struct Package {
    std::filesystem::path counter;  // microjoules; wraps around at `range`
    double range = 0, last = 0, turns = 0;
  };

  std::string uuid_, unreadable_, source_;
  std::vector<Package> packages_;
};

}  // namespace km
