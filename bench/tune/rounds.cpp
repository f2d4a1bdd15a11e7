#include "bench/tune/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "bench/base/statistics.hpp"

namespace km {
namespace {

constexpr double level = 0.05;
constexpr double margin = 0.05;  // later rounds have to find it faster, too (scripts/tune_test)
constexpr double quiet = 0.05;   // a round this much slower than the best one has half the weight
constexpr double steps = 30;     // a round on average: scores become integers, so that their sums can be counted
constexpr double tiny = 1e-12;

using Numbers = std::vector<double>;

/// Weighs each round by how little the two together exceed their best round, which prefers neither.
Numbers weights_of(const Numbers& before, const Numbers& after) {
  Numbers weights(before.size());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = (before[i] + after[i]) / 2;
  const double best = *std::ranges::min_element(weights);
  for (double& weight : weights) weight = 1 / (1 + (weight - best) / quiet);
  return weights;
}

/// Logarithms in units of their usual size, clipped to one unit (Huber 1964), times the weights.
Numbers scores_of(const Numbers& logs, const Numbers& weights, double shift) {
  Numbers sizes;
  for (const double log : logs) sizes.push_back(std::abs(log - shift));
  const double usual = std::max(median(std::move(sizes)), tiny);
  Numbers scores;
  for (std::size_t i = 0; i < logs.size(); ++i) scores.push_back(weights[i] * std::clamp((logs[i] - shift) / usual, -1.0, 1.0));
  return scores;
}

/// Fisher's randomization test, counted exactly: the share of sign choices with a sum as large as the observed.
double p_of(const Numbers& scores) {
  const double total = std::accumulate(scores.begin(), scores.end(), 0.0, [](double sum, double score) { return sum + std::abs(score); });
  if (total == 0) return 1;
  std::vector<std::size_t> sizes;
  long observed = 0;
  for (const double score : scores) {
    const long step = std::lrint(score * (steps * double(scores.size()) / total));
    observed += step;
    sizes.push_back(std::size_t(std::abs(step)));
  }
  const std::size_t most = std::accumulate(sizes.begin(), sizes.end(), std::size_t(0));
  Numbers shares(2 * most + 1, 0);  // by the sum of all sizes and the observed one
  shares[0] = 1;
  for (const std::size_t size : sizes)
    for (std::size_t sum = shares.size(); sum-- > 0;) shares[sum] = (shares[sum] + (sum >= 2 * size ? shares[sum - 2 * size] : 0)) / 2;
  const auto first = shares.begin() + std::ptrdiff_t(most) + std::abs(observed);
  return std::min(1.0, 2 * std::accumulate(first, shares.end(), 0.0));
}

/// Where `beyond` becomes true, by 14 bisections.
template <class Beyond>
double crossing(Beyond beyond, double low, double high) {
  for (int bisection = 0; bisection < 14; ++bisection) {
    const double middle = (low + high) / 2;
    (beyond(middle) ? high : low) = middle;
  }
  return (low + high) / 2;
}

Numbers logarithms(std::span<const double> times) {
  Numbers logs;
  for (const double time : times) logs.push_back(std::log(time));
  return logs;
}

}  // namespace

double chance_of_ranks(std::span<const double> a, std::span<const double> b) {
  double above = 0;  // pairs with a > b
  for (const double x : a)
    for (const double y : b) above += x > y ? 1 : x == y ? 0.5 : 0;
  // ways[j][u]: number of orders of i values of a and j of b with u such pairs. The largest value is one of a, above all j, or one of b.
  const std::size_t m = a.size(), n = b.size(), all = m * n + 1;
  std::vector<std::vector<double>> ways(n + 1, std::vector<double>(all, 0));
  for (auto& one : ways) one[0] = 1;
  for (std::size_t i = 1; i <= m; ++i)
    for (std::size_t j = 0; j <= n; ++j)
      for (std::size_t u = all; u-- > 0;) ways[j][u] = (u >= j ? ways[j][u - j] : 0) + (j > 0 ? ways[j - 1][u] : 0);
  const auto& orders = ways[n];
  const auto up_to = orders.begin() + std::ptrdiff_t(std::ceil(above)) + 1;
  return std::accumulate(orders.begin(), up_to, 0.0) / std::accumulate(orders.begin(), orders.end(), 0.0);
}

Change change_of(std::span<const double> before, std::span<const double> after) {
  const Numbers from = logarithms(before), to = logarithms(after), weights = weights_of(from, to);
  Numbers logs(from.size());
  std::ranges::transform(to, from, logs.begin(), std::minus());
  const auto [least, most] = std::ranges::minmax(logs);
  const auto scores = [&](double shift) { return scores_of(logs, weights, shift); };
  const auto sum = [](const Numbers& values) { return std::accumulate(values.begin(), values.end(), 0.0); };
  const double middle = crossing([&](double shift) { return sum(scores(shift)) <= 0; }, least, most);
  const double low = crossing([&](double shift) { return p_of(scores(shift)) > level; }, least, middle);
  const double high = crossing([&](double shift) { return p_of(scores(shift)) <= level; }, middle, most);
  return {std::exp(middle), std::exp(low), std::exp(high), p_of(scores(0)), logs.size()};
}

bool surely_faster(const Change& change, std::size_t tests) {
  return change.rounds >= fewest_rounds(tests) && change.high < 1 / (1 + margin) && change.p * double(tests) <= level;
}

std::size_t fewest_rounds(std::size_t tests) {
  std::size_t rounds = 6;  // with fewer, no sign test reaches 5%
  while (double(tests) * std::pow(2.0, 1 - double(rounds)) > level) ++rounds;
  return rounds;
}

}  // namespace km
