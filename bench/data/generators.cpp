#include "bench/data/generators.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>

#include "bench/data/generators_device.hpp"

namespace km {
namespace {

/// Points per tile of one thread: fits the second-level cache.
std::int64_t tile_size(int d) { return std::max<std::int64_t>(1, 16384 / d); }

/// Calls make(first, count) for every tile of [begin, end) in parallel. Each thread has its own `make`, which may hold buffers.
template <class Maker>
void for_tiles(std::int64_t begin, std::int64_t end, std::int64_t tile, const Maker& prototype) {
#pragma omp parallel
  {
    Maker make = prototype;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t first = begin; first < end; first += tile) make(first, std::min(tile, end - first));
  }
}

/// Calls make(i0, groups, out) for every tile; groups[i] is the group of point i0 + i.
template <class T, class Maker>
void for_grouped_tiles(const Recipe& r, std::int64_t begin, std::span<T> points, const Maker& make) {
  const Groups groups(r);
  const std::int64_t run = groups.run(), end = begin + std::ssize(points) / r.d, tile = tile_size(r.d);
  for_tiles(begin / run * run, end, run, [&, mine = groups, buffer = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    const std::span<const int> of_run = mine.of_run(first);
    for (std::int64_t i = std::max(first, begin), next; i < first + count; i = next) {
      next = std::min(first + count, i + tile);
      make(i, of_run.subspan(std::size_t(i - first), std::size_t(next - i)), buffer, points.data() + (i - begin) * r.d);
    }
  });
}

/// Points uniform in balls around the centroids (he2021, Section 4.1).
template <class T>
void balls(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values), radii(r.seed, of_radii);
  const double radius = r["radius"];
  const int d = r.d;
  for_grouped_tiles<T>(r, begin, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    const std::size_t count = groups.size(), cells = count * std::size_t(d);
    g.resize(cells + count);
    const std::span normal = std::span(g).first(cells), tail = std::span(g).last(count);
    values.normals(first * d, normal);
    radii.exponentials(first, tail);
    for (std::size_t i = 0; i < count; ++i) {
      const double *x = &normal[i * std::size_t(d)], *centroid = &centroids[std::size_t(groups[i]) * std::size_t(d)];
      const double scale = scale_to_ball(x, d, tail[i], radius);
      for (int j = 0; j < d; ++j) *out++ = T(std::fma(x[j], scale, centroid[j]));
    }
  });
}

/// Gaussian groups around centroids uniform in [low, high]^d (wu2011, Section V; lutz2018, Section 5; scikit-learn's make_blobs).
template <class T>
void gaussians(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values);
  const double sigma = deviation(r);
  const int d = r.d;
  for_grouped_tiles<T>(r, begin, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
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
void uniform(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const Random values(r.seed, of_values);
  const double low = r["low"], width = r["high"] - low;
  for_tiles(begin, begin + std::ssize(points) / r.d, tile_size(r.d), [&, u = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    u.resize(std::size_t(count * r.d));
    values.uniforms(first * r.d, u);
    T* out = points.data() + (first - begin) * r.d;
    for (const double x : u) *out++ = T(std::fma(x, width, low));
  });
}

/// Integers low..high as a table of codes. Each group has a code per column. A point has it with probability `purity`, else any code.
template <class T>
void integers(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const Random values(r.seed, of_values), choices(r.seed, of_choices);
  const double low = r["low"], purity = r["purity"], codes = r["high"] - low + 1;
  const int d = r.d;
  const std::vector<double> own = own_codes(r);
  for_grouped_tiles<T>(r, begin, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    const std::size_t cells = groups.size() * std::size_t(d);
    g.resize(2 * cells);
    values.uniforms(first * d, std::span(g).first(cells));
    choices.uniforms(first * d, std::span(g).last(cells));
    for (std::size_t at = 0; at < cells; ++at) {
      const double* mode = &own[std::size_t(groups[at / std::size_t(d)]) * std::size_t(d)];
      *out++ = T(code_of(g[cells + at], purity, mode[at % std::size_t(d)], g[at], low, codes));
    }
  });
}

// ---- groups that are no balls, in two dimensions: `noise` is the deviation across a curve, or an ellipse's smaller one -------------------------

struct Place {
  double x, y;
};

