// Measures cases again in a fresh process, interleaved in random order.
#pragma once

#include <map>
#include <memory>
#include <optional>

#include "bench/tune/tune.hpp"

namespace km {

/// Lines by case.
class Again {
 public:
  void keep(const Json& line);
  /// Median seconds per iteration; 0 if the case has no time.
  double seconds(const Case& c) const;
  const Json* line(const Case& c) const;

 private:
  std::map<std::string, std::shared_ptr<const Json>> lines_;
};

/// Appends every line to the file when it ends. Returns nothing if interrupted.
std::optional<Again> measure_again(const std::vector<Case>& cases, const TuneOptions& options, const ResultFile& file);

}  // namespace km
