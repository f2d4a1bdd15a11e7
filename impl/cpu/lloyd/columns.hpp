// Points as columns, one array per dimension: the layout of lutz2018 (Sections 3.1 and 6.1). Columns start in different cache sets, so that hundreds
// can be read at once. They are padded with zeros to whole strips.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <new>

#include "bench/contract/dimension.hpp"
#include "bench/contract/problem.hpp"
#include "bench/contract/trace.hpp"

namespace km::columns {

constexpr int strip = 64;  // points labelled at once

/// Points first .. last - 1 of thread `at` of `of`: whole strips, so that no two threads write one strip's labels.
struct Share {
  std::int64_t first, last;
  Share(std::int64_t n, int at, int of) : first(bound(n, at, of)), last(bound(n, at + 1, of)) {}

 private:
  static std::int64_t bound(std::int64_t n, int at, int of) { return std::min(n, (n + strip - 1) / strip * at / of * strip); }
};

template <class T>
class Columns {
 public:
  /// Transposes rows, n x d, with as many threads as will read them, in the phase transpose.
  Columns(const Problem<T>& p, int threads, Trace& trace)
      : n(p.n), d(p.d), stride((p.n + strip - 1) / strip * strip + 80),
        values_(static_cast<T*>(::operator new(sizeof(T) * std::size_t(stride) * p.d, line))) {
    const auto phase = trace.phase("transpose");
#pragma omp parallel num_threads(threads)
    {
      const Share mine(n, omp_get_thread_num(), omp_get_num_threads());
      for (std::int64_t first = mine.first; first < mine.last; first += strip)
        for (int j = 0; j < d; ++j) {
          T* const to = values_.get() + j * stride + first;
          for (int i = 0; i < strip; ++i) to[i] = first + i < n ? p.points[(first + i) * d + j] : T(0);
        }
    }
  }

  const T* operator[](int j) const { return values_.get() + j * stride; }

  const std::int64_t n;
  const int d;
  const std::int64_t stride;

 private:
  static constexpr std::align_val_t line{64};
  struct Free {
    void operator()(T* values) const { ::operator delete(values, line); }
  };
  std::unique_ptr<T, Free> values_;
};

/// Sets best[i] to the nearest of k centroids, k x d, for `size` points. Dimension j of point i is columns[j * stride + i].
template <int size, class T>
[[gnu::always_inline]] inline void find_nearest(const T* columns, std::int64_t stride, int d, const T* centroids, int k, std::int32_t (&best)[size]) {
  alignas(64) T best_dist[size];
  std::fill_n(best, size, 0);
  std::fill_n(best_dist, size, std::numeric_limits<T>::max());
  for (int c = 0; c < k; ++c, centroids += d) {
    alignas(64) T dist[size] = {};
    for (int j = 0; j < d; ++j) {
      const T* const column = columns + j * stride;
      for (int i = 0; i < size; ++i) dist[i] += (column[i] - centroids[j]) * (column[i] - centroids[j]);
    }
    for (int i = 0; i < size; ++i) {
      const bool nearer = dist[i] < best_dist[i];  // strict: the lowest index wins a tie
      best[i] = nearer ? c : best[i];
      best_dist[i] = nearer ? dist[i] : best_dist[i];
    }
  }
}

/// Labels points first .. first + strip - 1 (fewer at the end) with the nearest of k centroids, k x d. Returns the number of changes. D: the
/// dimension at compile time, or 0.
template <int D, class T>
int assign_strip(const Columns<T>& x, std::int64_t first, const T* centroids, int k, std::int32_t* labels) {
  alignas(64) std::int32_t best[strip];
  find_nearest(x[0] + first, x.stride, D > 0 ? D : x.d, centroids, k, best);
  const int length = static_cast<int>(std::min<std::int64_t>(strip, x.n - first));
  int changed = 0;
  for (int i = 0; i < length; ++i) {
    changed += labels[first + i] != best[i];
    labels[first + i] = best[i];
  }
  return changed;
}

/// Labels points first .. last - 1; first is a multiple of a strip.
template <int D, class T>
std::int64_t assign(const Columns<T>& x, std::int64_t first, std::int64_t last, const T* centroids, int k, std::int32_t* labels) {
  std::int64_t changed = 0;
  for (; first < last; first += strip) changed += assign_strip<D>(x, first, centroids, k, labels);
  return changed;
}

/// Returns assign() for d dimensions, compiled for those that the paper measures.
template <class T>
auto assign_for(int d) {
  auto* found = assign<0, T>;
  with_dimension<2, 4, 8, 16>(d, [&](auto D) { found = assign<decltype(D)::value, T>; });
  return found;
}

}  // namespace km::columns
