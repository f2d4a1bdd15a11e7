#include "impl/cpu/spectral/laplacian.hpp"

#include <algorithm>
#include <cmath>

namespace km::spectral {
namespace {

/// The graph of these vertices, ascending, which have no edges to others.
Graph part_of(const Graph& g, std::span<const std::int32_t> vertices, std::span<const std::int32_t> place) {
  Graph part{.size = std::ssize(vertices)};
  if (!g.is_dense()) part.starts = {0};
  for (const std::int32_t i : vertices) {
    if (g.is_dense())
      for (const std::int32_t j : vertices) part.dense.push_back(g.dense[std::size_t(i * g.size + j)]);
    else {
      g.visit(i, [&](std::int64_t j, double weight) {
        part.neighbours.push_back(place[std::size_t(j)]);
        part.weights.push_back(weight);
      });
      part.starts.push_back(std::ssize(part.neighbours));
    }
  }
  return part;
}

/// An eigenpair of a component, in that component's numbering.
struct Found {
  double value;
  std::size_t component;
  const double* vector;
};

}  // namespace

Laplacian::Laplacian(const Graph& similarities, bool normalized)
    : graph(similarities), diagonal(similarities.degrees()), scale(diagonal.size(), 1), bound(2) {
  if (normalized)
    for (std::size_t i = 0; i < scale.size(); ++i) {  // a vertex without edges has a row of zeros
      scale[i] = diagonal[i] > 0 ? 1 / std::sqrt(diagonal[i]) : 0;
      diagonal[i] = diagonal[i] > 0 ? 1 : 0;
    }
  else bound = 2 * std::ranges::max(diagonal);
}

void Laplacian::multiply(const double* x, double* y) const {
  std::vector<double> scaled(scale.size());
  for (std::size_t i = 0; i < scale.size(); ++i) scaled[i] = scale[i] * x[i];
  const bool large = graph.is_dense() ? graph.size > 300 : std::ssize(graph.weights) > 100'000;  // else a thread wakes in vain
#pragma omp parallel for schedule(static) if (large)
  for (std::int64_t i = 0; i < graph.size; ++i) {
    double sum = 0;
    graph.visit(i, [&](std::int64_t j, double weight) { sum += weight * scaled[std::size_t(j)]; });
    y[i] = diagonal[std::size_t(i)] * x[i] - scale[std::size_t(i)] * sum;
  }
}

std::vector<double> Laplacian::dense() const {
  const auto m = std::size_t(graph.size);
  std::vector<double> a(m * m);
#pragma omp parallel for schedule(static)
  for (std::int64_t i = 0; i < graph.size; ++i) {
    double* const row = a.data() + std::size_t(i) * m;
    graph.visit(i, [&](std::int64_t j, double weight) { row[j] = -scale[std::size_t(i)] * weight * scale[std::size_t(j)]; });
    row[i] += diagonal[std::size_t(i)];
  }
  return a;
}

std::vector<std::int32_t> components_of(const Graph& graph) {
  std::vector<std::int32_t> component(std::size_t(graph.size), -1), waiting;
  for (std::int32_t first = 0, count = 0; first < graph.size; ++first) {
    if (component[std::size_t(first)] >= 0) continue;
    component[std::size_t(first)] = count;
    waiting = {first};
    while (!waiting.empty()) {
      const std::int32_t i = waiting.back();
      waiting.pop_back();
      graph.visit(i, [&](std::int64_t j, double weight) {
        if (weight <= 0 || component[std::size_t(j)] >= 0) return;
        component[std::size_t(j)] = count;
        waiting.push_back(std::int32_t(j));
      });
    }
    ++count;
  }
  return component;
}

Eigenpairs first_eigenpairs(const Graph& graph, std::span<const std::int32_t> components, const std::string& laplacian, int count,
                            const Eigensolver& solve) {
  const auto m = std::size_t(graph.size);
  std::vector<std::vector<std::int32_t>> members(std::size_t(std::ranges::max(components)) + 1);
  std::vector<std::int32_t> place(m);
  for (std::size_t i = 0; i < m; ++i) {
    auto& component = members[std::size_t(components[i])];
    place[i] = std::int32_t(component.size());
    component.push_back(std::int32_t(i));
  }
  std::vector<Eigenpairs> solved(members.size());
  std::vector<Found> all;
  for (std::size_t p = 0; p < members.size(); ++p) {
    const std::size_t size = members[p].size();
    const Graph part = members.size() > 1 ? part_of(graph, members[p], place) : Graph{};
    const Laplacian matrix(members.size() > 1 ? part : graph, laplacian != "unnormalized");
    solved[p] = size == 1 ? Eigenpairs{.values = {0}, .vectors = {1}} : solve(matrix, int(std::min<std::size_t>(std::size_t(count), size)));
    for (std::size_t e = 0; e < solved[p].values.size(); ++e) {
      const double value = std::abs(solved[p].values[e]) < 1e-12 * matrix.bound ? 0 : solved[p].values[e];
      all.push_back({e == 0 ? 0 : value, p, solved[p].vectors.data() + e * size});  // a connected graph has one zero, and it is the first
    }
  }
  std::ranges::stable_sort(all, [&](const Found& a, const Found& b) {
    return a.value != b.value ? a.value < b.value : members[a.component].size() > members[b.component].size();
  });
  all.resize(std::min(all.size(), std::size_t(count)));

  const std::vector<double> degrees = laplacian == "random_walk" ? graph.degrees() : std::vector<double>();
  Eigenpairs merged{.values = {}, .vectors = std::vector<double>(all.size() * m)};
  for (const Eigenpairs& part : solved) merged.transfer_s += part.transfer_s;
  for (std::size_t e = 0; e < all.size(); ++e) {
    merged.values.push_back(all[e].value);
    const auto& vertices = members[all[e].component];
    for (std::size_t at = 0; at < vertices.size(); ++at) {
      const auto i = std::size_t(vertices[at]);
      const double factor = degrees.empty() || degrees[i] <= 0 ? 1 : 1 / std::sqrt(degrees[i]);
      merged.vectors[e * m + i] = factor * all[e].vector[at];
    }
  }
  return merged;
}

}  // namespace km::spectral
