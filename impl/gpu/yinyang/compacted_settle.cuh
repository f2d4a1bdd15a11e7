// Compares a block's list of points with all centroids by differences.
#pragma once

#include "impl/gpu/yinyang/compacted_differences.cuh"

namespace km::compacted {

/// A thread holds one or two points of D dimensions, padded with zeros. With few points several threads share the centroids of one. All threads call
/// it. Returns the number of doubtful points.
template <int D, int Rows, class T>
__device__ __forceinline__ int settle_few(const Run<T>& r, SharedState<T>& s, const T* centroids, const int* rows, int m) {
  constexpr int width = cuda::Pack<T>::size;
  const int t = threadIdx.x;
  int across = 1;
  while (Rows == 1 && across < 32 && m * across * 2 <= block) across *= 2;
  if (t == 0) s.doubts = 0;
  __syncthreads();
  int i[Rows], old[Rows];
  T x[Rows][D];
#pragma unroll
  for (int p = 0; p < Rows; ++p) {
    const int row = by_power(t, across) + p * block;
    i[p] = rows[row < m ? row : 0];
    old[p] = r.labels[i[p]];
#pragma unroll
    for (int j = 0; j < D; ++j) x[p][j] = j < r.d ? r.points[std::int64_t(i[p]) * r.d + j] : T(0);
  }
  screen::Nearest<T> best[Rows];
#pragma unroll 2
  for (int c = t & (across - 1); c < r.k; c += across) {
    if (r.twin[c] != no_twin) continue;
    T dist[Rows] = {};
#pragma unroll
    for (int j = 0; j < D; j += width) {
      const auto values = *reinterpret_cast<const cuda::Pack<T>*>(r.transposed + std::int64_t(c) * D + j);
#pragma unroll
      for (int u = 0; u < width; ++u)
#pragma unroll
        for (int p = 0; p < Rows; ++p) {
          const T diff = x[p][j + u] - values.at[u];
          dist[p] += diff * diff;
        }
    }
#pragma unroll
    for (int p = 0; p < Rows; ++p) {
      best[p].second = min(best[p].second, max(best[p].first, dist[p]));
      best[p].at = dist[p] < best[p].first ? c : best[p].at;  // strict: the lowest index wins a tie
      best[p].first = min(best[p].first, dist[p]);
    }
  }
  for (int other = across / 2; other > 0; other /= 2) merge_from_lane(best[0], best[0], other);
#pragma unroll
  for (int p = 0; p < Rows; ++p)
    if (const int row = by_power(t, across) + p * block; row < m && (t & (across - 1)) == 0) conclude(r, s, i[p], old[p], row, best[p]);
  __syncthreads();
  const int doubted = s.doubts;
  settle_doubts(r, s, centroids, rows);
  return doubted;
}

/// Compares the points at x, side by side, with every across-th band of 32 centroids from `strip` on, a lane each.
template <int Together, class T>
__device__ __forceinline__ void compare_all(const Run<T>& r, const T* x, int strip, int across, screen::Nearest<T> (&mine)[Together]) {
  for (int c = strip * 32 + threadIdx.x % 32; c < r.k_padded; c += across * 32) {
    T dist[Together] = {};
#pragma unroll(Together == 1 ? 8 : 4)
    for (int j = 0; j < r.d; ++j) {
      const T value = r.transposed[std::int64_t(j) * r.k_padded + c];
#pragma unroll
      for (int p = 0; p < Together; ++p) {
        const T diff = x[j * Together + p] - value;
        dist[p] += diff * diff;
      }
    }
    if (c < r.k && r.twin[c] == no_twin)
#pragma unroll
      for (int p = 0; p < Together; ++p) mine[p].add(dist[p], c);
  }
}

/// Points side by side in shared memory; a lane takes a centroid. All threads call it. Returns the number of doubtful points.
template <int Together, class T>
__device__ __forceinline__ int settle(const Run<T>& r, SharedState<T>& s, T* x, const T* centroids, const int* rows, int m) {
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, d = r.d;
  const int sets = min(r.sets * together / Together, min((m + Together - 1) / Together, warps));
  const int across = quotient(warps, sets), strip = quotient(warp, sets), set = warp - strip * sets;
  int doubted = 0;
  for (int first = 0; first < m; first += sets * Together) {
    const int size = min(m - first, sets * Together);
    for (int at = t; at < sets * Together * d; at += block) {
      const int p = quotient(at, d), j = at - p * d;
      x[(p / Together * d + j) * Together + p % Together] = p < size ? r.points[std::int64_t(rows[first + p]) * d + j] : T(0);
    }
    if (t == 0) s.doubts = 0;
    __syncthreads();

    if (strip < across && set * Together < size) {
      screen::Nearest<T> mine[Together];
      compare_all(r, x + set * d * Together, strip, across, mine);
      // Exchanges half of the points with half of the lanes until a lane has one, then merges that one.
#pragma unroll
      for (int kept = Together / 2; kept > 0; kept /= 2)
#pragma unroll
        for (int p = 0; p < kept; ++p) {
          const int away = kept * 32 / Together;
          const bool upper = lane & away;
          const screen::Nearest<T> given = upper ? mine[p] : mine[p + kept];
          if (upper) mine[p] = mine[p + kept];
          merge_from_lane(mine[p], given, away);
        }
      for (int other = 16 / Together; other > 0; other /= 2) merge_from_lane(mine[0], mine[0], other);
      if (lane % (32 / Together) == 0) s.found[warp][lane / (32 / Together)] = mine[0];
    }
    __syncthreads();
    if (t < size) {
      const int i = rows[first + t];
      screen::Nearest<T> all = s.found[t / Together][t % Together];
      for (int other = 1; other < across; ++other) all.add(s.found[t / Together + other * sets][t % Together]);
      conclude(r, s, i, r.labels[i], t, all);
    }
    __syncthreads();

    doubted += s.doubts;
    settle_doubts(r, s, centroids, rows + first);
    __syncthreads();  // before x, found and doubts are overwritten
  }
  return doubted;
}

}  // namespace km::compacted
