// Labels one warp's tile of points in impl/gpu/lloyd/resident.cu. fp32 distances are off by at most (d + 3) 2^-24 of themselves. Their lowest bits
// hold the centroid's index, so that one minimum finds both. The two least decide if the lead is certain, else fp64, the lowest index first.
#pragma once

#include "bench/device/cuda.cuh"

namespace km::resident {

/// Points per warp: by dimension, 16 bytes per lane.
template <class T>
constexpr int lane_points = 16 / sizeof(T);
template <class T>
constexpr int tile_points = 32 * lane_points<T>;

template <int D>
constexpr int row_pitch = D <= 2 ? D : (D + 3) / 4 * 4;

template <int D, class T>
__device__ __forceinline__ void load_row(const T* rows, int c, T (&row)[row_pitch<D>]) {
  constexpr int pitch = row_pitch<D>, width = pitch % cuda::Pack<T>::size == 0 ? cuda::Pack<T>::size : pitch;
#pragma unroll
  for (int j = 0; j < pitch; j += width) {
    const auto values = *reinterpret_cast<const cuda::Values<T, width>*>(rows + c * pitch + j);
#pragma unroll
    for (int w = 0; w < width; ++w) row[j + w] = values.at[w];
  }
}

/// Labels a lane's points. rows: k x pitch, and one more of infinities. mask: the bits of a distance without the index.
template <int D>
__device__ __forceinline__ void nearest(const float (&x)[4][D], const float* rows, int k, int mask, float margin, int (&label)[4], unsigned& open) {
  int first[4], second[4];
#pragma unroll
  for (int u = 0; u < 4; ++u) first[u] = second[u] = 0x7FFFFFFF;
#pragma unroll 2
  for (int c = 0; c < k; c += 2) {
    int key[2][4];
#pragma unroll
    for (int side = 0; side < 2; ++side) {
      float row[row_pitch<D>];
      load_row<D>(rows, c + side, row);
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        float dist = 0;
#pragma unroll
        for (int j = 0; j < D; ++j) {
          const float diff = x[u][j] - row[j];
          dist = fmaf(diff, diff, dist);
        }
        key[side][u] = (__float_as_int(dist) & mask) | (c + side);
      }
    }
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const int low = min(key[0][u], key[1][u]), high = max(key[0][u], key[1][u]);
      second[u] = __vimin3_s32(second[u], high, max(first[u], low));
      first[u] = min(first[u], low);
    }
  }
#pragma unroll
  for (int u = 0; u < 4; ++u) {
    const float least = __int_as_float(first[u]);
    label[u] = first[u] & ~mask;
    if (second[u] <= __float_as_int(fmaf(least, margin, 1e-37f)) || first[u] >= 0x7F000000) open |= 1u << u;
  }
}

template <int D>
__device__ __forceinline__ void nearest(const double (&x)[2][D], const double* rows, int k, int, float, int (&label)[2], unsigned&) {
  double least[2];
#pragma unroll
  for (int u = 0; u < 2; ++u) label[u] = 0, least[u] = cuda::infinity<double>;
#pragma unroll 2
  for (int c = 0; c < k; ++c) {
    double row[row_pitch<D>];
    load_row<D>(rows, c, row);
    cuda::keep_nearest(x, row, c, least, label);
  }
}

/// Nearest of all centroids to a point whose dimensions are tile_points apart, in fp64.
template <int D, class T>
__device__ int settled(const T* x, const T* rows, int k) {
  int best = 0;
  double least = cuda::infinity<double>;
  for (int c = 0; c < k; ++c) {
    double dist = 0;
#pragma unroll
    for (int j = 0; j < D; ++j) {
      const double diff = double(x[j * tile_points<T>]) - double(rows[c * row_pitch<D> + j]);
      dist += diff * diff;
    }
    if (dist < least) least = dist, best = c;
  }
  return best;
}

/// Labels one tile. Old labels count unless `fresh`. Calls visit(x, labels, old labels, bits of moved points). Returns the count of moved points.
template <int D, class T, class Visit>
__device__ __forceinline__ unsigned label_tile(const T* tile, std::uint8_t* labels, int points, bool fresh, const T* rows, int k, int mask,
                                               float margin, Visit visit) {
  constexpr int each = lane_points<T>, size = tile_points<T>;
  const int at = threadIdx.x % 32 * each;
  T x[each][D];
#pragma unroll
  for (int j = 0; j < D; ++j) {
    const auto pack = *reinterpret_cast<const cuda::Pack<T>*>(tile + j * size + at);
#pragma unroll
    for (int u = 0; u < each; ++u) x[u][j] = pack.at[u];
  }
  using Packed = cuda::Values<std::uint8_t, each>;
  const Packed old = *reinterpret_cast<Packed*>(labels + at);
  int label[each];
  unsigned open = 0, moved = 0;
  nearest(x, rows, k, mask, margin, label, open);
  if (open) [[unlikely]] {
#pragma unroll
    for (int u = 0; u < each; ++u)
      if (open >> u & 1) label[u] = settled<D>(tile + at + u, rows, k);
  }
  Packed now;
#pragma unroll
  for (int u = 0; u < each; ++u) {
    now.at[u] = static_cast<std::uint8_t>(label[u]);
    if (at + u < points && (fresh || now.at[u] != old.at[u])) moved |= 1u << u;
  }
  if (moved) *reinterpret_cast<Packed*>(labels + at) = now;
  visit(x, label, old.at, moved);
  return __popc(moved);
}

}  // namespace km::resident
