#include "bench/tune/rank_test.hpp"

#include <cmath>
#include <numeric>
#include <vector>

namespace km {

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

}  // namespace km
