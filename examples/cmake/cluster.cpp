// Six points in two groups.
#include <kmbench/fit.hpp>

#include <cstdio>

int main() {
  const std::vector<double> points = {0, 0, 0, 1, 1, 0, 9, 9, 9, 8, 8, 9};
  const auto fitted = kmbench::fit(points.data(), 6, 2, {.k = 2});
  for (const int label : fitted.labels) std::printf("%d ", label);
  std::printf("\n");
}
