// The graph Laplacian as one symmetric matrix, and its first eigenvectors component by component.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/contract/chain.hpp"

namespace km::spectral {

/// A x = diagonal · x - scale · (S (scale · x)), entry by entry. L = D - S has D and 1; Lsym = 1 - D^-1/2 S D^-1/2 has 1 and D^-1/2.
struct Laplacian {
  Laplacian(const Graph& similarities, bool normalized);

  void multiply(const double* x, double* y) const;
  /// Row-major, size x size.
  std::vector<double> dense() const;

  const Graph& graph;
  std::vector<double> diagonal, scale;
  double bound;  // no eigenvalue is above it: 2, or twice the largest degree (Gershgorin)
};

/// Returns the `count` smallest eigenpairs of a matrix, its eigenvectors of length 1 and orthogonal. The graph is connected. Throws
/// std::runtime_error.
using Eigensolver = std::function<Eigenpairs(const Laplacian& matrix, int count)>;

/// Returns the connected component of every vertex, numbered from 0 by the lowest vertex.
std::vector<std::int32_t> components_of(const Graph& graph);

/// Solves each component by itself, so that each has a single zero eigenvalue, and merges: ascending, larger components first among zeros. Returns at
/// least `count` pairs if there are so many vertices. laplacian: symmetric, random_walk (v = D^-1/2 times the symmetric one's; von Luxburg,
/// Proposition 3) or unnormalized.
Eigenpairs first_eigenpairs(const Graph& graph, std::span<const std::int32_t> components, const std::string& laplacian, int count,
                            const Eigensolver& solve);

}  // namespace km::spectral
