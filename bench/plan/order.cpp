// Orders cases.
#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <tuple>

#include "bench/plan/sweep.hpp"

namespace km {

std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed) {
  std::set<std::string> seen;
  std::erase_if(cases, [&](const Case& c) { return !seen.insert(c.id()).second; });
  std::vector<std::pair<std::string, std::size_t>> names;  // independent of the order of flags
  for (std::size_t i = 0; i < cases.size(); ++i) names.emplace_back(cases[i].name(), i);
  std::ranges::sort(names);
  std::mt19937_64 random(seed);
  std::map<std::pair<DatasetRequest, Precision>, std::uint64_t> ranks;
  for (const auto& [name, i] : names) {
    const auto [rank, fresh] = ranks.try_emplace({cases[i].dataset, cases[i].precision}, 0);
    if (fresh) rank->second = random();
  }
  std::vector<std::tuple<std::uint64_t, std::uint64_t, std::size_t>> order;  // rank of the data set, rank of the case, index
  for (const auto& [name, i] : names) order.emplace_back(ranks.at({cases[i].dataset, cases[i].precision}), random(), i);
  std::ranges::sort(order);
  std::vector<Case> out;
  for (const auto& [rank, own, i] : order) {
    out.push_back(std::move(cases[i]));
    out.back().order = std::int64_t(out.size()) - 1;
  }
  return out;
}

}  // namespace km
