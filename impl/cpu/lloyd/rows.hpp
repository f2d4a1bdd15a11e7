// Strips of points, stored as rows: a strip becomes columns in a thread's scratch, one point a lane.
#pragma once

#include "impl/cpu/lloyd/columns.hpp"

namespace km::rows {
namespace {  // the linker would keep one copy for all, and files have flags of their own

constexpr int strip = 32;  // points in the lanes of a vector

/// Sets best[i] to the nearest of k centroids, k x d, for `length` points x, at most a strip. columns: scratch of d x strip values. D: d at compile
/// time, or 0.
template <int D, class T>
void find_nearest(const T* x, int length, int d, const T* centroids, int k, T* columns, std::int32_t (&best)[strip]) {
  if (D > 0) d = D;
  if (length == strip) {
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < strip; ++i) columns[j * strip + i] = x[i * d + j];
  } else {
    for (int j = 0; j < d; ++j)
      for (int i = 0; i < strip; ++i) columns[j * strip + i] = i < length ? x[i * d + j] : T(0);
  }
  columns::find_nearest(columns, strip, d, centroids, k, best);
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
        const std::int64_t first = s * strip;
        const int length = static_cast<int>(std::min<std::int64_t>(strip, p.n - first));
        find_nearest<decltype(D)::value>(p.points.data() + first * p.d, length, p.d, centroids, p.k, columns.data(), best);
        std::int32_t* const of_strip = labels + first;
        for (int i = 0; i < length; ++i) {
          changed += of_strip[i] != best[i];
          of_strip[i] = best[i];
        }
      }
    });
  }
  return changed;
}

}  // namespace
}  // namespace km::rows
