// Decides by differences what scores leave open: a point's candidates, or all centroids, in fp64 where fp32 is in doubt. Sets the label and both
// bounds.
#pragma once

#include "impl/gpu/yinyang/compacted_scores.cuh"

namespace km::compacted {

/// Distance² between two rows in U, by `lanes` lanes. All lanes of the warp call it.
template <class U, class T>
__device__ __forceinline__ U distance2(const T* x, const T* c, int d, int lanes) {
  U dist = 0;
#pragma unroll 8
  for (int j = threadIdx.x & (lanes - 1); j < d; j += lanes) {
    const U diff = U(x[j]) - U(c[j]);
    dist += diff * diff;
  }
  for (int half = lanes / 2; half > 0; half /= 2) dist += __shfl_xor_sync(0xFFFFFFFF, dist, half);
  return dist;
}

/// The nearest of named centroids, by differences in U. The fewer, the more lanes share a centroid's dimensions. most: the greatest count in the warp.
template <class U, class T>
__device__ __forceinline__ screen::Nearest<U> nearest_of(const Sharers& by, const T* x, const T* centroids, const std::int32_t* named, int count,
                                                         int most, int d) {
  int lanes = by.width;
  while (lanes > 1 && lanes * most > by.width) lanes /= 2;
  const int at_once = by_power(by.width, lanes);
  screen::Nearest<U> best;
  for (int first = 0; first < most; first += at_once) {
    const int at = first + by_power(by.lane, lanes), c = at < count ? named[at] : 0;
    const U dist = distance2<U>(x, centroids + std::int64_t(c) * d, d, lanes);
    if (at < count) best.add(dist, c);
  }
  for (int away = lanes; away < by.width; away *= 2) merge_from_lane(best, best, away);
  return best;
}

/// Compares the candidates of open points by differences, in fp64 where fp32 is in doubt. A warp takes one point or two. rows: of the batch; lanes:
/// that scored a row.
template <class T>
__device__ __forceinline__ void compare(const Run<T>& r, SharedState<T>& s, const T* centroids, const screen::Margin<1>& margin_of, const int* rows,
                                        int lanes) {
  const Sharers by(lanes <= 16 && s.opens > warps ? 16 : 32);
  const int at_once = by_power(block, by.width);
  std::int32_t* const named = s.named[by_power(threadIdx.x, by.width)];
  for (int of_warp = threadIdx.x / 32 * by_power(32, by.width); of_warp < s.opens; of_warp += at_once) {
    const int at = of_warp + by_power(by.base, by.width);
    const bool here = at < s.opens;
    const int row = s.open[here ? at : of_warp], i = rows[row], old = r.labels[i];
    const float margin = margin_of.at(r.left[i]), length2 = r.length2[i], enough = s.enough[here ? at : of_warp];
    float others;
    const int found = name_candidates(r, s, by, row, enough, lanes, named, others), count = found <= most_named ? found : 0;
    const int most = cuda::max_over_warp(count);
    const T* const x = r.points + std::int64_t(i) * r.d;
    const screen::Nearest<T> best = nearest_of<T>(by, x, centroids, named, count, most, r.d);
    int label = best.at;
    const OfDifferences<T> bounds(r.d, r.scale);
    float upper = bounds.above(best.first), lower = bounds.below(best.second);
    const bool doubt = sizeof(T) == 4 && count > 0 && !screen::leads(best, r.d);
    if (__any_sync(0xFFFFFFFF, doubt)) {
      const screen::Nearest<double> exact = nearest_of<double>(by, x, centroids, named, count, most, r.d);
      const OfDifferences<double> finer(r.d, r.scale);
      if (doubt) label = exact.at, upper = finer.above(exact.first), lower = finer.below(exact.second);
    }
    if (here && by.lane == 0) {
      if (count == 0 || count > few_named) atomicAdd(&s.many, 1);
      if (count > 0) settled(r, s, i, old, label, upper, fminf(lower, lower_from(below(length2, others, margin))));
      else s.unknown[atomicAdd(&s.unknown_size, 1)] = i;
    }
    __syncwarp();  // before `named` is overwritten
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
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, lanes = lanes_of(r.d), at_once = by_power(32, lanes);
  const int across = max(quotient(warps, s.doubts), 1), sets = quotient(warps, across), set = quotient(warp, across);
  for (int first = 0; first < s.doubts; first += sets) {
    const int doubt = first + set;
    if (warp < sets * across && doubt < s.doubts) {
      const T* const x = r.points + std::int64_t(rows[s.doubtful[doubt]]) * r.d;
      screen::Nearest<double> best;
      for (int c0 = (warp - set * across) * at_once; c0 < r.k; c0 += across * at_once) {
        const int c = c0 + by_power(lane, lanes);
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
