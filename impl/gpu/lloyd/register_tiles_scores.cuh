// A lane's work on the points in its registers in impl/gpu/lloyd/register_tiles.cu: scores, margin, and settling of open points.
//
// fp32. The score of centroid c for point x is |c|²/2 - x·c: d FMAs, minimal for the nearest. Rows hold r = fl(-c) and h = fl(|r|²/2). The two least
// scores decide, or leave the point open.
// Proof of the margin; u = 2^-24, R the greatest |r|, relative to the origin, whose subtraction is exact (register_tiles.cuh):
//   row:    |r + c| <= u |c|, so the exact score of r is off that of c by at most u (|x||r| + |r|²)(1 + 4u) <= u (|x|²/2 + 3 R²/2)(1 + 4u).
//   h:      fp64 and one rounding: u |r|²/2 (1 + 2u).
//   chain:  s = h; s = fl(s + x_j r_j), d times. Each term meets at most d factors 1 + δ, |δ| <= u: off by at most d u/(1 - d u) (h + Σ|x_j r_j|) <=
//           d u (|x|²/2 + R²)(1 + 2 d u), and d 2^-150 where results are subnormal.
//   both:   a score is off by at most E = u ((d + 1)/2 |x|² + (d + 2) R²)(1 + 4 d u) + (d + 1) 2^-150.
//   key:    the lowest `bits` bits of s become an index: |key - s| < 2^(bits-23) |key|, or 2^(bits-149) where subnormal. t - ε|t| rises with t, so
//           every score whose key is at least g is at least g - ε|g|, ε = 2^(bits-23).
// A label is certainly the nearest if second - best > 2 E + ε (|best| + |second|) + subnormal errors. In groups the index is the group's. Then best
// is a score without an index, so ε |best| vanishes; |second| is a key's or that of a score of the best's own group.
//   The margin itself is computed in fp32, |x|² too: all terms are positive, with at most 2 d roundings; 1.001 covers them, 1 + 4 d u, and second -
//   best's.
//   If finite, nothing overflows: every partial sum is at most R² + |x|²/2 (1 + 2 d u), |x|² is finite, and a margin with R² > 2^126 is infinite.
//   An infinite or NaN margin leaves the point open. So does a NaN among scores, which minima ignore: it needs such an overflow.
//   Rows beyond k have h = 3e38, finite with any index in its low bits, and above every score of a decided point.
// fp64 settles open points by differences, in order of dimensions, the lowest index first. fp64 points use differences at once.
#pragma once

#include "bench/device/cuda.cuh"

namespace km::register_tiles {

/// Values of a dimension read at once, 16 bytes.
template <class T>
constexpr int pack = 16 / sizeof(T);
/// Length of a centroid's row: D values, for fp32 also half its squared length, in whole packs.
template <class T, int D>
constexpr int row_values = D + (sizeof(T) == 4);
template <class T, int D>
constexpr int row_pitch = (row_values<T, D> + pack<T> - 1) / pack<T>* pack<T>;

/// Start of row c. A pack of padding follows every four rows of a group, to reduce bank conflicts of gathers from different groups.
template <class T, int D, int Group>
__host__ __device__ constexpr int row_at(int c) {
  return Group == 1 ? c * row_pitch<T, D> : c / 4 * (4 * row_pitch<T, D> + pack<T>)+c % 4 * row_pitch<T, D>;
}

template <int Values, class T>
__device__ __forceinline__ void load_row(const T* from, T (&row)[Values]) {
  int j = 0;
#pragma unroll
  for (; j + pack<T> <= Values; j += pack<T>) {
    const auto values = *reinterpret_cast<const cuda::Pack<T>*>(from + j);
#pragma unroll
    for (int w = 0; w < pack<T>; ++w) row[j + w] = values.at[w];
  }
  if constexpr (Values % pack<T> >= 2) {
    const float2 two = *reinterpret_cast<const float2*>(from + j);
    row[j] = two.x, row[j + 1] = two.y, j += 2;
  }
  if constexpr (Values % 2 == 1) row[j] = from[j];
}

/// Twice the error bound of a score, by the proof above.
struct Margin {
  float of_length, rest, of_keys;  // factors of |x|², of nothing, of |best| + |second|
  int mask;                        // bits of a score that remain in a key

  /// longest: upper bound of |r|². margin_scale: 1, or nothing is proven.
  __device__ Margin(int d, int indices, float longest, float margin_scale) {
    const int bits = 32 - __clz((indices - 1) | 1);
    const float up = 1.001f * margin_scale;
    mask = ~((1 << bits) - 1);
    of_keys = ldexpf(up, bits - 23);
    of_length = ldexpf(float(d + 1) / 2 * up, -23);
    rest = longest > 0x1p126f ? cuda::infinity<float>
                              : ldexpf(float(d + 2) * up, -23) * longest + ldexpf(float(d + 8 + (4 << bits)), -149) * margin_scale;
  }
  __device__ __forceinline__ float key(float score, int index) const { return __int_as_float((__float_as_int(score) & mask) | index); }
  /// keys: |best| + |second| of those with an index in their lowest bits.
  template <int D>
  __device__ __forceinline__ bool decides(const float (&x)[D], float best, float second, float keys) const {
    float length = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) length = fmaf(x[j], x[j], length);
    return second - best > fmaf(length, of_length, fmaf(keys, of_keys, rest));
  }
};

template <int D>
__device__ __forceinline__ float score(const float (&x)[D], const float (&row)[D + 1]) {
  float s = row[D];
#pragma unroll
  for (int j = 0; j < D; ++j) s = fmaf(x[j], row[j], s);
  return s;
}

