// The hashes by which equal rows and other points are told.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

namespace km {

/// XXH3. Equal bytes have equal hashes; others may.
std::uint64_t hash_of_bytes(const void* data, std::size_t bytes);

/// Of about 4096 evenly spaced values and the last one. Tells other points at the same address. The step is odd, else they may all be of one column.
template <class T>
std::size_t fingerprint(std::span<const T> points) {
  std::size_t hash = points.empty() ? 0 : std::hash<T>{}(points.back());
  const std::size_t step = points.size() / 4096 | 1;
  for (std::size_t at = 0; at < points.size(); at += step) hash = (hash ^ std::hash<T>{}(points[at])) * 0x100000001b3;
  return hash;
}

}  // namespace km
