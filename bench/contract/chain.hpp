// The second task: spectral clustering by he2021's chain (Section 2, Algorithm 1, Figure 1). k-means reduces n points to representatives, which
// become the vertices of a similarity graph. The first k eigenvectors of its Laplacian embed the vertices; k-means on the embedding labels them, and
// each point takes the label of its representative.
// A chain is an implementation of Task::spectral. Its k is the number of clusters, max_iters bounds the k-means of the representatives, and the
// solution holds labels alone. A chain notes a ChainRecord of each run, which the judge reads (bench/judge/chain.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "bench/contract/implementation.hpp"

namespace km {

/// Symmetric similarities of `size` vertices, without edges from a vertex to itself. Dense, or compressed rows.
struct Graph {
  std::int64_t size = 0;
  std::vector<double> dense;             // size x size; empty: sparse
  std::vector<std::int64_t> starts;      // size + 1
  std::vector<std::int32_t> neighbours;  // ascending in each row
  std::vector<double> weights;           // one per neighbour

  bool is_dense() const { return !dense.empty(); }

  /// Calls visit(j, weight) for every edge of vertex i; in a dense graph for every vertex.
  template <class Visit>
  void visit(std::int64_t i, Visit visit) const {
    if (is_dense())
      for (std::int64_t j = 0; j < size; ++j) visit(j, dense[std::size_t(i * size + j)]);
    else
      for (auto at = std::size_t(starts[std::size_t(i)]); at < std::size_t(starts[std::size_t(i) + 1]); ++at) visit(neighbours[at], weights[at]);
  }

  std::vector<double> degrees() const {
    std::vector<double> sums(static_cast<std::size_t>(size));
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < size; ++i) {
      double sum = 0;
      visit(i, [&](std::int64_t, double weight) { sum += weight; });
      sums[std::size_t(i)] = sum;
    }
    return sums;
  }
};

/// Eigenvalues, ascending, and one eigenvector of length `size` after the other.
struct Eigenpairs {
  std::vector<double> values, vectors;
  double transfer_s = 0;  // seconds of copies to and from a GPU
};

/// One k-means inside a chain, with all that the judge needs.
template <class T>
struct InnerRun {
  const Implementation* implementation = nullptr;  // null: it was not needed
  Config config;
  ProblemShape shape;
  std::vector<T> start;  // k x d
  Solution<T> solution;
};

/// The stages' results of one run.
template <class T>
struct ChainRecord {
  InnerRun<T> reduction;                   // not needed if every point is its own representative
  Labels vertex_of;                        // n: the vertex of each point
  std::vector<double> vertices;            // m x d: representatives that have points
  std::vector<std::int64_t> sizes;         // m: their points
  Graph graph;                             // m vertices
  int components = 0;                      // connected, of the graph
  Eigenpairs first;                        // at least k, of the Laplacian; the random walk's solve L v = λ D v
  std::vector<double> embedding;           // m x k
  InnerRun<double> clustering;             // of the embedding's rows that are not zero
  std::vector<std::int32_t> vertex_label;  // m
  int proposed = 0;                        // clusters, by the largest relative gap of eigenvalues; 0: no gap
};

template <class T>
inline std::optional<ChainRecord<T>> last_chain;

template <class T>
void note_chain(ChainRecord<T> record) {
  last_chain<T> = std::move(record);
}
/// Returns and clears the last noted record; empty for an implementation that shows none.
template <class T>
std::optional<ChainRecord<T>> noted_chain() {
  return std::exchange(last_chain<T>, std::nullopt);
}

}  // namespace km
