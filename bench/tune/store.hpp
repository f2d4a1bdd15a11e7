// Tuned values in tuning/<device>.json, by implementation and shape class (docs/tuning.md).
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "bench/plan/case.hpp"

namespace km {

/// The class of shapes that share tuned values: "fp32 n 2^25 d 2^2 k 2^2 packages=100", rounded down, with the parameters that are not tuned.
std::string shape_class(const Case& c);

/// Default folder of new tunings: tuning/ beside the user's own results.
std::filesystem::path own_tuning_folder();

class TunedValues {
 public:
  /// Reads tuning/<device>.json; empty if there is none. Throws UserError for another format.
  TunedValues(const std::filesystem::path& folder, const std::string& device);

  /// Sets c's parameters to the values of its own class (exact), else of the nearest class with which it can run (nearest). Otherwise keeps the
  /// defaults (default). c.tuned records which. Classes with equal other parameters are nearer; then the sum of |log2| of the ratios of n, d and k
  /// counts. Parameters in `given` do not change.
  void apply(Case& c, const std::set<std::string>& given) const;

  /// Stores these parameter values of a case with facts about the tuning. Replaces the whole file.
  void keep(const Case& c, const std::vector<std::string>& names, const Json& facts);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<Json> content_;
};

}  // namespace km