/// Places every point by place(group, u), u uniform along its curve, and adds normal noise of deviation `noise` to both values.
template <class T, class Where>
void along_curves(const Recipe& r, std::int64_t begin, std::span<T> points, Where place) {
  const Random values(r.seed, of_values), choices(r.seed, of_choices);
  const double noise = r["noise"];
  for_grouped_tiles<T>(r, begin, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    const std::size_t count = groups.size();
    g.resize(3 * count);
    values.normals(2 * first, std::span(g).first(2 * count));
    choices.uniforms(first, std::span(g).last(count));
    for (std::size_t i = 0; i < count; ++i) {
      const Place at = place(groups[i], g[2 * count + i]);
      *out++ = T(std::fma(g[2 * i], noise, at.x));
      *out++ = T(std::fma(g[2 * i + 1], noise, at.y));
    }
  });
}

Place on_circle(double turns) {
  Place at{};
  turn(turns - std::floor(turns), at.x, at.y);
  return at;
}

/// Group g is a half circle round (g, 0), or round (g, 1/2) and upside down where g is odd.
template <class T>
void moons(const Recipe& r, std::int64_t begin, std::span<T> points) {
  along_curves(r, begin, points, [](int group, double u) {
    const Place at = on_circle(u / 2);
    return group % 2 == 0 ? Place{group + at.x, at.y} : Place{group - at.x, 0.5 - at.y};
  });
}

/// Group g is a circle of radius g + 1.
template <class T>
void rings(const Recipe& r, std::int64_t begin, std::span<T> points) {
  along_curves(r, begin, points, [](int group, double u) {
    const Place at = on_circle(u);
    return Place{(group + 1) * at.x, (group + 1) * at.y};
  });
}

/// Group g is an arm that begins at angle g / groups with radius 1/2 and grows by 1 a turn, `turns` in all.
template <class T>
void spirals(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const double turns = r["turns"], groups = r.k;
  along_curves(r, begin, points, [=](int group, double u) {
    const double radius = std::sqrt(0.25 + u * turns * (1 + turns)), turned = radius - 0.5;  // an arm is as dense everywhere
    const Place at = on_circle(turned + group / groups);
    return Place{radius * at.x, radius * at.y};
  });
}

/// Group g has the deviation noise · stretch along the angle (g + 1/2) / (2 groups).
template <class T>
void ellipses(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values);
  const double narrow = r["noise"], wide = narrow * r["stretch"];
  for_grouped_tiles<T>(r, begin, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
    g.resize(2 * groups.size());
    values.normals(2 * first, g);
    const double* z = g.data();
    for (const int group : groups) {
      const Place axis = on_circle((group + 0.5) / (2 * r.k));
      const double *const centroid = &centroids[2 * std::size_t(group)], along = *z++ * wide, across = *z++ * narrow;
      *out++ = T(std::fma(along, axis.x, std::fma(-across, axis.y, centroid[0])));
      *out++ = T(std::fma(along, axis.y, std::fma(across, axis.x, centroid[1])));
    }
  });
}

// ---- columns of a table ----------------------------------------------------------------------------------------------------------------------

struct Circuit {
  double off, idle;      // shares of the time; otherwise the circuit is on
  double level, spread;  // Wh per minute when on
};

constexpr Circuit kitchen{.91, .04, 37, 4}, laundry{.68, .27, 36, 12}, heater{.65, .03, 17.5, .7};

double energy(const Circuit& circuit, double u, double z) {
  if (u < circuit.off) return 0;
  if (u < circuit.off + circuit.idle) return 1;
  return std::max(2.0, std::round(std::fma(z, circuit.spread, circuit.level)));
}

std::array<double, 7> minute(const double* u, const double* z) {
  const double one = energy(kitchen, u[0], z[0]), two = energy(laundry, u[1], z[1]), three = energy(heater, u[2], z[2]);
  const double rest = u[3] < .75 ? std::fma(z[3], .09, .32) : std::fma(z[3], .6, 1.75);
  const double active = std::fma(one + two + three, .06, std::max(rest, .08));
  const double reactive = std::abs(std::fma(z[4], .12, .11));
  const double volts = std::fma(z[5], 3.4, std::fma(active, -1.1, 241.0));
  const double amperes = 1000 * std::sqrt(std::fma(active, active, reactive * reactive)) / volts;
  return {
      std::round(active * 500) / 500, std::round(reactive * 500) / 500, std::round(volts * 100) / 100, std::round(amperes * 5) / 5, one, two, three};
}

