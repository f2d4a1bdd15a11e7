// Synthetic data with the shape and habits of the household power set. No value was measured.
#pragma once

#include "bench/data/generators/generators.hpp"

namespace km {

template <class T>
void household(const Recipe& recipe, std::span<T> points);

}  // namespace km
