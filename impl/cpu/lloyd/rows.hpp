// Strips of points, stored as rows: a strip becomes columns in a thread's scratch, one point a lane.
#pragma once

#include "impl/cpu/lloyd/columns.hpp"

namespace km::rows {

constexpr int strip = 32;  // points in the lanes of a vector

/// Sets best[i] to the nearest of k centroids, k x d, for points first .. first + strip - 1. Returns how many there are: fewer at the end. columns:
/// scratch of d x strip values. D: the dimension at compile time, or 0.
template <int D, class T>
int find_nearest(const Problem<T>& p, std::int64_t first, const T* centroids, T* columns, std::int32_t (&best)[strip]) {
  const int d = D > 0 ? D : p.d;
  const int length = static_cast<int>(std::min<std::int64_t>(strip, p.n - first));
  const T* const x = p.points.data() + first * d;
  if (length == strip) {
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < strip; ++i) columns[j * strip + i] = x[i * d + j];
  } else {
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < strip; ++i) columns[j * strip + i] = i < length ? x[i * d + j] : T(0);
  }
  columns::find_nearest(columns, strip, d, centroids, p.k, best);
  return length;
}

/// Labels all points, threads sharing them. Returns the number of changes. with_dimension: calls its argument with d, or 0, at compile time.
template <class T, class WithDimension>
std::int64_t assign(const Problem<T>& p, int threads, const T* centroids, std::int32_t* labels, WithDimension with_dimension) {
  const std::int64_t strips = (p.n + strip - 1) / strip;
  std::int64_t changed = 0;
#pragma omp parallel num_threads(threads) reduction(+ : changed)
  {
    std::vector<T> columns(std::size_t(p.d) * strip);
    with_dimension([&](auto D) {
      alignas(64) std::int32_t best[strip];
#pragma omp for schedule(static)
      for (std::int64_t s = 0; s < strips; ++s) {
        const int length = find_nearest<decltype(D)::value>(p, s * strip, centroids, columns.data(), best);
        std::int32_t* const of_strip = labels + s * strip;
        for (int i = 0; i < length; ++i) {
          changed += of_strip[i] != best[i];
          of_strip[i] = best[i];
        }
      }
    });
  }
  return changed;
}

}  // namespace km::rows