/// The best two keys of P points so far.
template <int P>
struct Keys {
  static constexpr float beyond = 3.2e38f;
  float best[P], second[P];
  __device__ __forceinline__ Keys() {
#pragma unroll
    for (int u = 0; u < P; ++u) best[u] = second[u] = beyond;
  }
  __device__ __forceinline__ void add(int u, float key) {
    second[u] = fminf(second[u], fmaxf(best[u], key));
    best[u] = fminf(best[u], key);
  }
};

/// The least score of each point among the rows of a group.
template <int Group, int D, int P>
__device__ __forceinline__ void least_of_group(const float (&x)[P][D], const float* rows, float (&least)[P]) {
#pragma unroll
  for (int e = 0; e < Group; ++e) {
    float row[D + 1];
    load_row(rows + row_at<float, D, Group>(e), row);
    float s[P];
#pragma unroll
    for (int u = 0; u < P; ++u) s[u] = row[D];
#pragma unroll
    for (int j = 0; j < D; ++j)
#pragma unroll
      for (int u = 0; u < P; ++u) s[u] = fmaf(x[u][j], row[j], s[u]);
#pragma unroll
    for (int u = 0; u < P; ++u) least[u] = e == 0 ? s[u] : fminf(least[u], s[u]);
  }
}

/// Sets the labels of a lane's P points. Returns a mask of the open ones. count: rows, a multiple of 2 or of Group; equal to Rows unless that is 0.
template <int Group, int Rows, int D, int P>
__device__ __forceinline__ unsigned nearest(const float (&x)[P][D], const float* rows, int count, const Margin& margin, int (&label)[P]) {
  Keys<P> keys;
  unsigned open = 0;
  if constexpr (Group == 1) {
    if constexpr (Rows > 0) count = Rows;
    constexpr int unrolled = Rows > 0 ? Rows / 2 : 4;
#pragma unroll unrolled
    for (int c = 0; c < count; c += 2) {
#pragma unroll
      for (int side = 0; side < 2; ++side) {
        float row[D + 1];
        load_row(rows + (c + side) * row_pitch<float, D>, row);
#pragma unroll
        for (int u = 0; u < P; ++u) keys.add(u, margin.key(score(x[u], row), c + side));
      }
    }
#pragma unroll
    for (int u = 0; u < P; ++u) {
      const float best = keys.best[u], second = keys.second[u];
      label[u] = __float_as_int(best) & ~margin.mask;
      if (!margin.decides(x[u], best, second, fabsf(best) + fabsf(second))) open |= 1u << u;
    }
  } else {
#pragma unroll 1
    for (int group = 0; group * Group < count; ++group) {
      float least[P];
      least_of_group<Group>(x, rows + row_at<float, D, Group>(Group) * group, least);
#pragma unroll
      for (int u = 0; u < P; ++u) keys.add(u, margin.key(least[u], group));
    }
#pragma unroll
    for (int u = 0; u < P; ++u) {  // the index within its group, and the second there
      const int group = __float_as_int(keys.best[u]) & ~margin.mask;
      const float* const from = rows + row_at<float, D, Group>(Group) * group;
      float first = keys.beyond, next = keys.second[u];
      int at = 0;
#pragma unroll
      for (int e = 0; e < Group; ++e) {
        float row[D + 1];
        load_row(from + row_at<float, D, Group>(e), row);
        const float s = score(x[u], row);
        next = fminf(next, fmaxf(first, s));
        if (s < first) first = s, at = e;
      }
      label[u] = group * Group + at;
      if (!margin.decides(x[u], first, next, fabsf(next))) open |= 1u << u;
    }
  }
  return open;
}

template <int Group, int Rows, int D, int P>
__device__ __forceinline__ unsigned nearest(const double (&x)[P][D], const double* rows, int count, const Margin&, int (&label)[P]) {
  double least[P];
#pragma unroll
  for (int u = 0; u < P; ++u) label[u] = 0, least[u] = cuda::infinity<double>;
#pragma unroll 2
  for (int c = 0; c < count; ++c) {
    double row[D];
    load_row(rows + row_at<double, D, Group>(c), row);
    cuda::keep_nearest(x, row, c, least, label);
  }
  return 0;
}

/// Settles the warp's open points one by one; its lanes share the centroids. point(lane, u): that point's dimensions, `stride` apart.
template <int D, int P, class T, class Point>
__device__ __forceinline__ void settle(unsigned open, Point point, int stride, const T* origin, const T* centroids, int k, int (&label)[P]) {
  constexpr unsigned all = 0xFFFFFFFF;
  const int lane = threadIdx.x % 32;
  for (unsigned lanes = __ballot_sync(all, open != 0); lanes; lanes &= lanes - 1) {
    const int owner = __ffs(lanes) - 1;
    for (unsigned left = __shfl_sync(all, open, owner); left; left &= left - 1) {
      const int which = __ffs(left) - 1;
      const double value = lane < D ? double(point(owner, which)[lane * stride] + origin[lane]) : 0.0;
      double least = cuda::infinity<double>;
      int best = k;
      for (int first = 0; first < k; first += 32) {
        const int c = first + lane;
        double dist = 0;
#pragma unroll 4
        for (int j = 0; j < D; ++j) {
          const double diff = __shfl_sync(all, value, j) - double(centroids[min(c, k - 1) * D + j]);
          dist += diff * diff;
        }
        if (c < k && dist < least) least = dist, best = c;
      }
      for (int step = 16; step > 0; step /= 2) {
        const double there = __shfl_xor_sync(all, least, step);
        const int c = __shfl_xor_sync(all, best, step);
        if (there < least || (there == least && c < best)) least = there, best = c;
      }
      best = best < k ? best : 0;  // every distance is NaN
#pragma unroll
      for (int u = 0; u < P; ++u)
        if (lane == owner && u == which) label[u] = best;
    }
  }
}

}  // namespace km::register_tiles
