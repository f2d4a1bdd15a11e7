// Decides by differences what scores leave open: a point's few candidates, or all centroids, in fp64 where fp32 is in doubt. Sets the label and both
// bounds.
#pragma once

#include "impl/gpu/yinyang/compacted_state.cuh"

namespace km::compacted {

/// Distance² between two rows in U, by `lanes` lanes. All lanes of the warp call it.
template <class U, class T>
__device__ __forceinline__ U distance2(const T* x, const T* c, int d, int lanes) {
  U dist = 0;
#pragma unroll 4
  for (int j = threadIdx.x % lanes; j < d; j += lanes) {
    const U diff = U(x[j]) - U(c[j]);
    dist += diff * diff;
  }
  for (int half = lanes / 2; half > 0; half /= 2) dist += __shfl_xor_sync(0xFFFFFFFF, dist, half);
  return dist;
}

/// Compares the candidates of open points by differences, `lanes` lanes per point, and in fp64 where fp32 is in doubt.
template <class T>
__device__ __forceinline__ void compare(const Run<T>& r, SharedState<T>& s, const T* centroids, const screen::Margin<1>& margin_of) {
  const int lanes = s.opens <= 2 * warps ? 32 : 8, at_once = block / lanes;
  for (int first = threadIdx.x / 32 * (32 / lanes); first < s.opens; first += at_once) {
    const int at = first + threadIdx.x % 32 / lanes;
    const bool here = at < s.opens;
    const OpenRow& open = s.open[here ? at : first];
    const int i = open.i, count = __reduce_max_sync(0xFFFFFFFF, open.count), old = r.labels[i];
    const float others = lower_from(below(r.length2[i], open.others, margin_of.at(r.left[i])));
    const T* const x = r.points + std::int64_t(i) * r.d;
    screen::Nearest<T> best;
    for (int a = 0; a < count; ++a) {
      const int c = open.candidates[min(a, open.count - 1)];
      const T dist = distance2<T>(x, centroids + std::int64_t(c) * r.d, r.d, lanes);
      if (a < open.count) best.add(dist, c);
    }
    int label = best.at;
    const OfDifferences<T> bounds(r.d, r.scale);
    float upper = bounds.above(best.first), lower = bounds.below(best.second);
    const bool doubt = sizeof(T) == 4 && !screen::leads(best, r.d);
    if (__any_sync(0xFFFFFFFF, doubt)) {
      screen::Nearest<double> exact;
      for (int a = 0; a < count; ++a) {
        const int c = open.candidates[min(a, open.count - 1)];
        const double dist = distance2<double>(x, centroids + std::int64_t(c) * r.d, r.d, lanes);
        if (a < open.count) exact.add(dist, c);
      }
      const OfDifferences<double> finer(r.d, r.scale);
      if (doubt) label = exact.at, upper = finer.above(exact.first), lower = finer.below(exact.second);
    }
    if (here && threadIdx.x % lanes == 0) settled(r, s, i, old, label, upper, fminf(lower, others));
  }
}

/// Sets the label and bounds of a row, or lists it as doubtful for fp64. In fp64 the sums in order decide.
template <class T>
__device__ __forceinline__ void conclude(const Run<T>& r, SharedState<T>& s, int i, int old, int row, const screen::Nearest<T>& best) {
  if (sizeof(T) == 4 && !screen::leads(best, r.d)) {
    s.doubtful[atomicAdd(&s.doubts, 1)] = row;
    return;
  }
  const OfDifferences<T> bounds(r.d, r.scale);
  settled(r, s, i, old, best.at, bounds.above(best.first), bounds.below(best.second));
}

/// Decides doubtful rows in fp64: warps share a row's centroids, lanes its dimensions. All threads call it.
template <class T>
__device__ __forceinline__ void settle_doubts(const Run<T>& r, SharedState<T>& s, const T* centroids, const int* rows) {
  if (s.doubts == 0) return;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, lanes = lanes_of(r.d), at_once = 32 / lanes;
  const int across = max(warps / s.doubts, 1), sets = warps / across;
  for (int first = 0; first < s.doubts; first += sets) {
    const int doubt = first + warp / across;
    if (warp < sets * across && doubt < s.doubts) {
      const T* const x = r.points + std::int64_t(rows[s.doubtful[doubt]]) * r.d;
      screen::Nearest<double> best;
      for (int c0 = warp % across * at_once; c0 < r.k; c0 += across * at_once) {
        const int c = c0 + lane / lanes;
        const double dist = distance2<double>(x, centroids + std::int64_t(min(c, r.k - 1)) * r.d, r.d, lanes);
        if (c < r.k && r.twin[c] == no_twin) best.add(dist, c);
      }
      for (int other = 16; other >= lanes; other /= 2) merge_from_lane(best, best, other);
      if (lane == 0) s.exact[warp] = best;
    }
    __syncthreads();
    if (threadIdx.x < sets && first + int(threadIdx.x) < s.doubts) {
      const int i = rows[s.doubtful[first + threadIdx.x]];
      screen::Nearest<double> best = s.exact[threadIdx.x * across];
      for (int other = 1; other < across; ++other) best.add(s.exact[threadIdx.x * across + other]);
      const OfDifferences<double> bounds(r.d, r.scale);
      settled(r, s, i, r.labels[i], best.at, bounds.above(best.first), bounds.below(best.second));
    }
    __syncthreads();
  }
}

}  // namespace km::compacted
