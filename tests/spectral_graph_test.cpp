// Similarity graphs and the eigenvectors of their Laplacians against what is known of them.
#include <cmath>
#include <numbers>

#include "bench/judge/chain.hpp"
#include "impl/cpu/spectral/lapack.hpp"
#include "impl/cpu/spectral/similarity.hpp"
#include "tests/solving.hpp"

namespace km {
namespace {

Graph graph_of(const std::vector<double>& line, const spectral::Similarity& wanted, std::vector<std::int64_t> sizes = {}) {
  sizes.resize(line.size(), 1);
  return spectral::similarity_graph(line, sizes, 1, wanted);
}

double weight(const Graph& g, std::int64_t i, std::int64_t j) {
  double found = 0;
  g.visit(i, [&](std::int64_t other, double w) { found = other == j ? w : found; });
  return found;
}

TEST(Similarity, GaussianTakesSigmaOrTheDistancesToNeighbours) {
  const Graph fixed = graph_of({0, 1, 3}, {.kind = "gaussian", .scale = 2});
  EXPECT_NEAR(weight(fixed, 0, 2), std::exp(-9.0 / 8), 1e-14);
  EXPECT_EQ(weight(fixed, 1, 1), 0);
  const Graph local = graph_of({0, 1, 3}, {.kind = "gaussian", .neighbours = 2});  // 2nd neighbours at 3, 2 and 3
  EXPECT_NEAR(weight(local, 0, 1), std::exp(-1.0 / 6), 1e-14);
  EXPECT_NEAR(weight(local, 2, 0), std::exp(-9.0 / 9), 1e-14);
}

TEST(Similarity, CosineIsNeverNegative) {
  const std::vector<double> points = {1, 0, 1, 1, -1, 0, 0, 0};
  const Graph g = spectral::similarity_graph(points, {1, 1, 1, 1}, 2, {.kind = "cosine"});
  EXPECT_NEAR(weight(g, 0, 1), std::sqrt(0.5), 1e-14);
  EXPECT_EQ(weight(g, 0, 2), 0);
  EXPECT_EQ(weight(g, 0, 3), 0);
}

TEST(Similarity, SparseGraphsLinkBothWays) {
  const Graph near = graph_of({0, 1, 3, 7}, {.kind = "neighbours", .neighbours = 1});
  EXPECT_EQ(near.starts, (std::vector<std::int64_t>{0, 1, 3, 5, 6}));
  EXPECT_EQ(near.neighbours, (std::vector<std::int32_t>{1, 0, 2, 1, 3, 2}));
  const Graph within = graph_of({0, 1, 3, 7}, {.kind = "epsilon", .scale = 2});
  EXPECT_EQ(within.neighbours, (std::vector<std::int32_t>{1, 0, 2, 1}));
  const Graph reached = graph_of({0, 1, 3, 7}, {.kind = "epsilon", .neighbours = 1});  // the last one's neighbour is at 4
  EXPECT_EQ(weight(reached, 2, 3), 1);
}

TEST(Similarity, SizesMultiply) {
  const Graph g = graph_of({0, 1, 3}, {.kind = "neighbours", .neighbours = 1, .sizes = true}, {2, 5, 7});
  EXPECT_EQ(weight(g, 0, 1), 10);
  EXPECT_EQ(weight(g, 2, 1), 35);
}

/// A path of m vertices: its Laplacian has the eigenvalues 2 - 2 cos(π j / m).
Graph path(int m) {
  Graph g{.size = m, .starts = {0}};
  for (int i = 0; i < m; ++i) {
    if (i > 0) g.neighbours.push_back(i - 1);
    if (i + 1 < m) g.neighbours.push_back(i + 1);
    g.starts.push_back(std::ssize(g.neighbours));
  }
  g.weights.assign(g.neighbours.size(), 1);
  return g;
}

double of_path(int m, int j) { return 2 - 2 * std::cos(std::numbers::pi * j / m); }

TEST(Eigenvectors, OfAPathAreKnown) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const Graph g = path(50);
  const auto found = spectral::first_eigenpairs(g, spectral::components_of(g), "unnormalized", 4, spectral::first_by_lapack);
  for (int e = 0; e < 4; ++e) EXPECT_NEAR(found.values[std::size_t(e)], of_path(50, e), 1e-12);
  for (std::size_t i = 0; i < 50; ++i)
    EXPECT_NEAR(std::abs(found.vectors[50 + i]), std::sqrt(2 / 50.0) * std::abs(std::cos(std::numbers::pi * (double(i) + 0.5) / 50)), 1e-10);
}

TEST(Eigenvectors, PiecesHaveAZeroEach) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const Graph g = graph_of({0, 1, 2, 3, 100, 101, 102, 1000}, {.kind = "epsilon", .scale = 1});
  const auto components = spectral::components_of(g);
  EXPECT_EQ(components, (std::vector<std::int32_t>{0, 0, 0, 0, 1, 1, 1, 2}));
  const auto found = spectral::first_eigenpairs(g, components, "symmetric", 4, spectral::first_by_lapack);
  EXPECT_EQ(found.values[0], 0);
  EXPECT_EQ(found.values[2], 0);
  EXPECT_GT(found.values[3], 0.1);
  EXPECT_NE(found.vectors[0], 0);      // the largest component first
  EXPECT_NE(found.vectors[8 + 4], 0);  // then the next
  EXPECT_EQ(found.vectors[8 + 0], 0);
  EXPECT_NE(found.vectors[16 + 7], 0);  // a vertex without edges is a component too
}

TEST(Eigenvectors, InertiaCountsThem) {
  const int m = 40;
  std::vector<double> a(m * m, 0);
  for (int i = 0; i < m; ++i) {
    a[std::size_t(i * (m + 1))] = i == 0 || i + 1 == m ? 1 : 2;
    if (i > 0) a[std::size_t(i * m + i - 1)] = a[std::size_t((i - 1) * m + i)] = -1;
  }
  for (const int below : {1, 2, 7, 39}) EXPECT_EQ(count_below(a, m, (of_path(m, below - 1) + of_path(m, below)) / 2), below);
  EXPECT_EQ(count_below(a, m, -0.1), 0);
  EXPECT_EQ(count_below(a, m, 4.1), m);
  EXPECT_EQ(count_below(a, m, 1), -1);  // a pivot of 0: no answer is better than a wrong one
}

TEST(Similarity, EpsilonLinksCopiesAloneWhereAllNeighboursAreCopies) {
  const Graph g = graph_of({0, 0, 0.5, 0.5}, {.kind = "epsilon", .neighbours = 1});
  EXPECT_EQ(g.neighbours, (std::vector<std::int32_t>{1, 0, 3, 2}));
}

TEST(Eigenvectors, AreJudgedWhereADegreeIsNextToNothing) {
  if (const std::string why = spectral::lapack_missing(); !why.empty()) GTEST_SKIP() << why;
  const Graph g = graph_of({0, 1, 39}, {.kind = "gaussian", .scale = 1});
  const auto found = spectral::first_eigenpairs(g, spectral::components_of(g), "random_walk", 2, spectral::first_by_lapack);
  ChainJudgement out;
  EXPECT_NO_THROW(check_eigenpairs(g, "random_walk", found, 2, out));
  EXPECT_LT(out.orthogonality, 1e-12);
}

}  // namespace
}  // namespace km
