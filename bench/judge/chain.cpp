#include "bench/judge/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "bench/judge/draws.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

constexpr std::int64_t sampled_rows = 400;

template <class T>
Judgement judge_inner(const InnerRun<T>& run, std::span<const T> points) {
  const Problem<T> problem{run.shape, points, run.start};
  return Judge<T>(problem, run.implementation->description, run.config)(run.solution);
}

// ---- representatives ----------------------------------------------------------------------------------------------------------

/// Vertices must be the representatives that have points, in their order, and sizes their numbers of points.
template <class T>
std::string explain_vertices(const Problem<T>& p, const ChainRecord<T>& r) {
  const auto m = std::ssize(r.sizes);
  if (std::ssize(r.vertex_of) != p.n || std::ssize(r.vertices) != m * p.d)
    return "representatives: the record has another number of points or vertices";
  std::vector<std::int64_t> sizes(std::size_t(m), 0);
  for (const auto v : r.vertex_of) {
    if (v < 0 || v >= m) return fmt::format("representatives: a point belongs to vertex {} of {}", v, m);
    ++sizes[std::size_t(v)];
  }
  if (sizes != r.sizes) return "representatives: their sizes are not the numbers of their points";
  const auto& inner = r.reduction.solution;
  std::vector<std::int64_t> owner(std::size_t(m), -1);
  for (std::int64_t i = 0; i < p.n; ++i) {
    const std::int64_t own = r.reduction.implementation ? inner.labels[std::size_t(i)] : i;
    std::int64_t& first = owner[std::size_t(r.vertex_of[std::size_t(i)])];
    if (first >= 0 && first != own) return fmt::format("representatives: point {} shares a vertex with points of another", i);
    first = own;
  }
  for (std::int64_t v = 0; v < m; ++v)
    for (int j = 0; j < p.d; ++j) {
      const auto at = std::size_t(owner[std::size_t(v)] * p.d + j);
      if (r.vertices[std::size_t(v * p.d + j)] != double(r.reduction.implementation ? inner.centroids[at] : p.points[at]))
        return fmt::format("representatives: vertex {} is not its representative", v);
    }
  return "";
}

// ---- similarity ---------------------------------------------------------------------------------------------------------------

/// Similarities by their definition, from one pair's point of view. Slow: sorts all distances of a row.
class Definition {
 public:
  Definition(const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d, const Config& config)
      : x_(vertices), sizes_(sizes), m_(std::ssize(sizes)), d_(d), kind_(config.word("similarity")), scale_(double(config.number("scale_e6")) / 1e6),
        k_(std::min(config.number("neighbours"), m_ - 1)), weighted_(config.word("weights") == "sizes") {
    if (kind_ == "cosine" || (kind_ != "neighbours" && scale_ > 0)) return;
    reach_.resize(std::size_t(m_));
#pragma omp parallel for schedule(dynamic, 16)
    for (std::int64_t i = 0; i < m_; ++i) reach_[std::size_t(i)] = reach_of(i);
    double least = 0;
    for (const auto& [dist, next] : reach_)
      if (dist > 0 && (least == 0 || dist < least)) least = dist;
    for (const auto& [dist, next] : reach_) {
      radius_ = std::max(radius_, std::sqrt(dist));
      local_.push_back(std::sqrt(dist > 0 ? dist : least > 0 ? least : 1));
    }
  }

  /// The bounds of the weight between two vertices: equal but at an edge of epsilon that rounding decides.
  std::pair<double, double> weight(std::int64_t i, std::int64_t j) const {
    if (i == j) return {0, 0};
    const double factor = weighted_ ? double(sizes_[std::size_t(i)]) * double(sizes_[std::size_t(j)]) : 1;
    const double dist = squared_distance(&x_[std::size_t(i * d_)], &x_[std::size_t(j * d_)], d_);
    if (kind_ == "gaussian") {
      const double scale2 = scale_ > 0 ? 2 * scale_ * scale_ : local_[std::size_t(i)] * local_[std::size_t(j)];
      return {factor * std::exp(-dist / scale2), factor * std::exp(-dist / scale2)};
    }
    if (kind_ == "cosine") return {factor * cosine(i, j), factor * cosine(i, j)};
    if (kind_ == "epsilon") {
      const double radius = scale_ > 0 ? scale_ : radius_, doubt = 1e-9 * radius;
      return {std::sqrt(dist) <= radius - doubt ? factor : 0, std::sqrt(dist) <= radius + doubt ? factor : 0};
    }
    return {surely_near(i, dist) || surely_near(j, dist) ? factor : 0, maybe_near(i, dist) || maybe_near(j, dist) ? factor : 0};
  }

