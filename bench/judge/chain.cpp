#include "bench/judge/chain.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/judge/judge.hpp"

namespace km {
namespace {

/// Judges a k-means of these points. Refuses a wrong one as one of this stage.
template <class T>
Judgement judge_inner(const char* stage, const InnerRun<T>& run, std::span<const T> points) {
  const Problem<T> problem{run.shape, points, run.start};
  Judgement found = Judge<T>(problem, run.implementation->description, run.config)(run.solution);
  if (!found.verdict.empty()) throw Refusal{fmt::format("{}: {}", stage, found.verdict)};
  return found;
}

/// Vertices must be the representatives that have points, in their order, and sizes their numbers of points.
template <class T>
void check_vertices(const Problem<T>& p, const ChainRecord<T>& r) {
  const auto m = std::ssize(r.sizes);
  if (std::ssize(r.vertex_of) != p.n || std::ssize(r.vertices) != m * p.d)
    throw Refusal{"representatives: the record has another number of points or vertices"};
  const auto& inner = r.reduction.solution;
  std::vector<std::int64_t> sizes(std::size_t(m), 0), owner(std::size_t(m), -1);
  for (std::int64_t i = 0; i < p.n; ++i) {
    const auto v = r.vertex_of[std::size_t(i)];
    if (v < 0 || v >= m) throw Refusal{fmt::format("representatives: a point belongs to vertex {} of {}", v, m)};
    ++sizes[std::size_t(v)];
    const std::int64_t own = r.reduction.implementation ? inner.labels[std::size_t(i)] : i;
    const std::int64_t first = std::exchange(owner[std::size_t(v)], own);
    if (first >= 0 && first != own) throw Refusal{fmt::format("representatives: point {} shares a vertex with points of another", i)};
  }
  if (sizes != r.sizes) throw Refusal{"representatives: their sizes are not the numbers of their points"};
  for (std::int64_t v = 0; v < m; ++v)
    for (int j = 0; j < p.d; ++j) {
      const auto at = std::size_t(owner[std::size_t(v)] * p.d + j);
      if (r.vertices[std::size_t(v * p.d + j)] != double(r.reduction.implementation ? inner.centroids[at] : p.points[at]))
        throw Refusal{fmt::format("representatives: vertex {} is not its representative", v)};
    }
}

/// Checks the embedding and judges the k-means of its rows that are not zero. Returns the vertices of these rows.
template <class T>
std::vector<std::size_t> judge_clusters(const Config& config, const ChainRecord<T>& r, std::size_t k) {
  const auto m = r.sizes.size();
  if (r.embedding.size() != m * k) throw Refusal{"embedding: it has another number of values"};
  std::vector<double> rows;
  std::vector<std::size_t> clustered;
  for (std::size_t i = 0; i < m; ++i) {
    double square = 0;
    for (std::size_t e = 0; e < k; ++e) square += std::pow(r.first.vectors[e * m + i], 2);
    const double length = config.word("rows") == "unit" && square > 0 ? std::sqrt(square) : 1;
    for (std::size_t e = 0; e < k; ++e)
      if (!(std::abs(r.embedding[i * k + e] - r.first.vectors[e * m + i] / length) <= 1e-12))
        throw Refusal{fmt::format("embedding: row {} is not that of the eigenvectors", i)};
    if (square == 0) continue;
    clustered.push_back(i);
    rows.insert(rows.end(), r.embedding.begin() + std::ptrdiff_t(i * k), r.embedding.begin() + std::ptrdiff_t((i + 1) * k));
  }
  const ProblemShape& ran = r.clustering.shape;
  if (!r.clustering.implementation || ran.n != std::ssize(clustered) || std::size_t(ran.n * ran.d) != rows.size())
    throw Refusal{"clusters: k-means ran on other rows than the embedding's"};
  judge_inner<double>("clusters", r.clustering, rows);
  return clustered;
}

template <class T>
void check_return(const Problem<T>& p, const ChainRecord<T>& r, const std::vector<std::size_t>& clustered, std::span<const std::int32_t> labels) {
  if (r.vertex_label.size() != r.sizes.size()) throw Refusal{"labels: another number of vertices has one"};
  std::vector<bool> has_row(r.sizes.size(), false);
  for (std::size_t at = 0; at < clustered.size(); ++at) {
    has_row[clustered[at]] = true;
    if (r.vertex_label[clustered[at]] != r.clustering.solution.labels[at])
      throw Refusal{fmt::format("labels: vertex {} has not the label of its row of the embedding", clustered[at])};
  }
  for (std::int64_t i = 0; i < std::ssize(has_row); ++i) {
    if (has_row[std::size_t(i)]) continue;
    double own = -1, least = -1;  // squared distances to the nearest vertex with this label, and to any
    for (const std::size_t j : clustered) {
      const double dist = squared_distance(&r.vertices[std::size_t(i * p.d)], &r.vertices[j * std::size_t(p.d)], p.d);
      if (least < 0 || dist < least) least = dist;
      if (r.vertex_label[j] == r.vertex_label[std::size_t(i)] && (own < 0 || dist < own)) own = dist;
    }
    if (own < 0 || own > least * (1 + 1e-12))
      throw Refusal{fmt::format("labels: vertex {} has a zero row but not the label of its nearest vertex", i)};
  }
  for (std::int64_t i = 0; i < p.n; ++i)
    if (const auto of_vertex = r.vertex_label[std::size_t(r.vertex_of[std::size_t(i)])]; labels[std::size_t(i)] != of_vertex)
      throw Refusal{fmt::format("labels: point {} has {}, its representative {}", i, labels[std::size_t(i)], of_vertex)};
}

}  // namespace

template <class T>
ChainJudgement judge_chain(const Problem<T>& p, const Config& config, const ChainRecord<T>& r, std::span<const std::int32_t> labels) {
  ChainJudgement out;
  try {
    if (const std::string why = explain_labels(labels, p.n, p.k); !why.empty()) throw Refusal{why};
    if (r.reduction.implementation) {
      if (r.reduction.shape.n != p.n || r.reduction.shape.d != p.d) throw Refusal{"representatives: k-means ran on other points"};
      out.inertia = judge_inner("representatives", r.reduction, p.points).inertia;
    }
    check_vertices(p, r);
    check_graph(r.graph, r.vertices, r.sizes, p.d, config);
    check_eigenpairs(r.graph, config.word("laplacian"), r.first, p.k, out);
    check_return(p, r, judge_clusters(config, r, std::size_t(p.k)), labels);
  } catch (const Refusal& refusal) {
    out.verdict = refusal.sentence;
  }
  return out;
}

template ChainJudgement judge_chain(const Problem<float>&, const Config&, const ChainRecord<float>&, std::span<const std::int32_t>);
template ChainJudgement judge_chain(const Problem<double>&, const Config&, const ChainRecord<double>&, std::span<const std::int32_t>);

}  // namespace km
