#include "bench/judge/draws.hpp"

#include <optional>
#include <vector>

namespace km {
namespace {

std::optional<std::uint64_t> seed;

}  // namespace

void repeat_judge_seed(std::uint64_t given) { seed = given; }

std::mt19937_64 draws_for(std::string_view case_id) {
  if (seed) return std::mt19937_64(*seed);
  static const std::uint32_t own = std::random_device{}();
  std::vector<std::uint32_t> words(case_id.begin(), case_id.end());
  words.push_back(own);
  std::seed_seq all(words.begin(), words.end());
  return std::mt19937_64(all);
}

}  // namespace km
