// The implementations that auto may choose, and their forecasts by a cost model (bench/contract/cost_model.hpp).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/base/bytes_hash.hpp"
#include "bench/contract/cost_model.hpp"
#include "bench/contract/implementation.hpp"

namespace km::choosing {
namespace {  // its includers are compiled with different arithmetic

/// `number` is the counter `choice`: give new candidates new numbers.
struct Rival {
  int number;
  const char* name;
  const char* unless = "";  // excluded if this one runs
  const char* like = "";    // it runs over the distinct points only, as this one would
};

constexpr double never = std::numeric_limits<double>::max();  // no infinity: fast-math knows none

/// All parameters at their defaults, `threads` as given.
inline Config defaults(const Description& description, int threads) {
  auto values = km::defaults(description).values();
  if (const auto at = values.find("threads"); at != values.end()) at->second = std::int64_t(threads);
  return Config(std::move(values));
}

struct Candidate {
  int number = 0;
  const Implementation* implementation = nullptr;
  Config config;
  const Implementation* like = nullptr;  // costs as much, for `share` of the points, with `config_of_like`
  Config config_of_like = {};
  double share = 1;
  std::optional<Forecast> forecast = {};  // of the run

  std::optional<Forecast> predicted(ProblemShape shape, const CostModel& model, Precision precision) const {
    shape.n = std::max<std::int64_t>(1, std::int64_t(double(shape.n) * share));
    return model.forecast(like ? *like : *implementation, shape, like ? config_of_like : config, precision);
  }
  double likely() const { return forecast ? forecast->seconds : never; }
};

inline bool on_cpu(const Candidate& one) { return one.implementation->description.device == Device::cpu; }

constexpr double few_distinct = 0.9, little_work = 1e9;  // of points; products of coordinates in a run: less is not worth a look at the points

inline bool runs(std::string_view name, const ProblemShape& shape, Precision precision) {
  const Implementation* const one = find_implementation(name);
  if (!one || !one->has(precision)) return false;
  const auto& unsupported = one->description.unsupported;
  return !unsupported || unsupported(shape, defaults(one->description, 0), precision == Precision::fp32 ? 4 : 8).empty();
}

/// The greatest `of` all that may be chosen in either precision: which of them is the fastest is known in prepare alone.
inline std::int64_t greatest(std::span<const Rival> rivals, const ProblemShape& shape,
                             std::int64_t (*of)(const Description&, const ProblemShape&, const Config&)) {
  std::int64_t with_cost = 0, without = 0;
  for (const Precision precision : {Precision::fp32, Precision::fp64}) {
    bool costed = false;
    std::int64_t other = 0;
    for (const Rival& rival : rivals) {
      if (!runs(rival.name, shape, precision)) continue;
      const Description& its = find_implementation(rival.name)->description;
      std::int64_t& most = its.cost ? with_cost : other;
      most = std::max(most, of(its, shape, defaults(its, 0)));
      costed |= bool(its.cost);
    }
    if (!costed) without = std::max(without, other);
  }
  return std::max(with_cost, without);
}

/// The shape with the number of iterations that it may take. To convergence it is a guess, of what real sets need; generated ones rest earlier.
inline ProblemShape expected(ProblemShape shape) {
  if (shape.tolerance >= 0) shape.max_iters = static_cast<int>(std::clamp(1.2 * std::pow(double(shape.n), 0.4), 1.0, double(shape.max_iters)));
  return shape;
}

/// Different rows over rows, about, by the hashes of up to 8192 evenly spaced points or 4 MB of them. The share among these is too high, Chao's estimate
/// too low (Scandinavian Journal of Statistics 11, 1984); taken is their geometric mean. 1 for little work.
template <class T>
double distinct_share(const Problem<T>& p) {
  if (double(p.n) * p.d * p.k * expected(p).max_iters < little_work) return 1;
  const auto bytes = p.d * sizeof(T);
  const std::int64_t looked_at = std::min<std::int64_t>(p.n, std::clamp<std::int64_t>(std::int64_t(4e6 / double(bytes)), 1000, 8192));
  struct Slot {
    std::uint64_t hash;
    int rows;
  };
  std::vector<Slot> slots(std::bit_ceil(2 * std::size_t(looked_at)), Slot{});  // open addressing
  for (std::int64_t at = 0; at < looked_at; ++at) {
    const std::uint64_t hash = hash_of_bytes(&p.points[at * p.n / looked_at * p.d], bytes);
    std::size_t slot = hash % slots.size();
    while (slots[slot].rows > 0 && slots[slot].hash != hash) slot = (slot + 1) % slots.size();
    slots[slot] = {hash, slots[slot].rows + 1};
  }
  double different = 0, once = 0, twice = 0;
  for (const Slot& slot : slots) different += slot.rows > 0, once += slot.rows == 1, twice += slot.rows == 2;
  const double at_least = different + once * (once - 1) / (2 * (twice + 1)), among = different / double(looked_at);
  return std::sqrt(among * std::min(among, at_least / double(p.n)));
}

/// The greatest |mean| of a column over its deviation, among up to 1024 evenly spaced points; where it has none, over that of all columns.
template <class T>
double distance_from_origin(const Problem<T>& p) {
  const std::int64_t looked_at = std::min<std::int64_t>(p.n, 1024);
  double most = 0, constant = 0, all = 0;
  for (int j = 0; j < p.d; ++j) {
    const auto value = [&](std::int64_t at) { return double(p.points[at * p.n / looked_at * p.d + j]); };
    const double first = value(0);  // subtracted, so that a large offset does not cancel
    double sum = 0, squares = 0;
    for (std::int64_t at = 0; at < looked_at; ++at) sum += value(at) - first, squares += (value(at) - first) * (value(at) - first);
    const double mean = sum / double(looked_at), variance = squares / double(looked_at) - mean * mean;
    if (variance > 0) most = std::max(most, std::abs(first + mean) / std::sqrt(variance)), all += variance;
    else constant = std::max(constant, std::abs(first));
  }
  return all > 0 ? std::max(most, constant / std::sqrt(all)) : most;
}

constexpr std::int64_t wide_sums = 16;  // points: who adds no more in a row adds in a wider type, or exactly
constexpr double most_offset = 0.03;    // of a column's deviation, by which plain sums may move a mean

/// Whether plain sums keep the means of points that lie so many deviations from the origin.
inline bool keeps_means(const Description& description, const ProblemShape& shape, const Config& config, Precision precision, double from_origin) {
  const std::int64_t depth = summation_depth(description, shape, config);
  const double unit = precision == Precision::fp32 ? 0x1p-23 : 0x1p-52;
  return depth <= wide_sums || unit * (std::sqrt(double(depth)) + 4) * from_origin <= most_offset;
}

/// Those that run, for each number of threads if they have that parameter, with forecasts. distinct: share of the points; from_origin: of them, in
/// deviations. Those that would lose means are left out, unless all would.
inline std::vector<Candidate> candidates(std::span<const Rival> rivals, const std::vector<int>& threads, const ProblemShape& shape,
                                         Precision precision, const CostModel& model, double distinct, double from_origin = 0) {
  std::vector<Candidate> found;
  for (const Rival& rival : rivals) {
    if (!runs(rival.name, shape, precision) || runs(rival.unless, shape, precision)) continue;
    const Implementation* const like = *rival.like ? find_implementation(rival.like) : nullptr;
    if (*rival.like && (distinct > few_distinct || !like)) continue;
    const Implementation& one = *find_implementation(rival.name);
    const bool shared = std::ranges::find(one.description.parameters, "threads", &Parameter::name) != one.description.parameters.end();
    for (const int count : shared ? threads : std::vector<int>{0}) {
      Candidate candidate{.number = rival.number, .implementation = &one, .config = defaults(one.description, count), .like = like};
      if (!keeps_means(one.description, shape, candidate.config, precision, from_origin)) continue;
      if (like) candidate.share = distinct, candidate.config_of_like = defaults(like->description, count);
      candidate.forecast = candidate.predicted(expected(shape), model, precision);
      found.push_back(std::move(candidate));
    }
  }
  return found.empty() && from_origin > 0 ? candidates(rivals, threads, shape, precision, model, distinct) : found;
}

}  // namespace
}  // namespace km::choosing
