// taylor2021's own code. `variant`: yys (GPU-YYs with 20 groups, unless given), yyss or lloyd. It stops when no label changes. Its GPU-Lloyd makes one
// iteration fewer than it is asked for, and counts one more.
#include <cstring>
#include <string>
#include <vector>

#include "kmeansGPU.h"
#include "peer.hpp"

namespace {
struct {
  const Value* points;
  int n, d, k;
  std::string variant;
} problem;
}  // namespace

const char* peer_open(const Value* points, std::int64_t n, int d, int k, const char* variant) {
  if (n * d > INT32_MAX) return "n d is above 2^31";
  problem = {points, int(n), d, k, *variant ? variant : "yys"};
  return problem.variant == "yys" || problem.variant == "yyss" || problem.variant == "lloyd" ? nullptr : "there are yys, yyss and lloyd";
}

int peer_run(const Value* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t* before, Value* assigned, Value* centroids) {
  if (tolerance > 0) return fprintf(stderr, "it stops when no label changes: give a tolerance of 0, or none\n"), -1;
  const auto& [points, n, d, k, variant] = problem;
  std::copy(start, start + std::size_t(k) * d, centroids);
  std::vector<PointInfo> info(n, PointInfo{-1, -1, Value(INFINITY)});
  std::vector<CentInfo> clusters(k, CentInfo{-1, 0, 0});
  Value* const data = const_cast<Value*>(points);
  unsigned made = 0;
  if (variant == "yys") startFullOnGPU(info.data(), clusters.data(), data, centroids, n, k, std::min(k, 20), d, iterations, 1, &made);
  else if (variant == "yyss") startSuperOnGPU(info.data(), clusters.data(), data, centroids, n, k, d, iterations, 1, &made);
  else startLloydOnGPU(info.data(), clusters.data(), data, centroids, n, k, d, iterations + 1, 1, &made), --made;
  for (int i = 0; i < n; ++i) labels[i] = info[i].centroidIndex, before[i] = info[i].oldCentroid;
  if (made == 1) std::copy(start, start + std::size_t(k) * d, assigned);
  return int(made);
}