 private:
  double cosine(std::int64_t i, std::int64_t j) const {
    double dot = 0, own = 0, other = 0;
    for (int c = 0; c < d_; ++c) {
      const double a = x_[std::size_t(i * d_ + c)], b = x_[std::size_t(j * d_ + c)];
      dot += a * b, own += a * a, other += b * b;
    }
    return own > 0 && other > 0 ? std::max(0.0, dot / std::sqrt(own * other)) : 0;
  }

  /// Rounding may order two distances that differ by less than tie, so either of them may be the neighbour.
  bool surely_near(std::int64_t i, double dist) const {
    const auto [kth, next] = reach_[std::size_t(i)];
    return dist < kth * (1 - tie) || (dist <= kth && next > kth * (1 + tie));
  }
  bool maybe_near(std::int64_t i, double dist) const { return dist <= reach_[std::size_t(i)].first * (1 + tie); }

  /// Squared distances to the k-th neighbour and to the next.
  std::pair<double, double> reach_of(std::int64_t i) const {
    constexpr double none = std::numeric_limits<double>::max();
    std::vector<double> all;
    for (std::int64_t j = 0; j < m_; ++j)
      if (j != i) all.push_back(squared_distance(&x_[std::size_t(i * d_)], &x_[std::size_t(j * d_)], d_));
    std::ranges::sort(all);
    all.push_back(none);
    return k_ < 1 ? std::pair(0.0, none) : std::pair(all[std::size_t(k_) - 1], all[std::size_t(k_)]);
  }

  static constexpr double tie = 1e-12;

  const std::vector<double>& x_;
  const std::vector<std::int64_t>& sizes_;
  std::int64_t m_;
  int d_;
  std::string kind_;
  double scale_;
  std::int64_t k_;
  bool weighted_;
  std::vector<std::pair<double, double>> reach_;
  std::vector<double> local_;
  double radius_ = 0;
};

std::vector<double> dense_row(const Graph& g, std::int64_t i) {
  std::vector<double> row(std::size_t(g.size), 0);
  g.visit(i, [&](std::int64_t j, double weight) { row[std::size_t(j)] = weight; });
  return row;
}

std::string explain_form(const Graph& g, std::int64_t m) {
  if (g.size != m) return fmt::format("similarity: {} vertices for {} representatives", g.size, m);
  if (g.is_dense()) return std::ssize(g.dense) == m * m ? "" : "similarity: a dense graph of another size";
  const bool whole = std::ssize(g.starts) == m + 1 && g.starts.front() == 0 && g.starts.back() == std::ssize(g.weights) &&
                     g.weights.size() == g.neighbours.size() && std::ranges::is_sorted(g.starts);
  if (!whole) return "similarity: rows of a sparse graph do not fit together";
  const bool inside = std::ranges::all_of(g.neighbours, [&](std::int32_t j) { return j >= 0 && j < m; });
  return inside ? "" : "similarity: an edge leads to no vertex";
}

template <class T>
std::string explain_graph(const Problem<T>& p, const Config& config, const ChainRecord<T>& r) {
  const Graph& g = r.graph;
  const auto m = std::ssize(r.sizes);
  if (std::string why = explain_form(g, m); !why.empty()) return why;
  const Definition definition(r.vertices, r.sizes, p.d, config);
  std::mt19937_64 draws = judge_draws();
  for (const std::int64_t i : spread_sample(m, std::min<std::int64_t>(m, sampled_rows), draws)) {
    const std::vector<double> row = dense_row(g, i);
    for (std::int64_t j = 0; j < m; ++j) {
      const double weight = row[std::size_t(j)];
      const auto [low, high] = definition.weight(i, j);
      if (!(weight >= low - 1e-9 * low - 1e-290 && weight <= high + 1e-9 * high + 1e-290))
        return fmt::format("similarity: vertices {} and {} have {:.9g}, its definition gives {:.9g}", i, j, weight, low);
      double back = 0;
      if (g.is_dense()) back = g.dense[std::size_t(j * m + i)];
      else g.visit(j, [&](std::int64_t other, double w) { back = other == i ? w : back; });
      if (std::abs(back - weight) > 1e-12 * weight + 1e-290)
        return fmt::format("similarity: vertices {} and {} have {:.9g} one way, {:.9g} the other", i, j, weight, back);
    }
  }
  return "";
}

