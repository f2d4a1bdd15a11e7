// A peer as scripts/peers has them, of plain code: Lloyd's that ends with an assign, or with an update if the variant is "update".
#include "peer.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

static const Value* points;
static std::int64_t n;
static int d, k;
static bool update;

const char* peer_open(const Value* given, std::int64_t rows, int columns, int clusters, const char* variant) {
  points = given, n = rows, d = columns, k = clusters, update = std::strcmp(variant, "update") == 0;
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

int peer_run(const Value* start, int iterations, double tolerance, std::int32_t* labels, Value* assigned, Value* centroids) {
  if (k == 99) return -1;
  std::copy(start, start + k * d, assigned);
  for (int made = 1;; ++made) {
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      int best = 0;
      double best_dist = 1e300;
      for (int c = 0; c < k; ++c) {
        double dist = 0;
        for (int j = 0; j < d; ++j) dist += (double(points[i * d + j]) - assigned[c * d + j]) * (double(points[i * d + j]) - assigned[c * d + j]);
        if (dist < best_dist) best_dist = dist, best = c;
      }
      changed += labels[i] != best;
      labels[i] = best;
    }
    if (made == iterations || (tolerance >= 0 && changed <= tolerance * n)) {
      if (update) std::copy(assigned, assigned + k * d, centroids), move(labels, centroids);
      return made;
    }
    move(labels, assigned);
  }
}
