// Orders cases.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "bench/plan/sweep.hpp"

namespace km {

std::vector<Case> shuffled(std::vector<Case> cases, std::uint64_t seed) {
  std::set<std::string> seen;
  std::erase_if(cases, [&](const Case& c) { return !seen.insert(c.id()).second; });
  std::vector<std::pair<std::string, std::size_t>> names;  // independent of the order of flags
  for (std::size_t i = 0; i < cases.size(); ++i) names.emplace_back(cases[i].name(), i);
  std::ranges::sort(names);
  std::vector<Case> sorted;
  for (const auto& [name, i] : names) sorted.push_back(std::move(cases[i]));
  cases = std::move(sorted);
  std::mt19937_64 random(seed);
  std::map<std::pair<DatasetRequest, Precision>, std::uint64_t> rank;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> keys;
  for (const auto& c : cases) {
    auto request = c.dataset;
    const auto [at, fresh] = rank.try_emplace({request, c.precision}, 0);
    if (fresh) at->second = random();
  }
  std::vector<std::size_t> order(cases.size());
  for (std::size_t i = 0; i < cases.size(); ++i) {
    order[i] = i;
    keys.emplace_back(rank.at({cases[i].dataset, cases[i].precision}), random());
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return keys[i]; });
  std::vector<Case> out;
  for (const auto i : order) {
    out.push_back(std::move(cases[i]));
    out.back().order = std::int64_t(out.size()) - 1;
  }
  return out;
}

}  // namespace km