// ---- eigenvectors -------------------------------------------------------------------------------------------------------------

/// The Laplacian by its definition (he2021, Section 2.1): L = D - S, and what normalizes it.
struct Laplacian {
  const Graph& graph;
  std::string kind;
  std::vector<double> degrees;

  /// Largest row sum of |L|, a bound of every eigenvalue.
  double norm() const { return kind == "symmetric" ? 2 : 2 * std::max(std::ranges::max(degrees), 1e-300); }

  /// L v - λ v; for the random walk D (Lrw v - λ v).
  std::vector<double> residual(const double* v, double value) const {
    std::vector<double> out(degrees.size());
#pragma omp parallel for schedule(static)
    for (std::int64_t i = 0; i < graph.size; ++i) {
      double sum = 0;
      const double degree = degrees[std::size_t(i)];
      graph.visit(i, [&](std::int64_t j, double weight) { sum += weight * v[j] * (kind == "symmetric" ? inverse_root(j) : 1); });
      if (kind == "symmetric") out[std::size_t(i)] = (degree > 0 ? v[i] : 0) - inverse_root(i) * sum - value * v[i];
      else out[std::size_t(i)] = degree * v[i] - sum - value * v[i] * (kind == "random_walk" ? degree : 1);
    }
    return out;
  }

  double inverse_root(std::int64_t i) const { return degrees[std::size_t(i)] > 0 ? 1 / std::sqrt(degrees[std::size_t(i)]) : 0; }

  /// Row-major. The random walk has the symmetric one's eigenvalues.
  std::vector<double> dense() const {
    const auto m = std::size_t(graph.size);
    std::vector<double> a(m * m);
    for (std::int64_t i = 0; i < graph.size; ++i) {
      const bool normalized = kind != "unnormalized";
      graph.visit(i, [&](std::int64_t j, double w) {
        a[std::size_t(i) * m + std::size_t(j)] = -w * (normalized ? inverse_root(i) * inverse_root(j) : 1);
      });
      a[std::size_t(i) * (m + 1)] += normalized ? double(degrees[std::size_t(i)] > 0) : degrees[std::size_t(i)];
    }
    return a;
  }
};

/// Inner product in which eigenvectors are orthogonal: weighted by degrees for the random walk. A vertex without edges weighs 1.
double product(const Laplacian& l, const double* v, const double* w) {
  double sum = 0;
  for (std::size_t i = 0; i < l.degrees.size(); ++i) sum += v[i] * w[i] * (l.kind == "random_walk" && l.degrees[i] > 0 ? l.degrees[i] : 1);
  return sum;
}

std::string explain_eigenpairs(const Laplacian& l, const Eigenpairs& found, int k, ChainJudgement& out) {
  const auto m = l.degrees.size(), count = found.values.size();
  if (count < std::size_t(k) || found.vectors.size() != count * m) return fmt::format("eigenvectors: {} for {} clusters", count, k);
  if (!std::ranges::is_sorted(found.values)) return "eigenvectors: the eigenvalues do not ascend";
  for (const double x : found.vectors)
    if (!std::isfinite(x)) return fmt::format("eigenvectors: a value is {}", x);
  for (std::size_t e = 0; e < count; ++e) {
    const double* const v = found.vectors.data() + e * m;
    double square = 0, length = 0;
    for (const double x : l.residual(v, found.values[e])) square += x * x;
    for (std::size_t i = 0; i < m; ++i) length += v[i] * v[i];
    out.residual = std::max(out.residual, std::sqrt(square / std::max(length, 1e-300)) / l.norm());
    for (std::size_t f = 0; f <= e; ++f)
      out.orthogonality = std::max(out.orthogonality, std::abs(product(l, v, found.vectors.data() + f * m) - (e == f ? 1 : 0)));
  }
  if (!(out.residual <= most_residual))
    return fmt::format("eigenvectors: residual {:.3g} |L|, at most {:.3g} is explained", out.residual, most_residual);
  if (!(out.orthogonality <= most_skew))
    return fmt::format("eigenvectors: they are orthogonal to {:.3g}, at most {:.3g} is explained", out.orthogonality, most_skew);
  return "";
}

