// Judges eigenpairs of a graph's Laplacian: residual, orthogonality, and that none smaller is left out.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/judge/chain.hpp"

namespace km {
namespace {

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

std::string explain_pairs(const Laplacian& l, const Eigenpairs& found, int k, ChainJudgement& out) {
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

}  // namespace

std::string explain_eigenpairs(const Graph& graph, const std::string& laplacian, const Eigenpairs& found, int k, ChainJudgement& out) {
  const Laplacian l{graph, laplacian, graph.degrees()};
  const std::string why = explain_pairs(l, found, k, out);
  return why.empty() ? explain_smallest(l, found.values, k, out) : why;
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
