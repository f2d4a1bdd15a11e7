// Judges eigenpairs of a graph's Laplacian: residual, orthogonality, and that none smaller is left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/judge/chain.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

constexpr double most_residual = 1e-8, most_skew = 1e-8;  // deviation from orthogonality: what rounding and a converged solver explain
constexpr std::int64_t most_counted = 2000;               // vertices up to which eigenvalues are counted: m³ / 3 operations

/// A Laplacian by its definition (he2021, Section 2.1): L = diagonal - scale S scale. Eigenpairs solve L v = λ mass v.
struct Laplacian {
  const Graph& graph;
  std::vector<double> diagonal, scale, mass;
  double norm;  // at least the largest row sum of |L|, a bound of every eigenvalue

  Laplacian(const Graph& g, const std::string& kind) : graph(g), diagonal(g.degrees()), scale(diagonal.size(), 1), mass(diagonal.size(), 1) {
    norm = kind == "symmetric" ? 2 : 2 * std::max(std::ranges::max(diagonal), 1e-300);
    if (kind == "random_walk") mass = diagonal;
    if (kind != "symmetric") return;
    for (std::size_t i = 0; i < diagonal.size(); ++i) {
      scale[i] = diagonal[i] > 0 ? 1 / std::sqrt(diagonal[i]) : 0;
      diagonal[i] = diagonal[i] > 0;
    }
  }

  /// L v - λ mass v.
  std::vector<double> residual(const double* v, double value) const {
    std::vector<double> out(diagonal.size());
#pragma omp parallel for schedule(static)
    for (std::size_t i = 0; i < out.size(); ++i) {
      double sum = 0;
      graph.visit(std::int64_t(i), [&](std::int64_t j, double weight) { sum += weight * v[j] * scale[std::size_t(j)]; });
      out[i] = diagonal[i] * v[i] - scale[i] * sum - value * v[i] * mass[i];
    }
    return out;
  }

  /// Inner product in which eigenvectors are orthogonal. A vertex without edges weighs 1.
  double product(const double* v, const double* w) const {
    double sum = 0;
    for (std::size_t i = 0; i < mass.size(); ++i) sum += v[i] * (mass[i] > 0 ? mass[i] : 1) * w[i];  // v w may overflow
    return sum;
  }

  /// Row-major.
  std::vector<double> dense() const {
    const std::size_t m = diagonal.size();
    std::vector<double> a(m * m);
    for (std::size_t i = 0; i < m; ++i) {
      graph.visit(std::int64_t(i), [&](std::int64_t j, double w) { a[i * m + std::size_t(j)] = -w * (scale[i] * scale[std::size_t(j)]); });
      a[i * (m + 1)] += diagonal[i];
    }
    return a;
  }
};

void check_pairs(const Laplacian& l, const Eigenpairs& found, int k, ChainJudgement& out) {
  const auto m = l.diagonal.size(), count = found.values.size();
  if (count < std::size_t(k) || found.vectors.size() != count * m) throw Refusal{fmt::format("eigenvectors: {} for {} clusters", count, k)};
  if (!std::ranges::is_sorted(found.values)) throw Refusal{"eigenvectors: the eigenvalues do not ascend"};
  for (const double x : found.vectors)
    if (!std::isfinite(x)) throw Refusal{fmt::format("eigenvectors: a value is {}", x)};
  for (std::size_t e = 0; e < count; ++e) {
    const double* const v = found.vectors.data() + e * m;
    double square = 0;
    for (const double x : l.residual(v, found.values[e])) square += x * x;
    out.residual = std::max(out.residual, std::sqrt(square / std::max(squared_norm(v, int(m)), 1e-300)) / l.norm);
    for (std::size_t f = 0; f <= e; ++f)
      out.orthogonality = std::max(out.orthogonality, std::abs(l.product(v, found.vectors.data() + f * m) - (e == f ? 1 : 0)));
  }
  if (!(out.residual <= most_residual))
    throw Refusal{fmt::format("eigenvectors: residual {:.3g} |L|, at most {:.3g} is explained", out.residual, most_residual)};
  if (!(out.orthogonality <= most_skew))
    throw Refusal{fmt::format("eigenvectors: they are orthogonal to {:.3g}, at most {:.3g} is explained", out.orthogonality, most_skew)};
}

/// No other eigenvalue may lie below the k-th: as many are below it, less a margin, as were found there.
void check_smallest(const Laplacian& l, const std::vector<double>& values, int k, ChainJudgement& out) {
  const std::vector<double> matrix = l.dense();
  for (double margin = 1e-7 * l.norm; margin < 1e-5 * l.norm; margin *= 3) {
    const double shift = values[std::size_t(k) - 1] - margin;
    const auto expected = std::ranges::count_if(values, [&](double value) { return value < shift; });
    if (std::ranges::any_of(values, [&](double value) { return std::abs(value - shift) < margin / 4; })) continue;  // too near to tell
    const auto counted = count_below(matrix, l.graph.size, shift);
    if (counted < 0) continue;
    out.counted = true;
    if (counted == expected) return;
    throw Refusal{fmt::format("eigenvectors: {} eigenvalues lie below {:.6g}, {} of them were found", counted, shift, expected)};
  }
}

}  // namespace

void check_eigenpairs(const Graph& graph, const std::string& laplacian, const Eigenpairs& found, int k, ChainJudgement& out) {
  check_pairs(Laplacian(graph, laplacian), found, k, out);
  if (graph.size > most_counted) return;
  check_smallest(Laplacian(graph, laplacian == "random_walk" ? "symmetric" : laplacian), found.values, k, out);  // these have the same eigenvalues
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

}  // namespace km
