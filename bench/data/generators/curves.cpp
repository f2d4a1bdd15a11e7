#include "bench/data/generators/curves.hpp"

#include <cmath>

#include "bench/data/generators/groups.hpp"

namespace km {
namespace {

struct Place {
  double x, y;
};

/// Places every point by place(group, u), u uniform along its curve, and adds normal noise of deviation `noise` to both values.
template <class T, class Where>
void along_curves(const Recipe& r, std::span<T> points, Where place) {
  const Random values(r.seed, of_values), choices(r.seed, of_choices);
  const double noise = r["noise"];
  for_grouped_tiles<T>(r, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
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

}  // namespace

template <class T>
void moons(const Recipe& r, std::span<T> points) {
  along_curves(r, points, [](int group, double u) {
    const Place at = on_circle(u / 2);
    return group % 2 == 0 ? Place{group + at.x, at.y} : Place{group - at.x, 0.5 - at.y};
  });
}

template <class T>
void rings(const Recipe& r, std::span<T> points) {
  along_curves(r, points, [](int group, double u) {
    const Place at = on_circle(u);
    return Place{(group + 1) * at.x, (group + 1) * at.y};
  });
}

template <class T>
void spirals(const Recipe& r, std::span<T> points) {
  const double turns = r["turns"], groups = r.k;
  along_curves(r, points, [=](int group, double u) {
    const double radius = std::sqrt(0.25 + u * turns * (1 + turns)), turned = radius - 0.5;  // an arm is as dense everywhere
    const Place at = on_circle(turned + group / groups);
    return Place{radius * at.x, radius * at.y};
  });
}

template <class T>
void ellipses(const Recipe& r, std::span<T> points) {
  const std::vector<double> centroids = group_centroids(r);
  const Random values(r.seed, of_values);
  const double narrow = r["noise"], wide = narrow * r["stretch"];
  for_grouped_tiles<T>(r, points, [&](std::int64_t first, std::span<const int> groups, std::vector<double>& g, T* out) {
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

template void moons(const Recipe&, std::span<float>);
template void moons(const Recipe&, std::span<double>);
template void rings(const Recipe&, std::span<float>);
template void rings(const Recipe&, std::span<double>);
template void spirals(const Recipe&, std::span<float>);
template void spirals(const Recipe&, std::span<double>);
template void ellipses(const Recipe&, std::span<float>);
template void ellipses(const Recipe&, std::span<double>);

}  // namespace km
