// Checks one combination of a sweep's values against registry, data sets and machine, and makes it a case.
#pragma once

#include <map>
#include <string>

#include "bench/plan/case.hpp"
#include "bench/plan/sweep.hpp"

namespace km {

/// A value per axis, by name.
using Combination = std::map<std::string, Scalar, std::less<>>;

/// Formats a value as in an exhibit, without quotes.
std::string shown(const Scalar& value);

/// Returns the implementation's objection to this case's shape and parameters, or "".
std::string unsupported(const Case& c);

/// Throws UserError if the combination can run nowhere; sets skip if it cannot run here. `implementation` is null if this build lacks it.
Case make_case(const Combination& combination, std::string name, const Implementation* implementation);

}  // namespace km
