// Similarity graphs of he2021, Section 2.1, and von Luxburg, "A tutorial on spectral clustering", 2007, Section 2.2.
#pragma once

#include <string>
#include <vector>

#include "bench/contract/chain.hpp"

namespace km::spectral {

struct Similarity {
  std::string kind;  // gaussian, cosine, epsilon or neighbours
  int neighbours = 10;
  double scale = 0;    // gaussian: sigma; epsilon: the radius; 0: from the distance to the neighbour of that number
  bool sizes = false;  // weights are multiplied by both vertices' sizes (ours)
};

/// Returns the graph of m x d vertices:
///   gaussian   exp(-|x - y|² / (2 sigma²)), or with sigma 0 exp(-|x - y|² / (s(x) s(y))), s the distance to the k-th neighbour
///              (Zelnik-Manor and Perona, "Self-tuning spectral clustering", 2004); dense
///   cosine     x·y / (|x| |y|), at least 0; dense
///   epsilon    1 up to a distance of the radius, or of the largest distance to a k-th neighbour; sparse
///   neighbours  1 if either is among the k nearest of the other, the lowest index first among equal distances; sparse
Graph similarity_graph(const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d, const Similarity& wanted);

}  // namespace km::spectral
