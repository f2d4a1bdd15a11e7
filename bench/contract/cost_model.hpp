// Predicts run times. A run's time is a sum: each term of its implementation (Description::cost) times the seconds that one of it takes. A
// calibration finds these seconds (kmbench calibrate): one file a device in the user's cache folder, else the recorded defaults in tuning/costs/.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/contract/implementation.hpp"

namespace km {

/// What a calibration found for one implementation and precision.
struct Rates {
  std::vector<double> seconds;  // of one of each term
  double spread = 0;            // standard deviation of log(measured / predicted)
};

struct Forecast {
  double seconds = 0;
  double spread = 0;
};

class CostModel {
 public:
  using Key = std::pair<std::string, std::string>;  // implementation, fp32 or fp64

  /// Reads a file of rates. An unreadable file, and any line of another form, counts as absent.
  static CostModel read(const std::filesystem::path& file);
  /// The device's own calibration, completed by the defaults. name: as device::name() or cpu_name() says.
  static CostModel of(Device device, const std::string& name);

  /// Replaces the file as a whole. Throws UserError if it cannot.
  void write(const std::filesystem::path& file) const;

  /// Returns nothing if the implementation states no cost or was not calibrated. Another precision's rates count with twice the spread and more.
  std::optional<Forecast> forecast(const Implementation& implementation, const ProblemShape& shape, const Config& config, Precision precision) const;

  std::map<Key, Rates> rates;
};

/// Name of this machine's CPU with its number of threads.
std::string cpu_name();
/// The file of a device's own calibration, or "" without a cache folder.
std::filesystem::path own_costs(Device device, std::string name);

}  // namespace km
