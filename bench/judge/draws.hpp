// The judge's random choices: no implementation can predict them, and a recorded seed repeats them.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace km {

/// Returns the seed of the choices: the case's own, set by repeat_judge_seed(); else from the system's entropy, drawn once.
std::uint64_t judge_seed();
void repeat_judge_seed(std::uint64_t seed);

/// Reproducible value in [0, 1) (SplitMix64, Steele et al. 2014).
inline double noise(std::uint64_t i, std::uint64_t j) {
  std::uint64_t z = (i * 0x9E3779B97F4A7C15u) ^ (j + 0x632BE59BD9B4E019u) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return double((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/// Generator for the choices about one case. It depends on the seed alone: a replay has the case's seed, but another id.
std::mt19937_64 draws_for(std::string_view case_id);

}  // namespace km
