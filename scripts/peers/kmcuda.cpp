// KMCUDA (cited by taylor2021). `variant` is its yinyang_t, 0.1 unless given; 0: Lloyd's. It prints the iterations, and stops by its tolerance alone:
// fetch_peers has its test ask peer_stops, too, so that runs of a given length can be judged.
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kmcuda.h"
#include "peer.hpp"

namespace {
struct {
  const float* points;
  std::uint32_t n, k;
  std::uint16_t d;
  float groups;
} problem;
int limit = 0;
}  // namespace

/// Whether a k-means of n points is the whole one, not that of the groups, and has made its iterations.
bool peer_stops(int iteration, std::uint32_t n) { return n == problem.n && iteration >= limit; }

const char* peer_open(const float* points, std::int64_t n, int d, int k, const char* variant) {
  if (k < 2 || d > UINT16_MAX || n > INT32_MAX) return "k below 2, d above 65535 or n above 2^31";
  problem = {points, std::uint32_t(n), std::uint32_t(k), std::uint16_t(d), *variant ? std::strtof(variant, nullptr) : 0.1f};
  return nullptr;
}

int peer_run(const float* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t*, float* assigned, float*) {
  limit = iterations;
  std::copy(start, start + std::size_t(problem.k) * problem.d, assigned);
  std::fflush(stdout);
  std::FILE* const said = std::tmpfile();
  const int out = dup(1);
  dup2(fileno(said), 1);
  const int code = kmeans_cuda(kmcudaInitMethodImport, nullptr, float(std::max(tolerance, 0.0)), problem.groups, kmcudaDistanceMetricL2, problem.n, problem.d,
                               problem.k, 0, 1, -1, 0, 1, problem.points, assigned, reinterpret_cast<std::uint32_t*>(labels), nullptr);
  std::fflush(stdout);
  dup2(out, 1);
  close(out);
  std::rewind(said);
  int made = -1;
  for (char line[256]; std::fgets(line, sizeof line, said);)
    if (int iteration; std::sscanf(line, "iteration %d:", &iteration) == 1) made = iteration;
  std::fclose(said);
  if (code != kmcudaSuccess) return std::fprintf(stderr, "kmeans_cuda returned %d\n", code), -1;
  return made;
}
