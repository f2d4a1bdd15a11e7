// One measured combination: one result line.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "bench/contract/implementation.hpp"
#include "bench/data/dataset.hpp"

namespace km {

using Json = nlohmann::ordered_json;

/// A parameter's value as JSON, and back: nothing for JSON of another type.
Json json_of(const Value& value);
std::optional<Value> value_of(const Json& json);

struct Case {
  std::string exhibit;  // "he2021/table3", or empty
  std::string profile;  // "paper" or "quick"
  std::string implementation_name;
  const Implementation* implementation = nullptr;  // null if this build lacks it
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
  bool once = false;           // one run, judged by its output alone: no repeats, no replay
  int continues = 0;           // number of recorded runs that this case continues
  std::string dataset_source;  // fingerprint of the file or the generator's recipe: other points are another case
  std::string init_source;     // fingerprint of the initial centroids' file, or empty
  std::string exhibit_hash;    // fingerprint of the exhibit's sweeps, or empty
  std::string skip;            // why it cannot run, or empty
  std::string launch;          // words that start its ranks, such as mpirun -n 4, or empty
  std::string tuned;           // source of requested tuned values: exact, nearest or default (docs/tuning.md); else empty
  std::int64_t order = 0;
  std::optional<std::uint64_t> judge_seed;  // of the judge's random choices; empty: drawn by job_of (bench/run/run.hpp)

  ProblemShape shape() const { return {.n = n, .d = d, .k = k, .max_iters = max_iters, .tolerance = tolerance}; }
  int value_bytes() const { return precision == Precision::fp32 ? 4 : 8; }
  const char* precision_name() const { return precision == Precision::fp32 ? "fp32" : "fp64"; }
  bool on_gpu() const { return implementation && implementation->description.device == Device::gpu; }
  /// All fields that distinguish cases: what is computed, not how often, in which order, or for which exhibit.
  Json identity() const;
  /// Hash of the identity.
  std::string id() const;
  /// Google Benchmark's name: he2021/table3/cpu/lloyd/two_step/he2021_balls/n:…/fp32/packages:100.
  std::string name() const;
  /// Rough upper bound of host and device bytes.
  double memory_bytes() const;
  /// Forecast in seconds, from n k d and a guessed rate.
  double forecast_s() const;
  /// Time limit in seconds: `asked`, or if that is 0 from the forecast, at least a minute.
  double patience_s(double asked = 0) const;
};

/// Every field in a JSON array, the implementation by its name. unpacked() returns the same case, in another process of this program too.
Json packed(const Case& c);
Case unpacked(const Json& fields);

}  // namespace km
