// Groups that are no balls: moons, rings, spirals and ellipses, in two dimensions. `noise` is the deviation across a curve, or an ellipse's smaller
// one.
#pragma once

#include "bench/data/generators/generators.hpp"

namespace km {

/// Group g is a half circle round (g, 0), or round (g, 1/2) and upside down where g is odd.
template <class T>
void moons(const Recipe& recipe, std::span<T> points);
/// Group g is a circle of radius g + 1.
template <class T>
void rings(const Recipe& recipe, std::span<T> points);
/// Group g is an arm that begins at angle g / groups with radius 1/2 and grows by 1 a turn, `turns` in all.
template <class T>
void spirals(const Recipe& recipe, std::span<T> points);
/// Group g has the deviation noise · stretch along the angle (g + 1/2) / (2 groups).
template <class T>
void ellipses(const Recipe& recipe, std::span<T> points);

}  // namespace km
