// From an exhibit or from flags to a plan: the cases to run, each checked, in a seeded order.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <variant>
#include <vector>

#include "bench/dataset.hpp"
#include "bench/implementation.hpp"

namespace km {

using Json = nlohmann::ordered_json;
using Scalar = std::variant<std::int64_t, double, std::string>;

/// Axes by name: implementation, dataset, n, d, k, precision, init, init_seed, iterations, tolerance, repetitions, warmup, and
/// set.<parameter>, data.<setting>. A sweep is the product of its lists.
struct Sweep {
  std::map<std::string, std::vector<Scalar>, std::less<>> axes;
  std::string where;          // file and place, for messages
  bool patterns = false;      // implementation holds regular expressions (flags) rather than names (files)
};

struct Case {
  std::string exhibit;        // "he2021/table3", or empty
  std::string profile;        // "paper" or "quick"
  std::string implementation_name;
  const Implementation* implementation = nullptr;  // null where this build lacks it
  Config config;
  DatasetRequest dataset;
  std::int64_t n = 0;
  int d = 0, k = 0;
  Precision precision = Precision::fp32;
  int max_iters = 10;
  double tolerance = -1;
  std::string init = "random";
  std::uint64_t init_seed = 1;
  int repetitions = 5, warmup = 1;
  std::string skip;           // why it cannot run, or empty
  std::int64_t order = 0;

  ProblemShape shape() const { return {.n = n, .d = d, .k = k, .max_iters = max_iters, .tolerance = tolerance}; }
  int value_bytes() const { return precision == Precision::fp32 ? 4 : 8; }
  /// What makes it this case: everything but repetitions, warm-up and order.
  Json identity() const;
  /// Hash of the identity.
  std::string id() const;
  /// The Google Benchmark name: he2021/table3/cpu/lloyd/two_step/he2021_balls/n:…/fp32/packages:100.
  std::string name() const;
  /// Host and device bytes the case will hold at most, roughly.
  double memory_bytes() const;
  /// Seconds it may take, from n k d and a guessed rate; only a forecast.
  double forecast_s() const;
};

/// "1e4:1e6:x10" (factors), "64:1024:+64" (steps), or a single number. Throws UserError.
std::vector<Scalar> parse_range(const std::string& text);
/// A number, else a word.
Scalar parse_scalar(const std::string& text);

struct Exhibit {
  std::string key;            // he2021/table3
  std::string kind, number, title;
  std::vector<Sweep> sweeps;  // after the profile's replacements; none where it reuses another exhibit's lines
  std::vector<std::string> reuse;
};

/// Read papers/<key>/<exhibit>.toml. Throws UserError naming file, line and what is accepted.
Exhibit read_exhibit(const std::filesystem::path& file, const std::string& profile);
/// Every exhibit file below home()/papers, of one paper where given.
std::vector<std::filesystem::path> exhibit_files(const std::string& paper = "");

/// Expand one sweep. Throws UserError for what can never be right; sets skip for what cannot run here.
std::vector<Case> expand(const Sweep& sweep, const std::string& exhibit, const std::string& profile);
/// Seeded shuffle: data sets in random order, the cases of one data set in random order. Sets `order`, drops repeated cases.
std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed);

/// The reason why GPU cases cannot run here, or empty.
std::string gpu_missing();

}  // namespace km
