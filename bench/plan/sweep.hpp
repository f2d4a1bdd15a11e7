// A sweep, from an exhibit or from flags, to its cases: each checked, in a seeded order.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "bench/plan/case.hpp"

namespace km {

using Scalar = std::variant<std::int64_t, double, std::string>;

/// Axes by name: implementation, dataset, n, d, k, precision, init, init_seed, iterations, tolerance, repetitions, warmup, and
/// set.<parameter>, data.<setting>. A sweep is the product of its lists.
struct Sweep {
  std::map<std::string, std::vector<Scalar>, std::less<>> axes;
  std::string where;      // file and place, for messages
  bool patterns = false;  // implementation may hold regular expressions (flags) rather than names (files)
};

/// "1e4:1e6:x10" (factors), "64:1024:+64" (steps), or a single number. Throws UserError.
std::vector<Scalar> parse_range(const std::string& text);
/// A number, else a word.
Scalar parse_scalar(const std::string& text);

/// The cases that expand will make, repeated ones included; it expands nothing. Throws UserError for unknown names.
double case_count(const Sweep& sweep);
/// Throws UserError for a plan of more cases than anybody can mean (most_cases).
void check_count(double cases);
/// Expand one sweep. Throws UserError for what can never be right; sets skip for what cannot run here.
std::vector<Case> expand(const Sweep& sweep, const std::string& exhibit, const std::string& profile);
/// Fingerprint of an exhibit's sweeps, 16 hex digits: what it measures, whatever its words.
std::string sweeps_hash(const std::vector<Sweep>& sweeps);
/// Seeded shuffle: data sets in random order, the cases of one data set in random order. Sets `order`, drops repeated cases.
std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed);

}  // namespace km