/// No other eigenvalue may lie below the k-th: as many are below it, less a margin, as were found there.
std::string explain_smallest(const Laplacian& l, const std::vector<double>& values, int k, ChainJudgement& out) {
  if (l.graph.size > most_counted) return "";
  const double norm = l.kind == "unnormalized" ? l.norm() : 2;
  const std::vector<double> matrix = l.dense();
  for (double margin = 1e-7 * norm; margin < 1e-5 * norm; margin *= 3) {
    const double shift = values[std::size_t(k) - 1] - margin;
    const auto expected = std::ranges::count_if(values, [&](double value) { return value < shift; });
    if (std::ranges::any_of(values, [&](double value) { return std::abs(value - shift) < margin / 4; })) continue;  // too near to tell
    const auto counted = count_below(matrix, l.graph.size, shift);
    if (counted < 0) continue;
    out.counted = true;
    if (counted == expected) return "";
    return fmt::format("eigenvectors: {} eigenvalues lie below {:.6g}, {} of them were found", counted, shift, expected);
  }
  return "";
}

// ---- embedding and labels -----------------------------------------------------------------------------------------------------

template <class T>
std::string explain_embedding(const Config& config, const ChainRecord<T>& r, std::size_t k, std::vector<double>& rows,
                              std::vector<std::size_t>& clustered) {
  const auto m = r.sizes.size();
  if (r.embedding.size() != m * k) return "embedding: it has another number of values";
  for (std::size_t i = 0; i < m; ++i) {
    double square = 0;
    for (std::size_t e = 0; e < k; ++e) square += std::pow(r.first.vectors[e * m + i], 2);
    const double length = config.word("rows") == "unit" && square > 0 ? std::sqrt(square) : 1;
    for (std::size_t e = 0; e < k; ++e)
      if (!(std::abs(r.embedding[i * k + e] - r.first.vectors[e * m + i] / length) <= 1e-12))
        return fmt::format("embedding: row {} is not that of the eigenvectors", i);
    if (square == 0) continue;
    clustered.push_back(i);
    rows.insert(rows.end(), r.embedding.begin() + std::ptrdiff_t(i * k), r.embedding.begin() + std::ptrdiff_t((i + 1) * k));
  }
  return "";
}

template <class T>
std::string explain_return(const Problem<T>& p, const ChainRecord<T>& r, const std::vector<std::size_t>& clustered,
                           std::span<const std::int32_t> labels) {
  if (r.vertex_label.size() != r.sizes.size()) return "labels: another number of vertices has one";
  std::vector<bool> has_row(r.sizes.size(), false);
  for (std::size_t at = 0; at < clustered.size(); ++at) {
    has_row[clustered[at]] = true;
    if (r.vertex_label[clustered[at]] != r.clustering.solution.labels[at])
      return fmt::format("labels: vertex {} has not the label of its row of the embedding", clustered[at]);
  }
  for (std::int64_t i = 0; i < std::ssize(has_row); ++i) {
    if (has_row[std::size_t(i)]) continue;
    double own = -1, least = -1;  // squared distances to the nearest vertex with this label, and to any
    for (const std::size_t j : clustered) {
      const double dist = squared_distance(&r.vertices[std::size_t(i * p.d)], &r.vertices[j * std::size_t(p.d)], p.d);
      if (least < 0 || dist < least) least = dist;
      if (r.vertex_label[j] == r.vertex_label[std::size_t(i)] && (own < 0 || dist < own)) own = dist;
    }
    if (own < 0 || own > least * (1 + 1e-12)) return fmt::format("labels: vertex {} has a zero row but not the label of its nearest vertex", i);
  }
  for (std::int64_t i = 0; i < p.n; ++i)
    if (labels[std::size_t(i)] != r.vertex_label[std::size_t(r.vertex_of[std::size_t(i)])])
      return fmt::format("labels: point {} has {}, its representative {}", i, labels[std::size_t(i)],
                         r.vertex_label[std::size_t(r.vertex_of[std::size_t(i)])]);
  return "";
}

}  // namespace

