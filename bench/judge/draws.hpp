// The judge's random choices: no implementation can predict them, and a recorded seed repeats them.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace km {

/// Sets the seed of the choices from now on: a case's own (bench/plan/case.hpp).
void repeat_judge_seed(std::uint64_t seed);

/// Generator for the choices about one case: from the seed alone, so that another plan repeats them. Without a seed: from the system's entropy,
/// drawn once a process, and the case.
std::mt19937_64 draws_for(std::string_view case_id);

}  // namespace km
