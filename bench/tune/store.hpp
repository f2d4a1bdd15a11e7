// What tunings found, tuning/<device>.json: by implementation and shape class the values of its tunable parameters (docs/tuning.md).
#pragma once

#include <filesystem>
#include <memory>
#include <set>
#include <string>

#include "bench/plan/case.hpp"

namespace km {

/// The class of shapes that share tuned values: precision, n, d and k rounded down to powers of two, and the parameters that no tuning
/// chooses: "fp32 n 2^25 d 2^2 k 2^2 packages=100".
std::string shape_class(const Case& c);

/// The recorded tunings, and where tunings are kept unless told otherwise: tuning/ beside the recorded results and beside the user's own.
std::filesystem::path tuning_folder();
std::filesystem::path own_tuning_folder();

class TunedValues {
 public:
  /// tuning/<device>.json; empty where there is no such file. Throws UserError for a file that is not of this form.
  TunedValues(const std::filesystem::path& folder, const std::string& device);

  /// Gives c the values of its own class (exact), else of the nearest one of its implementation and precision with which it can run
  /// (nearest), else leaves the defaults (default), and says which in c.tuned. Near is a small sum of |log2| of the ratios of n, d and k, after
  /// those with the same values of the other parameters. Parameters in `given` stay as they are.
  void apply(Case& c, const std::set<std::string>& given) const;

  /// Keep these values of a case's parameters, with what is to be told of the tuning. The file is replaced as a whole.
  void keep(const Case& c, const std::vector<std::string>& names, const Json& facts);

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::shared_ptr<Json> content_;
};

}  // namespace km
