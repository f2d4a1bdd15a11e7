// Decides exactly which of two centroids is nearer.
#pragma once

namespace km {

/// Returns the sign of |x - a|² - |x - b|² for d values each: -1 (a is nearer), 0 (exact tie), 1. Exact if no value is below 2^-480 of the largest.
/// Uses an expansion if rounding matters (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust geometric predicates", 1997).
template <class T>
int compare_distances(const T* x, const T* a, const T* b, int d);

/// True if T evaluates both distances² exactly in any order and form, as for small multiples of one power of two.
template <class T>
bool distances_are_exact(const T* x, const T* a, const T* b, int d);

}  // namespace km