/// Synthetic data with the shape and habits of the household power set; no value was measured. Seven correlated columns of a house's meter: active
/// and reactive power (kW), voltage (V), current (A), and the energy of three circuits (Wh per minute). A circuit is off, idle or on. The power is
/// the sum of the circuits and a low or high rest. The current follows from power and voltage; the voltage drops with the power. Shares and levels
/// are round numbers near those of the real set's first half year. Values are rounded as by its meter, so duplicates are frequent.
template <class T>
void household(const Recipe& r, std::int64_t begin, std::span<T> points) {
  const Random choices(r.seed, of_choices), values(r.seed, of_values);
  const std::int64_t end = begin + std::ssize(points) / 7;
  for_tiles(begin, end, tile_size(7), [&, u = std::vector<double>(), z = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    u.resize(std::size_t(4 * count));
    z.resize(std::size_t(6 * count));
    choices.uniforms(4 * first, u);
    values.normals(6 * first, z);
    for (std::int64_t i = 0; i < count; ++i) {
      T* out = &points[std::size_t((first - begin + i) * 7)];
      for (const double value : minute(&u[std::size_t(4 * i)], &z[std::size_t(6 * i)])) *out++ = T(value);
    }
  });
}

/// A guess from rates: a thread makes 3·10⁸ normals a second (AVX-512), a GPU and its bus 3·10⁹ after 0.3 s for the context.
bool device_pays(double values) { return values / (3e8 * omp_get_max_threads()) > 0.3 + values / 3e9; }

}  // namespace

template <class T>
void Generator::make(const Recipe& recipe, std::int64_t begin, std::span<T> points) const {
  if (generates_on_device() && device_pays(double(points.size())) && make_on_device(*this, recipe, begin, points)) return;
  if constexpr (sizeof(T) == 4) make_f(recipe, begin, points);
  else make_d(recipe, begin, points);
}
template void Generator::make(const Recipe&, std::int64_t, std::span<float>) const;
template void Generator::make(const Recipe&, std::int64_t, std::span<double>) const;

void groups_from(const Recipe& r, std::int64_t begin, std::span<std::int32_t> groups) {
  const Groups prototype(r);
  const std::int64_t run = prototype.run(), end = begin + std::ssize(groups);
  for_tiles(begin / run * run, end, run, [&, mine = prototype](std::int64_t first, std::int64_t count) mutable {
    const std::span<const int> of_run = mine.of_run(first);
    const std::int64_t from = std::max(first, begin);
    std::copy_n(of_run.begin() + (from - first), first + count - from, groups.begin() + (from - begin));
  });
}

double deviation(const Recipe& r) { return r["sigma2_is_deviation"] != 0 ? r["sigma2"] : std::sqrt(r["sigma2"]); }

std::vector<double> own_codes(const Recipe& r) {
  std::vector<double> codes(std::size_t(r.k) * std::size_t(r.d));
  Random(r.seed, of_centroids).uniforms(0, codes);
  return codes;
}

std::vector<double> group_centroids(const Recipe& r) {
  if (!r.centroids.empty()) return r.centroids;
  std::vector<double> centroids = own_codes(r);
  for (double& x : centroids) x = std::fma(x, r["high"] - r["low"], r["low"]);
  return centroids;
}

const std::vector<Generator>& generators() {
  static const std::vector<Generator> all = {
      {"balls", balls<float>, balls<double>, {{"groups", 0}, {"radius", 1}, {"low", -10}, {"high", 10}, {"ordered", 0}}, 0, true},
      {"gaussians",
       gaussians<float>,
       gaussians<double>,
       {{"groups", 0}, {"sigma2", 1}, {"sigma2_is_deviation", 0}, {"low", -10}, {"high", 10}},
       0,
       true},
      {"uniform", uniform<float>, uniform<double>, {{"low", 0}, {"high", 1}}},
      {"integers", integers<float>, integers<double>, {{"low", 0}, {"high", 9}, {"groups", 0}, {"purity", 0}}},
      {"household", household<float>, household<double>, {}, 7},
      {"moons", moons<float>, moons<double>, {{"groups", 2}, {"noise", 0.05}}, 2},
      {"rings", rings<float>, rings<double>, {{"groups", 2}, {"noise", 0.08}}, 2},
      {"spirals", spirals<float>, spirals<double>, {{"groups", 2}, {"noise", 0.03}, {"turns", 1}}, 2},
      {"ellipses", ellipses<float>, ellipses<double>, {{"groups", 3}, {"noise", 0.5}, {"stretch", 8}, {"low", -10}, {"high", 10}}, 2},
  };
  return all;
}

}  // namespace km
