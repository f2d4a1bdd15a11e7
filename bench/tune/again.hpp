// Cases measured again in a fresh process, taking turns in random order.
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
  /// Median of an iteration, in seconds; 0 where the case was not measured, or has no time.
  double seconds(const Case& c) const;
  const Json* line(const Case& c) const;

 private:
  std::map<std::string, std::shared_ptr<const Json>> lines_;
};

/// Every line is appended to the file as it ends. Nothing where interrupted.
std::optional<Again> measure_again(const std::vector<Case>& cases, const TuneOptions& options, const ResultFile& file);

/// What workers may take, and how long a point may.
WorkerLimits limits_of(const TuneOptions& options);
double timeout_s(const Case& c, const TuneOptions& options);

}  // namespace km
