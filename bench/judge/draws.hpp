// The judge's random choices: no implementation can predict them, and a recorded seed repeats them.
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace km {

/// Returns the seed of this process's choices: from the system's entropy, drawn once, unless repeat_judge_seed() set it before.
std::uint64_t judge_seed();
void repeat_judge_seed(std::uint64_t seed);

/// Generator for the choices about one case. It depends on the seed and the case, not on the cases judged before.
std::mt19937_64 draws_for(std::string_view case_id);

}  // namespace km
