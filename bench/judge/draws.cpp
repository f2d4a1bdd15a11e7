#include "bench/judge/draws.hpp"

#include <optional>

namespace km {
namespace {

std::optional<std::uint64_t> seed;

}  // namespace

std::uint64_t judge_seed() {
  if (!seed) seed = std::random_device{}();
  return *seed;
}

void repeat_judge_seed(std::uint64_t given) { seed = given; }

std::mt19937_64 draws_for(std::string_view) { return std::mt19937_64(judge_seed()); }

}  // namespace km
