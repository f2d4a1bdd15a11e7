// Scores the points of a block's list against all centroids by fp16 products (mma.sync). Points whose best score leads by the proven margin are
// decided, as in gpu/lloyd/screened. For the others the scores list the candidates, or report that there are many.
#pragma once

#include "impl/gpu/lloyd/ampere.cuh"
#include "impl/gpu/yinyang/compacted_state.cuh"

namespace km::compacted {

/// The two best scores so far, and where the best is.
struct BestTwo : screen::Best {
  static constexpr int second_at = 0;
  __device__ float third() const { return second; }
};

/// Also where the second is, and the third score: fewer candidates for points of many dimensions, each of which costs much.
struct BestThree : screen::Best {
  float others = -cuda::infinity<float>;
  int second_at = 0;
  __device__ __forceinline__ void add(float score, int where) {
    second_at = score > first ? at : score > second ? where : second_at;
    others = fmaxf(others, fminf(second, score));
    screen::Best::add(score, where);
  }
  __device__ float third() const { return others; }
};

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

/// Scores a warp's 32 rows against every across-th band of 32 centroids from `strip` on, and writes each lane's best to shared memory. Deep:
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

  std::conditional_t<Deep == 0, BestThree, BestTwo> best[4];
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
    s.first[to] = best[h].first, s.second[to] = best[h].second, s.third[to] = best[h].third();
    s.at[to] = best[h].at, s.second_at[to] = best[h].second_at;
  }
}

/// Merges the lanes' best two of a thread's row: decided, or open. Few rows have four threads each. All threads call it. lanes: of a row.
template <class T>
__device__ __forceinline__ void decide(const Run<T>& r, SharedState<T>& s, const screen::Margin<1>& margin_of, const int* rows, int m, int lanes) {
  const int t = threadIdx.x, share = m * 4 <= block ? 4 : 1;
  if (t / 32 * 32 >= m * share) return;
  const int row = min(t / share, m - 1), i = rows[row], begin = row * lanes, old = r.labels[i];
  const float margin = margin_of.at(r.left[i]), length2 = r.length2[i];
  screen::Best best;
  for (int e = begin + t % share; e < begin + lanes; e += share) {
    best.add(s.first[e], s.at[e]);
    best.second = fmaxf(best.second, s.second[e]);
  }
  for (int away = 1; away < share; away *= 2) best.merge_with_lane(away);
  if (t >= m * share || t % share > 0) return;
  if (best.first - best.second > margin) {
    settled(r, s, i, old, best.at, upper_from(above(length2, best.first, margin)), lower_from(below(length2, best.second, margin)));
    return;
  }
  const int at = atomicAdd(&s.opens, 1);
  s.open[at] = row, s.enough[at] = best.first - margin;
}

/// The lanes of a warp that share a row: half of them, or all.
struct Sharers {
  int width, lane, base;
  __device__ explicit Sharers(int width) : width(width), lane(threadIdx.x & (width - 1)), base(threadIdx.x % 32 & -width) {}
  /// The ballot among the lanes of this row. All lanes of the warp call it.
  __device__ unsigned ballot(bool yes) const { return (__ballot_sync(0xFFFFFFFF, yes) >> base) & (0xFFFFFFFF >> (32 - width)); }
};

/// Lists the candidates of an open row in `named`: of each lane that scored it the best, the second if its place is known, or all columns of the lane if
/// more may be candidates. lanes: that scored the row. others: upper bound of all other scores. Returns the number of candidates; at most most_named are
/// listed.
template <class T>
__device__ __forceinline__ int name_candidates(const Run<T>& r, const SharedState<T>& s, const Sharers& by, int row, float enough, int lanes,
                                               std::int32_t* named, float& others) {
  const int across = lanes / 4, bands = r.k_padded / 32;
  int count = 0;
  const auto name = [&](bool candidate, int column) {
    const unsigned all = by.ballot(candidate);
    const int at = count + __popc(all & ((1u << by.lane) - 1));
    if (candidate && at < most_named) named[at] = column;
    count += __popc(all);
  };
  others = -cuda::infinity<float>;
  for (int first = 0; first < lanes; first += by.width) {
    const bool here = first + by.lane < lanes;
    const int e = row * lanes + (here ? first + by.lane : 0);
    const bool candidate = here && s.first[e] >= enough, both = candidate && s.second[e] >= enough;
    const bool more = both && s.third[e] >= enough;
    if (here && !more) others = fmaxf(others, both ? s.third[e] : candidate ? s.second[e] : s.first[e]);
    name(candidate && !more, s.at[e]);
    name(both && !more, s.second_at[e]);
    for (unsigned bits = by.ballot(more); __any_sync(0xFFFFFFFF, bits); bits &= bits - 1) {
      const int owner = first + __ffs(bits) - 1, strip = owner / 4;
      for (int x = by.lane; x - by.lane < quotient(bands + across - 1, across) * 8; x += by.width) {
        const int column = (strip + x / 8 * across) * 32 + x % 8 / 2 * 8 + owner % 4 * 2 + x % 2;
        name(bits && column < r.k_padded && r.starts[column] > -cuda::infinity<float>, column);  // no padding, no twin
      }
    }
  }
  __syncwarp();
  for (int away = by.width / 2; away > 0; away /= 2) others = fmaxf(others, __shfl_xor_sync(0xFFFFFFFF, others, away));
  return count;
}

}  // namespace km::compacted
