// Scores the points of a block's list against all centroids by fp16 products (mma.sync). Points within a proven margin are decided, as in
// gpu/lloyd/screened. For the others the scores list the few candidates, or report that there are many.
#pragma once

#include "impl/gpu/lloyd/ampere.cuh"
#include "impl/gpu/yinyang/compacted_state.cuh"

namespace km::compacted {

/// Adds the products of 16 rows, in two halves, with 32 columns over 32 dimensions.
__device__ __forceinline__ void multiply_16(float (&sums)[16], const uint4& upper, const uint4& lower, const uint4 (&b)[4]) {
  const std::uint32_t first[4] = {upper.x, lower.x, upper.y, lower.y}, second[4] = {upper.z, lower.z, upper.w, lower.w};
#pragma unroll
  for (int x = 0; x < 4; ++x) {
    const std::uint32_t one[2] = {b[x].x, b[x].y}, two[2] = {b[x].z, b[x].w};
    ampere::multiply(sums + x * 4, first, one);
    ampere::multiply(sums + x * 4, second, two);
  }
}

/// Scores a warp's 32 rows against every across-th band of 32 centroids from `strip` on, and writes each lane's best two to shared memory. Deep:
/// registers for the points' halves; 0: read them again per band. Rows of both operands are read in pieces of 32 dimensions, 8 per lane, which
/// permutes their dimensions alike.
template <int Deep, class T>
__device__ __forceinline__ void score(const Run<T>& r, SharedState<T>& s, const int* rows, int m, int tile, int strip, int across) {
  const int lane = threadIdx.x % 32, quarter = lane % 4, deep = Deep > 0 ? Deep : r.deep;
  const uint4* from[4];
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    const int row = tile * warp_rows + h * 8 + lane / 4;
    from[h] = r.halves + std::int64_t(rows[row < m ? row : 0]) * deep * 4 + quarter;
  }
  uint4 kept[Deep > 0 ? Deep : 1][4];
#pragma unroll
  for (int u = 0; u < Deep; ++u)
#pragma unroll
    for (int h = 0; h < 4; ++h) kept[u][h] = from[h][u * 4];

  screen::Best best[4];
  for (int band = strip; band < r.k_padded / 32; band += across) {
    float sums[2][16] = {};
    const uint4* const columns = r.image + std::int64_t(band) * 4 * deep * 32 + lane;
    const auto multiply = [&](const uint4(&a)[4], int u) {
      uint4 b[4];
#pragma unroll
      for (int x = 0; x < 4; ++x) b[x] = columns[(x * deep + u) * 32];
#pragma unroll
      for (int p = 0; p < 2; ++p) multiply_16(sums[p], a[p * 2], a[p * 2 + 1], b);
    };
    if constexpr (Deep > 0) {
#pragma unroll
      for (int u = 0; u < Deep; ++u) multiply(kept[u], u);
    } else {
#pragma unroll 2
      for (int u = 0; u < deep; ++u) {
        const uint4 a[4] = {from[0][u * 4], from[1][u * 4], from[2][u * 4], from[3][u * 4]};
        multiply(a, u);
      }
    }
#pragma unroll
    for (int x = 0; x < 4; ++x) {
      const int column = band * 32 + x * 8 + quarter * 2;
      const float2 start = *reinterpret_cast<const float2*>(r.starts + column);
#pragma unroll
      for (int h = 0; h < 4; ++h) {
        best[h].add(sums[h / 2][x * 4 + h % 2 * 2] + start.x, column);
        best[h].add(sums[h / 2][x * 4 + h % 2 * 2 + 1] + start.y, column + 1);
      }
    }
  }
#pragma unroll
  for (int h = 0; h < 4; ++h) {
    const int row = tile * warp_rows + h * 8 + lane / 4, to = (row * across + strip) * 4 + quarter;
    s.first[to] = best[h].first, s.second[to] = best[h].second, s.at[to] = best[h].at;
  }
}

/// Merges the lanes' best two of a thread's row: decided, open with its candidates, or open with too many.
template <class T>
__device__ __forceinline__ void decide(const Run<T>& r, SharedState<T>& s, const screen::Margin<1>& margin_of, const int* rows, int row, int lanes) {
  const int i = rows[row], begin = row * lanes, old = r.labels[i];
  const float margin = margin_of.at(r.left[i]), length2 = r.length2[i];
  screen::Best best;
  for (int e = begin; e < begin + lanes; ++e) {
    best.add(s.first[e], s.at[e]);
    best.second = fmaxf(best.second, s.second[e]);
  }
  if (best.first - best.second > margin) {
    settled(r, s, i, old, best.at, upper_from(above(length2, best.first, margin)), lower_from(below(length2, best.second, margin)));
    return;
  }
  const float enough = best.first - margin;
  OpenRow open{i, 0, -cuda::infinity<float>, {}};
  bool complete = true;
  for (int e = begin; e < begin + lanes; ++e) {
    const bool candidate = s.first[e] >= enough;
    complete &= s.second[e] < enough && (!candidate || open.count < screen::most_candidates);
    open.others = fmaxf(open.others, candidate ? s.second[e] : s.first[e]);
    if (candidate && complete) open.candidates[open.count++] = s.at[e];
  }
  if (complete) s.open[atomicAdd(&s.opens, 1)] = open;
  else s.unknown[atomicAdd(&s.unknown_size, 1)] = i;
}

}  // namespace km::compacted
