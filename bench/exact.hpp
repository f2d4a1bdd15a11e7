// Which of two centroids is nearer, decided without rounding: what fp64 alone cannot tell apart, this can.
#pragma once

namespace km {

/// The sign of |x - a|² - |x - b|² for d values each: -1 (a is nearer), 0 (an exact tie), 1. fp64 first; where its rounding might matter,
/// the sum of exact products is kept as an expansion (Shewchuk, "Adaptive precision floating-point arithmetic and fast robust
/// geometric predicates", 1997). Exact as long as no value is below 2^-480 of the largest.
template <class T>
int compare_distances(const T* x, const T* a, const T* b, int d);

/// Whether T evaluates both distances² without any rounding, in any order and form: small multiples of one power of two.
template <class T>
bool distances_are_exact(const T* x, const T* a, const T* b, int d);

}  // namespace km
