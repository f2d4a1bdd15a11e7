// One combination of a sweep's values, checked against registry, data sets and machine: a case.
#pragma once

#include <map>
#include <string>

#include "bench/plan/case.hpp"
#include "bench/plan/sweep.hpp"

namespace km {

/// A value for each axis, by name.
using Combination = std::map<std::string, Scalar, std::less<>>;

/// A value as it is written in an exhibit, without quotes.
std::string shown(const Scalar& value);

/// What the implementation says against this case's shape and parameters, or empty.
std::string unsupported(const Case& c);

/// Throws UserError for what can run nowhere; sets skip for what cannot run here. `implementation` is null where this build lacks it.
Case make_case(const Combination& combination, std::string name, const Implementation* implementation);

}  // namespace km
