// A synthetic stand-in of the household power set's shape and habits. No value of it was measured.
#pragma once

#include "bench/data/generators/generators.hpp"

namespace km {

template <class T>
void household(const Recipe& recipe, std::span<T> points);

}  // namespace km
