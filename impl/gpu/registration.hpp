// Parameters and limits that many implementations register.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "bench/contract/implementation.hpp"

namespace km {

/// A parameter that changes speed only.
inline Parameter tunable(std::string_view name, Value fallback, std::vector<Value> range, std::string_view help,
                         decltype(Parameter::effective) effective = {}) {
  return {.name = name, .fallback = std::move(fallback), .range = std::move(range), .tunable = true, .help = help, .effective = std::move(effective)};
}

/// Reason for implementations that count a cluster's points in 32 bits, or "".
inline std::string counts_overflow(const ProblemShape& p) {
  return p.n > std::numeric_limits<std::uint32_t>::max() ? "a cluster of more than 2^32 points would overflow its count" : "";
}

}  // namespace km
