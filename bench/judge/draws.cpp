#include "bench/judge/draws.hpp"

#include <optional>
#include <vector>

namespace km {
namespace {

std::optional<std::uint64_t> seed;

}  // namespace

std::uint64_t judge_seed() {
  if (!seed) seed = std::random_device{}();
  return *seed;
}

void repeat_judge_seed(std::uint64_t given) { seed = given; }

std::mt19937_64 draws_for(std::string_view case_id) {
  std::vector<std::uint32_t> words(case_id.begin(), case_id.end());
  words.push_back(std::uint32_t(judge_seed()));
  words.push_back(std::uint32_t(judge_seed() >> 32));
  std::seed_seq all(words.begin(), words.end());
  return std::mt19937_64(all);
}

}  // namespace km
