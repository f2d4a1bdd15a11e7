// The stages of a spectral chain that have a definition of their own. Each returns a sentence if its output is wrong, or "".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bench/judge/chain.hpp"

namespace km {

/// The graph's form, and of a random sample of its rows the weights and their symmetry. vertices: m x d; sizes: points of each vertex.
std::string explain_graph(const Graph& graph, const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d,
                          const Config& config);

/// The first eigenpairs, k at least, of the Laplacian `laplacian` (unnormalized, symmetric, random_walk). Fills what `out` says of them.
std::string explain_eigenpairs(const Graph& graph, const std::string& laplacian, const Eigenpairs& found, int k, ChainJudgement& out);

}  // namespace km
