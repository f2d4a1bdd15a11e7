// Judges a similarity graph by the definition of its weights (he2021, Section 2.1).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "bench/judge/chain.hpp"
#include "bench/judge/draws.hpp"
#include "bench/judge/judge.hpp"

namespace km {
namespace {

constexpr std::int64_t sampled_rows = 400;

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
    for (const auto& [dist, next] : reach_) {
      radius_ = std::max(radius_, std::sqrt(dist));
      if (dist > 0) least_ = std::min(least_, dist);
    }
  }

  /// The bounds of the weight between two vertices: equal but at an edge of epsilon that rounding decides.
  std::pair<double, double> weight(std::int64_t i, std::int64_t j) const {
    if (i == j) return {0, 0};
    const double factor = weighted_ ? double(sizes_[std::size_t(i)]) * double(sizes_[std::size_t(j)]) : 1;
    const double dist = squared_distance(&x_[std::size_t(i * d_)], &x_[std::size_t(j * d_)], d_);
    const auto exactly = [&](double weight) { return std::pair(factor * weight, factor * weight); };
    const auto linked = [&](bool surely, bool maybe) { return std::pair(surely ? factor : 0, maybe ? factor : 0); };
    if (kind_ == "gaussian") return exactly(std::exp(-dist / (scale_ > 0 ? 2 * scale_ * scale_ : local(i) * local(j))));
    if (kind_ == "cosine") return exactly(cosine(i, j));
    if (kind_ == "neighbours") return linked(surely_near(i, dist) || surely_near(j, dist), maybe_near(i, dist) || maybe_near(j, dist));
    const double radius = scale_ > 0 ? scale_ : radius_, doubt = 1e-9 * radius;
    return linked(std::sqrt(dist) <= radius - doubt, std::sqrt(dist) <= radius + doubt);
  }

 private:
  double cosine(std::int64_t i, std::int64_t j) const {
    const double *const a = &x_[std::size_t(i * d_)], *const b = &x_[std::size_t(j * d_)];
    const double squares = squared_norm(a, d_) * squared_norm(b, d_);
    return squares > 0 ? std::max(0.0, std::inner_product(a, a + d_, b, 0.0) / std::sqrt(squares)) : 0;
  }

  /// The scale of one end of an edge.
  double local(std::int64_t i) const {
    const double dist = reach_[std::size_t(i)].first;
    return std::sqrt(dist > 0 ? dist : std::isfinite(least_) ? least_ : 1);
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
  double radius_ = 0, least_ = std::numeric_limits<double>::infinity();  // of the distances, and of the squared ones above 0
};

std::vector<double> dense_row(const Graph& g, std::int64_t i) {
  std::vector<double> row(std::size_t(g.size), 0);
  g.visit(i, [&](std::int64_t j, double weight) { row[std::size_t(j)] = weight; });
  return row;
}

void check_form(const Graph& g, std::int64_t m) {
  if (g.size != m) throw Refusal{fmt::format("similarity: {} vertices for {} representatives", g.size, m)};
  if (g.is_dense() && std::ssize(g.dense) != m * m) throw Refusal{"similarity: a dense graph of another size"};
  if (g.is_dense()) return;
  const bool whole = std::ssize(g.starts) == m + 1 && g.starts.front() == 0 && g.starts.back() == std::ssize(g.weights) &&
                     g.weights.size() == g.neighbours.size() && std::ranges::is_sorted(g.starts);
  if (!whole) throw Refusal{"similarity: rows of a sparse graph do not fit together"};
  const bool inside = std::ranges::all_of(g.neighbours, [&](std::int32_t j) { return j >= 0 && j < m; });
  if (!inside) throw Refusal{"similarity: an edge leads to no vertex"};
}

}  // namespace

void check_graph(const Graph& g, const std::vector<double>& vertices, const std::vector<std::int64_t>& sizes, int d, const Config& config) {
  const auto m = std::ssize(sizes);
  check_form(g, m);
  const Definition definition(vertices, sizes, d, config);
  std::mt19937_64 draws = judge_draws();
  for (const std::int64_t i : spread_sample(m, std::min<std::int64_t>(m, sampled_rows), draws)) {
    const std::vector<double> row = dense_row(g, i);
    for (std::int64_t j = 0; j < m; ++j) {
      const double weight = row[std::size_t(j)];
      const auto [low, high] = definition.weight(i, j);
      if (!(weight >= low - 1e-9 * low - 1e-290 && weight <= high + 1e-9 * high + 1e-290))
        throw Refusal{fmt::format("similarity: vertices {} and {} have {:.9g}, its definition gives {:.9g}", i, j, weight, low)};
      double back = 0;
      if (g.is_dense()) back = g.dense[std::size_t(j * m + i)];
      else g.visit(j, [&](std::int64_t other, double w) { back = other == i ? w : back; });
      if (std::abs(back - weight) > 1e-12 * weight + 1e-290)
        throw Refusal{fmt::format("similarity: vertices {} and {} have {:.9g} one way, {:.9g} the other", i, j, weight, back)};
    }
  }
}

}  // namespace km
