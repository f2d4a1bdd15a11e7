// Judges every stage of a spectral chain by its own output, in fp64, with formulas of its own. None of the chain's code is used.
#pragma once

#include "bench/contract/chain.hpp"

namespace km {

struct ChainJudgement {
  std::string verdict;       // "" if right, else one sentence
  double inertia = 0;        // of the representatives' k-means; 0 if it was not needed
  double residual = 0;       // largest |L v - λ v| / |L|, of all eigenpairs
  double orthogonality = 0;  // largest |v·w - (v is w)|
  bool counted = false;      // whether the eigenvalues are known to be the smallest
};

/// Judges all stages by their definitions (docs/spectral.md#how-it-is-judged). config: the chain's parameters.
template <class T>
ChainJudgement judge_chain(const Problem<T>& problem, const Config& config, const ChainRecord<T>& record, std::span<const std::int32_t> labels);

// ---- the stages that have a definition of their own; both throw Refusal -------------------------------------------------------

/// Checks the graph's form, and of a random sample of its rows the weights and their symmetry. vertices: m x d; sizes: points of each vertex.
void check_graph(const Graph& graph, const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d, const Config& config);

/// Checks the first eigenpairs, k at least, of the Laplacian `laplacian` (unnormalized, symmetric, random_walk). Fills what `out` says of them.
void check_eigenpairs(const Graph& graph, const std::string& laplacian, const Eigenpairs& found, int k, ChainJudgement& out);

/// Counts the eigenvalues of a symmetric matrix (size x size) below `shift`: the negative pivots of LDLᵀ (Sylvester's law of inertia). Returns -1 if
/// the factors grow so much that rounding may change a sign.
std::int64_t count_below(std::vector<double> matrix, std::int64_t size, double shift);

}  // namespace km
