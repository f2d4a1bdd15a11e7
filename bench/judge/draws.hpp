// The judge's random choices: no implementation can predict them, and a recorded seed repeats them.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace km {

/// Seed of the choices: the case's own, if it is set; else from the system's entropy, drawn once.
inline std::uint64_t& judge_seed() {
  static std::uint64_t seed = std::random_device{}();
  return seed;
}
/// Generator for the choices about one case.
inline std::mt19937_64 judge_draws() { return std::mt19937_64(std::uint64_t{judge_seed()}); }

/// Draws one number from each of `wanted` <= n equal ranges of 0 to n - 1, in ascending order.
inline std::vector<std::int64_t> spread_sample(std::int64_t n, std::int64_t wanted, std::mt19937_64& draws) {
  const auto begin = [&](std::int64_t range) { return std::int64_t(__int128(n) * range / wanted); };
  std::vector<std::int64_t> sample;
  for (std::int64_t range = 0; range < wanted; ++range)
    sample.push_back(begin(range) + std::int64_t(draws() % std::uint64_t(begin(range + 1) - begin(range))));
  return sample;
}

}  // namespace km
