// benedetti2025's own code: its kmeans_cuda to the last iteration but one, then for that one. The start is ours and there is no phantom point, because
// both come from its reader.
#define main authors_main
#include "main.cu"
#undef main
#include "peer.hpp"

namespace {
DatasetSoA dataset;
CentroidsSoA clusters;
}  // namespace

const char* peer_open(const float* points, std::int64_t n, int d, int k, const char*) {
  if (n > INT32_MAX) return "n is above 2^31";
  if (dataset.data) dataset.free(), clusters.free();
  dataset.allocate(n, d);
  for (std::int64_t i = 0; i < n; ++i)
    for (int j = 0; j < d; ++j) dataset.at(j, i) = points[i * d + j];
  dataset.copyToDevice();
  clusters.allocate(k, d);
  return nullptr;
}

static void take(float* to) {
  clusters.copyToHost();
  for (std::size_t c = 0; c < clusters.k; ++c)
    for (std::size_t j = 0; j < clusters.n_dims; ++j) to[c * clusters.n_dims + j] = clusters.h_data_cuda[j * clusters.k + c];
}

int peer_run(const float* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t*, float* assigned, float* centroids) {
  if (tolerance >= 0) return fprintf(stderr, "it has no test for convergence: give no tolerance\n"), -1;
  for (std::size_t c = 0; c < clusters.k; ++c)
    for (std::size_t j = 0; j < clusters.n_dims; ++j) clusters.h_data_cuda[j * clusters.k + c] = start[c * clusters.n_dims + j];
  clusters.copyToDevice();
  if (iterations > 1) kmeans_cuda(dataset, clusters, labels, iterations - 1);
  take(assigned);
  kmeans_cuda(dataset, clusters, labels, 1);
  take(centroids);
  return iterations;
}
