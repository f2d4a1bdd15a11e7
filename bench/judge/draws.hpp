// The judge's random choices: no implementation can predict them, and a recorded seed repeats them.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace km {

/// Returns the seed of the choices: the case's own, set by repeat_judge_seed(); else from the system's entropy, drawn once.
std::uint64_t judge_seed();
void repeat_judge_seed(std::uint64_t seed);

/// Generator for the choices about one case. It depends on the seed alone: a replay has the case's seed, but another id.
std::mt19937_64 draws_for(std::string_view case_id);

}  // namespace km
