// Awkward shapes: what k-means implementations get wrong.
#include <cmath>

#include "bench/judge/check.hpp"
#include "bench/judge/draws.hpp"

namespace km {
namespace {

double groups(int i, int j) { return 10.0 * ((i * 7 + j) % 5) + noise(i, j); }
double uniform(int i, int j) { return noise(i, j); }

}  // namespace

const std::vector<Shape>& awkward_shapes() {
  static const std::vector<Shape> shapes = {
      {"one point", 1, 3, 1, 3, -1, uniform, {}},
      {"one dimension", 1000, 1, 5, 6, -1, uniform, {}},
      {"k = 1", 777, 5, 1, 3, -1, groups, {}},
      {"k = n", 33, 4, 33, 3, -1, uniform, {}},
      {"n below the block", 37, 7, 4, 5, -1, groups, {}},
      {"n not a multiple of anything", 4099, 6, 7, 6, -1, groups, {}},
      {"d = 2", 5000, 2, 32, 8, -1, uniform, {}},
      {"d = 4", 10007, 4, 4, 8, -1, groups, {}},
      {"d = 7", 10007, 7, 4, 8, -1, groups, {}},
      {"d = 17", 2053, 17, 9, 5, -1, groups, {}},
      {"d = 68", 1031, 68, 16, 5, -1, groups, {}},
      {"d = 129", 515, 129, 5, 4, -1, groups, {}},
      {"d = 300", 129, 300, 3, 3, -1, groups, {}},
      {"k = 100", 3001, 8, 100, 5, -1, uniform, {}},
      {"k = 1000", 5003, 3, 1000, 3, -1, uniform, {}},
      {"k = 1500", 4001, 5, 1500, 3, -1, uniform, {}},
      {"empty clusters", 999, 3, 6, 5, -1, groups, [](int c, int j) { return c % 2 ? 1e4 + c : groups(c, j); }},
      {"duplicate points", 1200, 3, 8, 5, -1, [](int i, int j) { return double((i % 5) * 3 + j); }, {}},
      {"ties", 1024, 2, 4, 5, -1, [](int i, int j) { return double(((i >> j) & 1) * 2); },
       [](int c, int j) { return j == 0 ? double(c % 2) * 2 : 1.0; }},
      {"all points the same", 513, 4, 3, 4, -1, [](int, int) { return 2.5; }, {}},
      {"equal centroids", 600, 3, 5, 4, -1, groups, [](int, int j) { return groups(0, j); }},
      {"huge dynamic range", 3000, 5, 6, 5, -1, [](int i, int j) { return std::pow(10.0, (i * 5 + j) % 14 - 6) * (noise(i, j) - 0.5); }, {}},
      {"far from the origin", 2000, 4, 4, 5, -1, [](int i, int j) { return 1e4 + groups(i, j); }, {}},
      {"negative values", 2000, 3, 5, 5, -1, [](int i, int j) { return -groups(i, j); }, {}},
      {"converges, tolerance 0", 3000, 3, 5, 100, 0, groups, {}},
      {"converges, tolerance 0.01", 20000, 4, 8, 100, 0.01, uniform, {}},
      {"one iteration", 5000, 4, 4, 1, -1, uniform, {}},
  };
  return shapes;
}

}  // namespace km
