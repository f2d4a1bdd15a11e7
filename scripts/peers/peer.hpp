// What adapter.py calls. Each shim of this folder is compiled with its authors' code into libpeer_fp32.so or libpeer_fp64.so.
#pragma once

#include <cstdint>
#include <vector>

#ifndef PEER_VALUE
#define PEER_VALUE float
#endif
using Value = PEER_VALUE;

extern "C" {
/// points: n x d, which stay where they are. `variant`: one of the peer's own algorithms, or "". Returns why it cannot run, or null.
const char* peer_open(const Value* points, std::int64_t n, int d, int k, const char* variant);

/// From `start` (k x d) at most `iterations` iterations; tolerance: a share of the points, or -1. Returns the iterations made, or -1. labels: n, of the
/// last assign; before: n, of the assign before. assigned: the centroids of the last assign; centroids: those after the last update. A peer that does
/// not give one of the two leaves it alone; without `assigned` it fills `before`.
int peer_run(const Value* start, int iterations, double tolerance, std::int32_t* labels, std::int32_t* before, Value* assigned, Value* centroids);

/// The means of each label's points, k x d; a cluster without points keeps its row of `kept`.
void peer_means(const Value* points, std::int64_t n, int d, int k, const std::int32_t* labels, const Value* kept, Value* means) {
  const std::size_t cells = std::size_t(k) * d;
  std::vector<double> sums(cells);
  std::vector<std::int64_t> counts(k);
#pragma omp parallel
  {
    std::vector<double> own_sums(cells);
    std::vector<std::int64_t> own_counts(k);
#pragma omp for
    for (std::int64_t i = 0; i < n; ++i) {
      double* const sum = own_sums.data() + std::size_t(labels[i]) * d;
      for (int j = 0; j < d; ++j) sum[j] += points[i * d + j];
      ++own_counts[labels[i]];
    }
#pragma omp critical
    {
      for (std::size_t at = 0; at < cells; ++at) sums[at] += own_sums[at];
      for (int c = 0; c < k; ++c) counts[c] += own_counts[c];
    }
  }
  for (std::size_t at = 0; at < cells; ++at) means[at] = counts[at / d] > 0 ? Value(sums[at] / counts[at / d]) : kept[at];
}
}
