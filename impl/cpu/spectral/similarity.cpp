// All pairs of vertices, a row per thread: m² d operations, which the graph's few thousand vertices keep small.
#include "impl/cpu/spectral/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <span>

namespace km::spectral {
namespace {

struct Vertices {
  const std::vector<double>& values;
  std::int64_t m;
  int d;

  const double* row(std::int64_t i) const { return values.data() + i * d; }

  /// Squared distances from vertex i to all.
  void squared(std::int64_t i, std::vector<double>& out) const {
    out.resize(std::size_t(m));
    const double* const x = row(i);
    for (std::int64_t j = 0; j < m; ++j) {
      const double* const y = row(j);
      double dist = 0;
      for (int c = 0; c < d; ++c) dist += (x[c] - y[c]) * (x[c] - y[c]);
      out[std::size_t(j)] = dist;
    }
  }
};

/// Calls visit(i, distances²) for every vertex, in parallel.
template <class Visit>
void for_rows(const Vertices& v, Visit visit) {
#pragma omp parallel
  {
    std::vector<double> dist;
#pragma omp for schedule(dynamic, 16)
    for (std::int64_t i = 0; i < v.m; ++i) {
      v.squared(i, dist);
      visit(i, dist);
    }
  }
}

/// The k nearest vertices of i, nearest first.
std::vector<std::int32_t> nearest(std::int64_t i, const std::vector<double>& dist, int k) {
  std::vector<std::int32_t> order;
  for (std::int32_t j = 0; j < std::ssize(dist); ++j)
    if (j != i) order.push_back(j);
  const auto nearer = [&](std::int32_t a, std::int32_t b) {
    return dist[std::size_t(a)] != dist[std::size_t(b)] ? dist[std::size_t(a)] < dist[std::size_t(b)] : a < b;
  };
  const auto count = std::min<std::ptrdiff_t>(k, std::ssize(order));
  std::ranges::nth_element(order, order.begin() + std::max<std::ptrdiff_t>(0, count - 1), nearer);
  order.resize(std::size_t(count));
  std::ranges::sort(order, nearer);
  return order;
}

/// Distances to the k-th neighbour.
std::vector<double> to_neighbour(const Vertices& v, int k) {
  std::vector<double> distances(std::size_t(v.m));
  for_rows(v, [&](std::int64_t i, const std::vector<double>& dist) {
    const auto near = nearest(i, dist, k);
    distances[std::size_t(i)] = near.empty() ? 0 : std::sqrt(dist[std::size_t(near.back())]);
  });
  return distances;
}

/// The same. Vertices that coincide with theirs get the least positive one.
std::vector<double> local_scales(const Vertices& v, int k) {
  std::vector<double> scales = to_neighbour(v, k);
  double least = 0;
  for (const double scale : scales)
    if (scale > 0 && (least == 0 || scale < least)) least = scale;
  for (double& scale : scales)
    if (scale == 0) scale = least > 0 ? least : 1;
  return scales;
}

Graph gaussian(const Vertices& v, const Similarity& wanted) {
  Graph g{.size = v.m, .dense = std::vector<double>(std::size_t(v.m * v.m))};
  std::vector<double> factor(std::size_t(v.m), 1 / (std::sqrt(2.0) * wanted.scale));
  if (wanted.scale == 0)
    for (std::int64_t i = 0; const double scale : local_scales(v, wanted.neighbours)) factor[std::size_t(i++)] = 1 / std::sqrt(scale);
  const bool local = wanted.scale == 0;  // 1 / (s(x) s(y)), else 1 / (2 sigma²)
  for_rows(v, [&](std::int64_t i, const std::vector<double>& dist) {
    double* const out = g.dense.data() + i * v.m;
    const double own = factor[std::size_t(i)] * (local ? factor[std::size_t(i)] : 1);
    for (std::int64_t j = 0; j < v.m; ++j) {
      const double other = factor[std::size_t(j)] * (local ? factor[std::size_t(j)] : 1);
      out[j] = std::exp(-dist[std::size_t(j)] * own * other);
    }
    out[i] = 0;
  });
  return g;
}

Graph cosine(const Vertices& v) {
  Graph g{.size = v.m, .dense = std::vector<double>(std::size_t(v.m * v.m))};
  std::vector<double> inverse(std::size_t(v.m));
  for (std::int64_t i = 0; i < v.m; ++i) {
    double square = 0;
    for (int c = 0; c < v.d; ++c) square += v.row(i)[c] * v.row(i)[c];
    inverse[std::size_t(i)] = square > 0 ? 1 / std::sqrt(square) : 0;
  }
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < v.m; ++i)
    for (std::int64_t j = 0; j < v.m; ++j) {
      double dot = 0;
      for (int c = 0; c < v.d; ++c) dot += v.row(i)[c] * v.row(j)[c];
      g.dense[std::size_t(i * v.m + j)] = i == j ? 0 : std::max(0.0, dot * (inverse[std::size_t(i)] * inverse[std::size_t(j)]));
    }
  return g;
}

/// Edges of weight 1, from each vertex's list.
Graph of_lists(std::vector<std::vector<std::int32_t>> lists) {
  Graph g{.size = std::ssize(lists), .starts = {0}};
  for (auto& list : lists) {
    std::ranges::sort(list);
    list.erase(std::unique(list.begin(), list.end()), list.end());
    g.neighbours.insert(g.neighbours.end(), list.begin(), list.end());
    g.starts.push_back(std::ssize(g.neighbours));
  }
  g.weights.assign(g.neighbours.size(), 1);
  return g;
}

Graph neighbours(const Vertices& v, int k) {
  std::vector<std::vector<std::int32_t>> lists(std::size_t(v.m));
  for_rows(v, [&](std::int64_t i, const std::vector<double>& dist) { lists[std::size_t(i)] = nearest(i, dist, k); });
  auto both = lists;
  for (std::int32_t i = 0; i < v.m; ++i)
    for (const std::int32_t j : lists[std::size_t(i)]) both[std::size_t(j)].push_back(i);
  return of_lists(std::move(both));
}

Graph epsilon(const Vertices& v, const Similarity& wanted) {
  double radius = wanted.scale;
  if (radius == 0) radius = std::ranges::max(to_neighbour(v, wanted.neighbours)) * (1 + 1e-12);  // a square root and a square are apart by an ulp
  std::vector<std::vector<std::int32_t>> lists(std::size_t(v.m));
  for_rows(v, [&](std::int64_t i, const std::vector<double>& dist) {
    for (std::int32_t j = 0; j < v.m; ++j)
      if (j != i && dist[std::size_t(j)] <= radius * radius) lists[std::size_t(i)].push_back(j);
  });
  return of_lists(std::move(lists));
}

void weigh(Graph& g, const std::vector<std::int64_t>& sizes) {
  for (std::int64_t i = 0; i < g.size; ++i) {
    const double own = double(sizes[std::size_t(i)]);
    if (g.is_dense())
      for (std::int64_t j = 0; j < g.size; ++j) g.dense[std::size_t(i * g.size + j)] *= own * double(sizes[std::size_t(j)]);
    else
      for (auto at = std::size_t(g.starts[std::size_t(i)]); at < std::size_t(g.starts[std::size_t(i) + 1]); ++at)
        g.weights[at] *= own * double(sizes[std::size_t(g.neighbours[at])]);
  }
}

}  // namespace

Graph similarity_graph(const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d, const Similarity& wanted) {
  const Vertices v{vertices, std::ssize(sizes), d};
  Graph g = wanted.kind == "gaussian"  ? gaussian(v, wanted)
            : wanted.kind == "cosine"  ? cosine(v)
            : wanted.kind == "epsilon" ? epsilon(v, wanted)
                                       : neighbours(v, wanted.neighbours);
  if (wanted.sizes) weigh(g, sizes);
  return g;
}

}  // namespace km::spectral
