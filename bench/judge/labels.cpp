#include "bench/judge/errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "bench/base/exact.hpp"
#include "bench/base/vectors.hpp"
#include "bench/data/random.hpp"
#include "bench/judge/draws.hpp"

namespace km {
namespace {

/// Returns the points whose labels are judged: all, or a random sample in ascending order.
std::vector<std::int64_t> sample_points(const ProblemShape& p) {
  const double per_point = double(p.k) * p.d;
  if (double(p.n) * per_point <= label_budget || p.n <= 100'000) return {};
  std::mt19937_64 random(judge_seed() + std::uint64_t(p.n));
  return spread_sample(p.n, std::max<std::int64_t>(100'000, std::int64_t(label_budget / per_point)), random);
}

constexpr int strip = vector_bytes / sizeof(double);  // points per vector
using Values [[gnu::vector_size(strip * sizeof(double))]] = double;
using Indices [[gnu::vector_size(strip * sizeof(double))]] = std::int64_t;
using Words [[gnu::vector_size(strip * sizeof(double))]] = std::uint64_t;

/// The two least distances² of each of `strip` points (d x strip), and the index of the least.
struct Nearest {
  Values best = Values{} + std::numeric_limits<double>::infinity(), second = best;
  Indices index = {};
};

/// Calls f(at, length, columns) for each `strip` of the chosen points (none: of all): their numbers, how many there are, and the points as d x strip.
/// In a short strip the last point stands in for the rest. The threads of a parallel region share the strips.
template <class T, class F>
void for_strips(const Problem<T>& p, const std::vector<std::int64_t>& chosen, F f) {
  const std::int64_t n = chosen.empty() ? p.n : std::ssize(chosen);
  std::vector<double> columns(std::size_t(p.d) * strip);
#pragma omp for schedule(static)
  for (std::int64_t first = 0; first < n; first += strip) {
    const int length = int(std::min<std::int64_t>(strip, n - first));
    std::int64_t at[strip];
    for (int l = 0; l < strip; ++l) {
      at[l] = first + std::min(l, length - 1);
      if (!chosen.empty()) at[l] = chosen[std::size_t(at[l])];
    }
    for (int l = 0; l < strip; ++l)
      for (int j = 0; j < p.d; ++j) columns[j * strip + l] = double(p.points[std::size_t(at[l] * p.d + j)]);
    f(at, length, columns.data());
  }
}

/// Calls f(c, distances²) for every centroid c, in order. Four at a time, because the sum over the dimensions is a chain of dependent additions.
template <class T, class F>
[[gnu::always_inline]] inline void for_distances(const double* columns, const T* centroids, int d, int k, F f) {
  constexpr int at_once = 4;
  for (int c0 = 0; c0 < k; c0 += at_once) {
    const T* rows[at_once];
    for (int v = 0; v < at_once; ++v) rows[v] = centroids + std::size_t(std::min(c0 + v, k - 1)) * d;
    Values dist[at_once] = {};
    for (int j = 0; j < d; ++j) {
      Values x;
      std::memcpy(&x, columns + j * strip, sizeof x);
#pragma GCC unroll 4
      for (int v = 0; v < at_once; ++v) {
        const Values diff = x - double(rows[v][j]);
        dist[v] += diff * diff;
      }
    }
    for (int v = 0; v < at_once && c0 + v < k; ++v) f(c0 + v, dist[v]);
  }
}

template <class T>
Nearest nearest_of_strip(const double* columns, const T* centroids, int d, int k) {
  Nearest out;
  for_distances(columns, centroids, d, k, [&](int c, const Values& dist) {
    const Indices nearer = dist < out.best;
    const Values other = nearer ? out.best : dist;
    out.second = other < out.second ? other : out.second;
    out.index = nearer ? Indices{} + c : out.index;
    out.best = nearer ? dist : out.best;
  });
  return out;
}

/// The centroids that may be the nearest of each point, in order: fp64 cannot tell their distances² from the least. Twice the doubt, because
/// check_label() adds up in another order.
template <class T>
std::array<std::vector<int>, strip> close_calls(const double* columns, const T* centroids, int d, int k, const Nearest& nearest) {
  std::array<std::vector<int>, strip> close;
  for_distances(columns, centroids, d, k, [&](int c, const Values& dist) {
    const Indices further = dist - nearest.best > 2 * fp64_doubt(d) * (dist + nearest.best);
    for (int l = 0; l < strip; ++l)
      if (!further[l]) close[std::size_t(l)].push_back(c);
  });
  return close;
}

/// Decides exactly which of the close centroids is the nearest of point i; the lowest index wins a tie.
template <class T>
LabelCheck check_label(const Problem<T>& p, std::int64_t i, std::int32_t label, std::span<const T> centroids, const std::vector<int>& close,
                       const Arithmetic& arithmetic) {
  const int d = p.d;
  const T* x = p.points.data() + i * d;
  const auto row = [&](int c) { return centroids.data() + std::size_t(c) * d; };
  int best = close[0];
  double best_dist = squared_distance(x, row(best), d);
  for (const int c : close) {
    const double dist = squared_distance(x, row(c), d);
    if (dist - best_dist > fp64_doubt(d) * (dist + best_dist)) continue;
    if (best_dist - dist > fp64_doubt(d) * (dist + best_dist) || compare_distances(x, row(c), row(best), d) < 0) {
      best = c;
      best_dist = dist;
    }
  }
  LabelCheck out{.judged = 1, .least = best_dist};
  if (label == best) return out;
  const T* given = row(label);
  const double dist = squared_distance(x, given, d);
  const bool tie = compare_distances(x, given, row(best), d) == 0;
  if (tie) {
    out.tied = 1;
    // With an expansion, equal centroids may lie in different tiles of a product and round differently.
    out.broken_ties =
        arithmetic.form == Distance::difference && (std::equal(given, given + d, row(best)) || distances_are_exact(x, given, row(best), d));
  } else {
    out.wrong = 1;
    out.excess = std::max(0.0, dist - best_dist);
    const auto norm = [&](const T* values) { return arithmetic.squared_norm(values, d); };
    double magnitude = arithmetic.form == Distance::difference ? dist + best_dist : 2 * norm(x) + norm(given) + norm(row(best));
    if (!arithmetic.origin.empty())  // centroids round when the origin is added again
      magnitude += std::sqrt(squared_norm(given, d) * dist) + std::sqrt(squared_norm(row(best), d) * best_dist);
    const double bound =
        rounding_factor(d) * (unit_roundoff<T> * magnitude + double(std::numeric_limits<T>::denorm_min())) + cut_factors(arithmetic.form) * magnitude;
    out.out_of_bound = !(dist - best_dist <= bound);
  }
  if (out.broken_ties + out.out_of_bound > 0) out.first = {i, label, best, dist, best_dist, tie};
  return out;
}

}  // namespace

void LabelCheck::add(const LabelCheck& other) {
  judged += other.judged;
  least += other.least;
  excess += other.excess;
  wrong += other.wrong;
  tied += other.tied;
  out_of_bound += other.out_of_bound;
  broken_ties += other.broken_ties;
  if (other.first.point >= 0 && (first.point < 0 || other.first.point < first.point)) first = other.first;
}

LabelCheck over_ranks(Group* group, LabelCheck mine, std::int64_t first) {
  if (!group) return mine;
  if (mine.first.point >= 0) mine.first.point += first;
  LabelCheck all;
  for (const LabelCheck& one : gathered<LabelCheck>(group, {mine})) all.add(one);
  return all;
}

template <class T>
LabelCheck check_labels_on_host(const Problem<T>& p, const Solution<T>& s, const Arithmetic& arithmetic, std::vector<std::int64_t> chosen) {
  const auto sample = chosen.empty() ? sample_points(p) : std::move(chosen);
  const auto judged = sample.empty() ? p.n : std::ssize(sample);
  const std::span<const T> centroids = s.assigned_centroids;
  LabelCheck all;
#pragma omp parallel if (double(judged) * p.k * p.d > 1e5)
  {
    LabelCheck mine;
    for_strips(p, sample, [&](const std::int64_t* at, int length, const double* columns) {
      const Nearest nearest = nearest_of_strip(columns, centroids.data(), p.d, p.k);
      const Indices clear = nearest.second - nearest.best > fp64_doubt(p.d) * (nearest.best + nearest.second);
      std::array<std::vector<int>, strip> close;
      for (int l = 0; l < length; ++l) {
        const std::int32_t label = s.labels[std::size_t(at[l])];
        if (label == nearest.index[l] && (p.k == 1 || clear[l])) {
          ++mine.judged;
          mine.least += nearest.best[l];
          continue;
        }
        if (close[std::size_t(l)].empty()) close = close_calls(columns, centroids.data(), p.d, p.k, nearest);
        mine.add(check_label(p, at[l], label, centroids, close[std::size_t(l)], arithmetic));
      }
    });
#pragma omp critical(km_judge_labels)
    all.add(mine);
  }
  return all;
}

template <class T>
std::int64_t label_rounded(const Problem<T>& p, std::span<const T> centroids, const Arithmetic& arithmetic, double share, std::uint64_t seed,
                           std::span<std::int32_t> labels) {
  const int d = p.d;
  const bool expanded = arithmetic.form != Distance::difference;
  const double of_magnitude = share * (rounding_factor(d) * unit_roundoff<T> + cut_factors(arithmetic.form));
  const double least = share * rounding_factor(d) * double(std::numeric_limits<T>::denorm_min()) / 2;
  const auto key_of = [d](const T* row) { return std::hash<std::string_view>{}({reinterpret_cast<const char*>(row), d * sizeof(T)}); };
  std::vector<double> norms(p.k);
  std::vector<std::uint64_t> keys(p.k);
  for (int c = 0; c < p.k; ++c) {
    const T* centroid = centroids.data() + std::size_t(c) * d;
    norms[c] = expanded ? arithmetic.squared_norm(centroid, d) : 0;
    keys[c] = seed ^ key_of(centroid);
  }
  std::int64_t changed = 0;
#pragma omp parallel reduction(+ : changed) if (double(p.n) * p.k * d > 1e5)
  for_strips(p, {}, [&](const std::int64_t* at, int length, const double* columns) {
    Values own_norms = {}, best_dist = Values{} + std::numeric_limits<double>::infinity();
    Words own_keys = {};  // all points alike: rounding may give all ties to one side
    Indices best = {};
    for (int l = 0; l < strip; ++l) {
      const T* x = p.points.data() + at[l] * d;
      if (expanded) own_norms[l] = arithmetic.squared_norm(x, d);
      if (seed % 2) own_keys[l] = key_of(x);
    }
    for_distances(columns, centroids.data(), d, p.k, [&](int c, const Values& exact) {
      const Values magnitude = expanded ? own_norms + norms[c] : exact;
      const Values noise = __builtin_convertvector(mixed(own_keys, keys[c]) >> 11, Values) * 0x1p-53;
      const Values dist = exact + (of_magnitude * magnitude + least) * (2 * noise - 1);
      const Indices nearer = dist < best_dist;
      best = nearer ? Indices{} + c : best;
      best_dist = nearer ? dist : best_dist;
    });
    for (int l = 0; l < length; ++l) {
      const auto label = std::int32_t(best[l]);
      changed += std::exchange(labels[std::size_t(at[l])], label) != label;
    }
  });
  return changed;
}

template std::int64_t label_rounded(const Problem<float>&, std::span<const float>, const Arithmetic&, double, std::uint64_t, std::span<std::int32_t>);
template std::int64_t label_rounded(const Problem<double>&, std::span<const double>, const Arithmetic&, double, std::uint64_t,
                                    std::span<std::int32_t>);
template LabelCheck check_labels_on_host(const Problem<float>&, const Solution<float>&, const Arithmetic&, std::vector<std::int64_t>);
template LabelCheck check_labels_on_host(const Problem<double>&, const Solution<double>&, const Arithmetic&, std::vector<std::int64_t>);

}  // namespace km
