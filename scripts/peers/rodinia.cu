// Rodinia 3.1's kmeans (compared by lutz2018): its assign on the GPU and its sums on the host; the division between two calls is here, as in its
// kmeans_clustering.c. Its constant memory holds 1,088 values of the centroids.
#include <algorithm>
#include <vector>

#include "peer.hpp"
// its code comes after what it needs
#include "rodinia_textures.cuh"
//
#include "kmeans_cuda.cu"

extern "C" int setup(int, char**) { return 0; }  // its main's

namespace {
struct {
  std::int64_t n = 0;
  int d, k;
  std::vector<float*> rows;
} problem;
}  // namespace

const char* peer_open(const float* points, std::int64_t n, int d, int k, const char*) {
  if (k * d > int(sizeof(c_clusters) / sizeof(float))) return "k d is above the 1,088 values of its constant memory";
  if (n * d >= std::int64_t(1) << 31) return "n d is above 2^31";
  if (problem.n > 0) deallocateMemory();
  problem.n = n, problem.d = d, problem.k = k;
  problem.rows.clear();
  for (std::int64_t i = 0; i < n; ++i) problem.rows.push_back(const_cast<float*>(points) + i * d);
  allocateMemory(int(n), d, k, problem.rows.data());
  return nullptr;
}

int peer_run(const float* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t*, float* assigned, float* centroids) {
  const auto& [n, d, k, rows] = problem;
  const std::size_t cells = std::size_t(k) * d;
  std::vector<float> sums(cells);
  std::vector<float*> of_centroids, of_sums;
  for (int c = 0; c < k; ++c) of_centroids.push_back(centroids + c * d), of_sums.push_back(sums.data() + c * d);
  std::copy(start, start + cells, centroids);
  std::fill(labels, labels + n, -1);
  for (int made = 1;; ++made) {
    std::copy(centroids, centroids + cells, assigned);
    std::vector<int> counts(k);
    std::fill(sums.begin(), sums.end(), 0.f);
    const int changed = kmeansCuda(problem.rows.data(), d, int(n), k, labels, of_centroids.data(), counts.data(), of_sums.data());
    for (std::size_t at = 0; at < cells; ++at)
      if (counts[at / d] > 0) centroids[at] = sums[at] / counts[at / d];
    if (made == iterations || (tolerance >= 0 && changed <= tolerance * n)) return made;
  }
}
