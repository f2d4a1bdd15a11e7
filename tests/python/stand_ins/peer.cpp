// A peer as scripts/peers has them, of plain code. Variants: "assign" ends with an assign, "update" gives both centroids, "after" those after the last
// update and the labels before.
#include "peer.hpp"

#include <algorithm>
#include <string>
#include <vector>

static const Value* points;
static std::int64_t n;
static int d, k;
static std::string variant;

const char* peer_open(const Value* given, std::int64_t rows, int columns, int clusters, const char* wanted) {
  points = given, n = rows, d = columns, k = clusters, variant = wanted;
  return k > 100 ? "k above 100" : nullptr;
}

static void move(const std::int32_t* labels, Value* centroids) {
  std::vector<double> sums(k * d);
  std::vector<int> counts(k);
  for (std::int64_t i = 0; i < n; ++i) {
    ++counts[labels[i]];
    for (int j = 0; j < d; ++j) sums[labels[i] * d + j] += points[i * d + j];
  }
  for (int at = 0; at < k * d; ++at)
    if (counts[at / d] > 0) centroids[at] = Value(sums[at] / counts[at / d]);
}

int peer_run(const Value* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t* before, Value* assigned, Value* centroids) {
  std::vector<Value> now(start, start + k * d);
  for (int made = 1;; ++made) {
    std::int64_t changed = 0;
    std::copy(labels, labels + n, before);
    for (std::int64_t i = 0; i < n; ++i) {
      int best = 0;
      double best_dist = 1e300;
      for (int c = 0; c < k; ++c) {
        double dist = 0;
        for (int j = 0; j < d; ++j) dist += (double(points[i * d + j]) - now[c * d + j]) * (double(points[i * d + j]) - now[c * d + j]);
        if (dist < best_dist) best_dist = dist, best = c;
      }
      changed += labels[i] != best;
      labels[i] = best;
    }
    if (made == iterations || (tolerance >= 0 && changed <= tolerance * n)) {
      if (variant != "after" || made == 1) std::copy(now.begin(), now.end(), assigned);
      if (variant == "assign") return made;
      move(labels, now.data());
      std::copy(now.begin(), now.end(), centroids);
      return made;
    }
    move(labels, now.data());
  }
}
