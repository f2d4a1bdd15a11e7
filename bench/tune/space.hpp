// What a tuning chooses from: every combination of the values that are tried for the tunable parameters of one implementation.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

/// One parameter and the values tried, in this order; `start` is its default's place.
struct TuningAxis {
  std::string name;
  std::vector<Value> values;
  std::size_t start = 0;
};

/// Of each axis the place of a value.
using TuningPoint = std::vector<std::size_t>;

class TuningSpace {
 public:
  /// base: the problem and every parameter's value, whether it can run with these or not. tried: values by parameter, checked already; without an entry a tunable parameter is tried
  /// over its range. One value alone is fixed; of several the default is always one. Throws UserError where nothing is left to be chosen.
  TuningSpace(Case base, const std::map<std::string, std::vector<Value>>& tried);

  const std::vector<TuningAxis>& axes() const { return axes_; }
  /// The defaults.
  TuningPoint start() const;
  /// How many points there are, those that cannot run among them.
  double size() const;
  /// The case of a point; its skip says why it cannot run.
  Case at(const TuningPoint& point) const;
  /// The case with these values of all parameters, by its id one of the points'; used to find recorded lines again.
  bool holds(const Case& c) const;
  /// Names of the parameters that are chosen.
  std::vector<std::string> names() const;

 private:
  Case base_;
  std::vector<TuningAxis> axes_;
};

}  // namespace km
