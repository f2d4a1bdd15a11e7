// Distances from one point per thread to centroids in grouped layout (grouped.cuh).
#pragma once

#include "impl/gpu/yinyang/bounds.cuh"
#include "impl/gpu/yinyang/grouped.cuh"

namespace km::yinyang {

constexpr int block = 128;  // one point per thread

/// The two least distances²; the lowest index wins a tie.
template <class T>
struct Two {
  T first = cuda::infinity<T>, second = cuda::infinity<T>;
  int at = nobody;
  __device__ __forceinline__ void add(T dist, int c) {
    const bool nearer = dist < first || (dist == first && c < at);
    second = min(second, nearer ? first : dist);
    at = nearer ? c : at;
    first = nearer ? dist : first;
  }
};

/// Distance² between a point and one centroid, in order of dimensions. x: of d x n points; c: values `pitch` apart.
template <class T>
__device__ __forceinline__ T distance_to(const T* __restrict__ x, std::int64_t n, const T* __restrict__ c, int pitch, int d) {
  T dist = 0;
#pragma unroll 4
  for (int j = 0; j < d; ++j) {
    const T diff = x[j * n] - c[std::int64_t(j) * pitch];
    dist = fma(diff, diff, dist);
  }
  return dist;
}

/// The same for Width neighbours, a multiple of four, with identical bits. Reads a point's value once.
template <int Width, class T>
__device__ __forceinline__ void see_neighbours(const T* __restrict__ x, std::int64_t n, int d, const GroupedView<T>& all, int position,
                                               Two<T>& nearest) {
  using Pack = cuda::Pack<T>;
  const T* row = all.transposed + position;
  T dist[Width] = {};
#pragma unroll(32 / Width)
  for (int j = 0; j < d; ++j, row += all.pitch) {
    const T value = x[j * n];
#pragma unroll
    for (int v = 0; v < Width; v += Pack::size) {
      const Pack c = *reinterpret_cast<const Pack*>(row + v);
#pragma unroll
      for (int u = 0; u < Pack::size; ++u) {
        const T diff = value - c.at[u];
        dist[v + u] = fma(diff, diff, dist[v + u]);
      }
    }
  }
#pragma unroll
  for (int v = 0; v < Width; ++v) nearest.add(dist[v], all.centroid_at[position + v]);
}

/// Compares all centroids of a stretch.
template <class T>
__device__ __forceinline__ Two<T> scan(const T* __restrict__ x, std::int64_t n, int d, const GroupedView<T>& all, Stretch stretch) {
  constexpr int wide = 16;
  Two<T> nearest;
  int position = stretch.begin;
  for (; position + wide <= stretch.end; position += wide) see_neighbours<wide>(x, n, d, all, position, nearest);
  for (; position < stretch.end; position += together) see_neighbours<together>(x, n, d, all, position, nearest);
  return nearest;
}

}  // namespace km::yinyang
