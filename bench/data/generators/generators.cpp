#include "bench/data/generators/generators.hpp"

#include <cmath>

#include "bench/data/generators/curves.hpp"
#include "bench/data/generators/groups.hpp"
#include "bench/data/generators/household.hpp"

namespace km {
namespace {

/// Points uniform in balls around the centroids (he2021, Section 4.1). A point of the unit ball in d dimensions is the first d of d + 2 normals over
/// the length of all (Harman and Lacko, "On decompositional algorithms for uniform sampling from n-spheres and n-balls", 2010). The squares of the
/// last two sum to twice an exponential variable.
template <class T>
void balls(const Recipe& r, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values), radii(r.seed, of_radii);
  const double radius = r["radius"];
  const int d = r.d;
  for_grouped_tiles<T>(r, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    const std::size_t count = groups.size(), cells = count * std::size_t(d);
    g.resize(cells + count);
    const std::span normal = std::span(g).first(cells), tail = std::span(g).last(count);
    values.normals(first * d, normal);
    radii.exponentials(first, tail);
    for (std::size_t i = 0; i < count; ++i) {
      const double *x = &normal[i * std::size_t(d)], *centroid = &centroids[std::size_t(groups[i]) * std::size_t(d)];
      double length2 = 2 * tail[i];
      for (int j = 0; j < d; ++j) length2 = std::fma(x[j], x[j], length2);
      const double scale = radius / std::sqrt(length2);
      for (int j = 0; j < d; ++j) *out++ = T(std::fma(x[j], scale, centroid[j]));
    }
  });
}

/// Gaussian groups around centroids uniform in [low, high]^d (wu2011, Section V; lutz2018, Section 5; scikit-learn's make_blobs).
template <class T>
void gaussians(const Recipe& r, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values);
  const double sigma = r["sigma2_is_deviation"] != 0 ? r["sigma2"] : std::sqrt(r["sigma2"]);
  const int d = r.d;
  for_grouped_tiles<T>(r, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    g.resize(groups.size() * std::size_t(d));
    values.normals(first * d, g);
    const double* x = g.data();
    for (const int group : groups) {
      const double* centroid = &centroids[std::size_t(group) * std::size_t(d)];
      for (int j = 0; j < d; ++j) *out++ = T(std::fma(*x++, sigma, centroid[j]));
    }
  });
}

template <class T>
void uniform(const Recipe& r, std::span<T> points) {
  const Random values(r.seed, of_values);
  const double low = r["low"], width = r["high"] - low;
  for_tiles(r.n, tile_size(r.d), [&, u = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    u.resize(std::size_t(count * r.d));
    values.uniforms(first * r.d, u);
    T* out = points.data() + first * r.d;
    for (const double x : u) *out++ = T(std::fma(x, width, low));
  });
}

/// Integers low..high as a table of codes. Each group has a code per column. A point has it with probability `purity`, else any code (0: noise
/// without groups).
template <class T>
void integers(const Recipe& r, std::span<T> points) {
  const Random values(r.seed, of_values), choices(r.seed, of_choices);
  const double low = r["low"], purity = r["purity"], codes = r["high"] - low + 1;
  const int d = r.d;
  std::vector<double> own(std::size_t(r.k) * std::size_t(d));
  Random(r.seed, of_centroids).uniforms(0, own);
  for_grouped_tiles<T>(r, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    const std::size_t cells = groups.size() * std::size_t(d);
    g.resize(2 * cells);
    values.uniforms(first * d, std::span(g).first(cells));
    choices.uniforms(first * d, std::span(g).last(cells));
    for (std::size_t at = 0; at < cells; ++at) {
      const double* mode = &own[std::size_t(groups[at / std::size_t(d)]) * std::size_t(d)];
      const double u = g[cells + at] < purity ? mode[at % std::size_t(d)] : g[at];
      *out++ = T(low + std::floor(u * codes));
    }
  });
}

}  // namespace

std::vector<double> group_centroids(const Recipe& r) {
  if (!r.centroids.empty()) return r.centroids;
  std::vector<double> centroids(std::size_t(r.k) * std::size_t(r.d));
  Random(r.seed, of_centroids).uniforms(0, centroids);
  for (double& x : centroids) x = std::fma(x, r["high"] - r["low"], r["low"]);
  return centroids;
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = {
      {.name = "balls",
       .settings = {{"groups", 0}, {"radius", 1}, {"low", -10}, {"high", 10}, {"ordered", 0}},
       .has_ideal = true,
       .make_f = balls<float>,
       .make_d = balls<double>},
      {.name = "gaussians",
       .settings = {{"groups", 0}, {"sigma2", 1}, {"sigma2_is_deviation", 0}, {"low", -10}, {"high", 10}},
       .has_ideal = true,
       .make_f = gaussians<float>,
       .make_d = gaussians<double>},
      {.name = "uniform", .settings = {{"low", 0}, {"high", 1}}, .make_f = uniform<float>, .make_d = uniform<double>},
      {.name = "integers",
       .settings = {{"low", 0}, {"high", 9}, {"groups", 0}, {"purity", 0}},
       .make_f = integers<float>,
       .make_d = integers<double>},
      {.name = "household", .settings = {}, .fixed_d = 7, .make_f = household<float>, .make_d = household<double>},
      {.name = "moons", .settings = {{"groups", 2}, {"noise", 0.05}}, .fixed_d = 2, .make_f = moons<float>, .make_d = moons<double>},
      {.name = "rings", .settings = {{"groups", 2}, {"noise", 0.08}}, .fixed_d = 2, .make_f = rings<float>, .make_d = rings<double>},
      {.name = "spirals",
       .settings = {{"groups", 2}, {"noise", 0.03}, {"turns", 1}},
       .fixed_d = 2,
       .make_f = spirals<float>,
       .make_d = spirals<double>},
      {.name = "ellipses",
       .settings = {{"groups", 3}, {"noise", 0.5}, {"stretch", 8}, {"low", -10}, {"high", 10}},
       .fixed_d = 2,
       .make_f = ellipses<float>,
       .make_d = ellipses<double>},
  };
  return all;
}

}  // namespace km
