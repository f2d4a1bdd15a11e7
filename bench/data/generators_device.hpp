// The generators balls, gaussians, uniform and integers on the GPU, with the bits of the CPU's.
#pragma once

#include <cstdint>
#include <span>

#include "bench/data/generators.hpp"

namespace km {

/// Makes the points from row `begin` on, as many as there is room for. Returns false if no GPU can: none, another generator, too little memory.
template <class T>
bool make_on_device(const Generator& generator, const Recipe& recipe, std::int64_t begin, std::span<T> points);

}  // namespace km
