// Expands a sweep, from an exhibit or flags, to checked cases in a seeded order.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

using Scalar = std::variant<std::int64_t, double, std::string>;

/// The product of lists, by axis: implementation, dataset, n, d, k, precision, init, init_seed, iterations, tolerance, repetitions, warmup,
/// judge_seed, set.<parameter>, data.<setting>.
struct Sweep {
  std::map<std::string, std::vector<Scalar>, std::less<>> axes;
  std::string where;      // file and line, for messages
  bool patterns = false;  // implementation holds regular expressions (flags) or names (files)
};

/// Parses "1e4:1e6:x10" (factors), "64:1024:+64" (steps) or a single number. Throws UserError.
std::vector<Scalar> parse_range(const std::string& text);
/// Parses a number, else a word.
Scalar parse_scalar(const std::string& text);
/// Returns the value of a number, nothing for a word.
std::optional<double> number_of(const Scalar& value);

/// Counts the cases of a sweep, repeated ones included, without expanding it. Throws UserError for unknown names.
double case_count(const Sweep& sweep);
/// Throws UserError if a plan exceeds most_cases.
void check_count(double cases);
/// Expands one sweep. Throws UserError if a case can run nowhere; sets skip if it cannot run here.
std::vector<Case> expand(const Sweep& sweep, const std::string& exhibit, const std::string& profile);
/// Fingerprint of an exhibit's sweeps, 16 hex digits, independent of its prose.
std::string sweeps_hash(const std::vector<Sweep>& sweeps);
/// Seeded shuffle of data sets, and of cases within a data set. Sets `order` and drops repeated cases.
std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed);

/// A value per axis, by name.
using Combination = std::map<std::string, Scalar, std::less<>>;

/// Formats a value as in an exhibit, without quotes.
std::string shown(const Scalar& value);

/// Returns the implementation's objection to this case's shape and parameters, or "".
std::string unsupported(const Case& c);

/// True if the value lies within a parameter's range.
bool accepts(const Parameter& parameter, const Value& value);

/// Throws UserError if the combination can run nowhere; sets skip if it cannot run here. `implementation` is null if this build lacks it.
Case make_case(const Combination& combination, std::string name, const Implementation* implementation);

}  // namespace km