std::string explain_labels(std::span<const std::int32_t> labels, std::int64_t n, int k) {
  if (std::ssize(labels) != n) return fmt::format("{} labels for {} points", labels.size(), n);
  const auto bad = std::ranges::find_if(labels, [&](std::int32_t label) { return label < 0 || label >= k; });
  return bad == labels.end() ? "" : fmt::format("point {} has label {}: labels are 0 to {}", bad - labels.begin(), *bad, k - 1);
}

std::int64_t count_below(std::vector<double> a, std::int64_t n, double shift) {
  double largest = 0;
  for (std::int64_t i = 0; i < n; ++i) a[std::size_t(i * (n + 1))] -= shift;
  for (const double x : a) largest = std::max(largest, std::abs(x));
  std::int64_t negative = 0;
  for (std::int64_t p = 0; p < n; ++p) {
    const double* const pivot_row = a.data() + p * n;
    const double pivot = pivot_row[p];
    double right = 0;
    for (std::int64_t j = p + 1; j < n; ++j) right = std::max(right, std::abs(pivot_row[j]));
    const bool grows = right * right > 1e6 * largest * std::abs(pivot);  // later entries would
    if (grows || !(std::abs(pivot) > 1e-14 * largest)) return -1;
    negative += pivot < 0;
#pragma omp parallel for schedule(static) if (n - p > 200)
    for (std::int64_t i = p + 1; i < n; ++i) {  // the upper triangle alone
      const double factor = pivot_row[i] / pivot;
      if (factor == 0) continue;
      double* const row = a.data() + i * n;
      for (std::int64_t j = i; j < n; ++j) row[j] -= factor * pivot_row[j];
    }
  }
  return negative;
}

template <class T>
ChainJudgement judge_chain(const Problem<T>& p, const Config& config, const ChainRecord<T>& r, std::span<const std::int32_t> labels) {
  ChainJudgement out;
  const auto wrong = [&](const std::string& verdict) { return !(out.verdict = verdict).empty(); };
  if (wrong(explain_labels(labels, p.n, p.k))) return out;
  if (r.reduction.implementation) {
    if ((r.reduction.shape.n != p.n || r.reduction.shape.d != p.d) && wrong("representatives: k-means ran on other points")) return out;
    const Judgement inner = judge_inner(r.reduction, p.points);
    out.inertia = inner.inertia;
    if (!inner.verdict.empty() && wrong("representatives: " + inner.verdict)) return out;
  }
  if (wrong(explain_vertices(p, r)) || wrong(explain_graph(p, config, r))) return out;
  const Laplacian laplacian{r.graph, config.word("laplacian"), r.graph.degrees()};
  if (wrong(explain_eigenpairs(laplacian, r.first, p.k, out)) || wrong(explain_smallest(laplacian, r.first.values, p.k, out))) return out;
  std::vector<double> rows;
  std::vector<std::size_t> clustered;
  if (wrong(explain_embedding(config, r, std::size_t(p.k), rows, clustered))) return out;
  const ProblemShape& ran = r.clustering.shape;
  const bool on_rows = r.clustering.implementation && ran.n == std::ssize(clustered) && std::size_t(ran.n * ran.d) == rows.size();
  if (!on_rows && wrong("clusters: k-means ran on other rows than the embedding's")) return out;
  if (const std::string inner = judge_inner<double>(r.clustering, rows).verdict; !inner.empty() && wrong("clusters: " + inner)) return out;
  wrong(explain_return(p, r, clustered, labels));
  return out;
}

template ChainJudgement judge_chain(const Problem<float>&, const Config&, const ChainRecord<float>&, std::span<const std::int32_t>);
template ChainJudgement judge_chain(const Problem<double>&, const Config&, const ChainRecord<double>&, std::span<const std::int32_t>);

}  // namespace km
