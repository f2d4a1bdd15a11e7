// Settles what products cannot decide: all centroids by differences. In fp32 a sum of d squares is off by at most (d + 4) 2^-24 of itself at any
// range, so a larger lead decides. Otherwise fp64 decides, in order of dimensions as in the judge; the lowest index wins a tie. fp64 points use fp64
// differences at once. A lane takes a centroid, so that a warp reads a dimension of 32 centroids at once, and 8 points from shared memory.
// Cost per point: 2 k d instructions and, shared by 8 points, k d values from cache.
#pragma once

#include "impl/gpu/lloyd/screen_margin.cuh"

namespace km::screen {

constexpr int settle_block = 256, settle_warps = settle_block / 32, together = 8;

/// The two least distances² so far.
template <class T>
struct Nearest {
  T first = cuda::infinity<T>, second = cuda::infinity<T>;
  int at = 0x7FFFFFFF;
  __device__ void add(T dist, int where, T other_second = cuda::infinity<T>) {
    const bool nearer = dist < first || (dist == first && where < at);
    second = min(min(second, other_second), nearer ? first : dist);
    first = nearer ? dist : first;
    at = nearer ? where : at;
  }
  __device__ void add(const Nearest& other) { add(other.first, other.at, other.second); }
};

/// Merges what the lane `away` gives.
template <class T>
__device__ __forceinline__ void merge_from_lane(Nearest<T>& mine, const Nearest<T>& given, int away) {
  const T first = __shfl_xor_sync(0xFFFFFFFF, given.first, away), second = __shfl_xor_sync(0xFFFFFFFF, given.second, away);
  mine.add(first, __shfl_xor_sync(0xFFFFFFFF, given.at, away), second);
}

template <class T>
struct Settle {
  const T* points;
  const T* transposed;  // centroids, d x k_padded
  std::int64_t n;
  int d, k, k_padded;
  int across;  // warps that share the centroids of 8 points
  Progress* progress;
  const int* todo;
  std::int32_t* labels;
  unsigned long long* changed;
};

/// Returns the nearest centroid of the block's point at x, `together` values apart, by fp64 differences, to the first thread. All threads call it.
template <class T>
__device__ __forceinline__ int nearest_in_fp64(const Settle<T>& s, const T* x, Nearest<double> (&exact)[settle_warps]) {
  Nearest<double> best;
  for (int c = threadIdx.x; c < s.k; c += settle_block) {
    double dist = 0;
#pragma unroll 4
    for (int j = 0; j < s.d; ++j) {
      const double diff = double(x[j * together]) - double(s.transposed[std::int64_t(j) * s.k_padded + c]);
      dist += diff * diff;
    }
    best.add(dist, c);
  }
  for (int other = 16; other > 0; other /= 2) best.add(__shfl_xor_sync(0xFFFFFFFF, best.first, other), __shfl_xor_sync(0xFFFFFFFF, best.at, other));
  if (threadIdx.x % 32 == 0) exact[threadIdx.x / 32] = best;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int other = 1; other < settle_warps; ++other) best.add(exact[other].first, exact[other].at);
  return best.at;
}

template <class T>
__global__ void __launch_bounds__(settle_block) settle(const __grid_constant__ Settle<T> s) {
  extern __shared__ double shared[];
  T* const x = reinterpret_cast<T*>(shared);  // per 8 points: d x 8
  __shared__ Nearest<T> found[settle_warps][together];
  __shared__ Nearest<double> exact[settle_warps];
  __shared__ int doubtful[settle_warps * together], doubts;
  cuda::await_previous();
  const int t = threadIdx.x, warp = t / 32, lane = t % 32, d = s.d;
  const int sets = settle_warps / s.across, set = warp / s.across, strip = warp % s.across, at_once = sets * together;
  const bool listed = s.progress->strategy != differences;
  const std::int64_t rows = listed ? std::int64_t(s.progress->rest) : s.n;
  const auto point = [&](std::int64_t row) { return listed ? std::int64_t(s.todo[row]) : row; };
  unsigned moved = 0;
  const auto label = [&](std::int64_t row, int c) {
    const std::int64_t i = point(row);
    if (c < s.k && s.labels[i] != c) s.labels[i] = c, ++moved;
    else if (c >= s.k && s.labels[i] < 0) s.labels[i] = 0, ++moved;  // every distance is NaN
  };

  for (std::int64_t first = std::int64_t(blockIdx.x) * at_once; first < rows; first += std::int64_t(gridDim.x) * at_once) {
    const int size = static_cast<int>(min(rows - first, std::int64_t(at_once)));
    for (int at = t; at < at_once * d; at += settle_block) {
      const int p = at / d, j = at % d;
      x[(p / together * d + j) * together + p % together] = p < size ? s.points[point(first + p) * d + j] : T(0);
    }
    if (t == 0) doubts = 0;
    __syncthreads();

    Nearest<T> mine[together];
    const T* const x_at = x + set * d * together;
    for (int c = strip * 32 + lane; c < s.k_padded && set * together < size; c += s.across * 32) {
      T dist[together] = {};
#pragma unroll 4
      for (int j = 0; j < d; ++j) {
        const T value = s.transposed[std::int64_t(j) * s.k_padded + c];
#pragma unroll
        for (int p = 0; p < together; ++p) {
          const T diff = x_at[j * together + p] - value;
          dist[p] += diff * diff;
        }
      }
      if (c < s.k)
#pragma unroll
        for (int p = 0; p < together; ++p) mine[p].add(dist[p], c);
    }
#pragma unroll
    for (int p = 0; p < together; ++p) {
      for (int other = 16; other > 0; other /= 2) merge_from_lane(mine[p], mine[p], other);
      if (lane == 0) found[warp][p] = mine[p];
    }
    __syncthreads();
    if (t < size) {
      Nearest<T> all = found[t / together * s.across][t % together];
      for (int other = 1; other < s.across; ++other) all.add(found[t / together * s.across + other][t % together]);
      bool decided = true;
      if constexpr (sizeof(T) == 4) {
        const float share = ldexpf(d + 4.0f, -23) * 1.01f, least = ldexpf(float(d), -148);
        decided = all.second - all.first > share * all.second + least;
      }
      if (decided) label(first + t, all.at);
      else doubtful[atomicAdd(&doubts, 1)] = t;
    }
    __syncthreads();

    for (int doubt = 0; doubt < doubts; ++doubt) {
      const int p = doubtful[doubt];
      const int c = nearest_in_fp64(s, x + p / together * d * together + p % together, exact);
      if (t == 0) label(first + p, c);
      __syncthreads();
    }
    if (t == 0 && doubts > 0) atomicAdd(&s.progress->in_doubt, doubts);
    __syncthreads();  // before x, found and doubts are overwritten
  }
  cuda::add_of_warp(s.changed, moved);
}

/// True if the lead of the nearest exceeds the error of differences in T. In fp64 a sum in order decides.
template <class T>
__device__ bool leads(const Nearest<T>& best, int d) {
  const T share = 2 * T(d + 8) * (std::numeric_limits<T>::epsilon() / 2) * T(1.01), least = T(d) * 4 * std::numeric_limits<T>::denorm_min();
  return best.second - best.first > share * best.second + least;
}

/// Eight lanes per open point with candidates compare these by differences and share the dimensions, Width values each. If the lead is too small, one
/// lane per candidate uses fp64.
template <class T, int Width>
__global__ void __launch_bounds__(settle_block)
    compare_candidates(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, Progress* progress, const Open open,
                       std::int32_t* labels, unsigned long long* changed) {
  cuda::await_previous();
  if (progress->strategy == differences) return;
  using Values = cuda::Values<T, Width>;
  static_assert(most_candidates == 8);
  const int lane = threadIdx.x % 8, unknown = progress->unknown, rows = unknown + progress->known;
  unsigned moved = 0, doubts = 0;
  for (int row0 = (blockIdx.x * settle_block + threadIdx.x) / 32 * 4; row0 < rows; row0 += gridDim.x * settle_warps * 4) {
    const int row = row0 + threadIdx.x % 32 / 8, at_row = row < unknown ? row : int(n) - 1 - (row - unknown);
    const int count = row < rows ? open.counts[at_row] : 0, i = row < rows ? open.points[at_row] : 0;
    const std::int32_t mine = lane < count ? open.candidates[std::int64_t(at_row) * most_candidates + lane] : 0;
    const T* const x = points + std::int64_t(i) * d;
    Nearest<T> best;
    for (int at = 0; at < __reduce_max_sync(0xFFFFFFFF, count); at += 2) {
      const int c[2] = {__shfl_sync(0xFFFFFFFF, mine, at, 8), __shfl_sync(0xFFFFFFFF, mine, at + 1, 8)};
      T dist[2] = {};
      if (at < count) {
#pragma unroll 4
        for (int j = lane * Width; j < d; j += 8 * Width) {
          const auto value = *reinterpret_cast<const Values*>(x + j);
#pragma unroll
          for (int u = 0; u < 2; ++u) {
            const auto centroid = *reinterpret_cast<const Values*>(centroids + std::int64_t(c[u]) * d + j);
#pragma unroll
            for (int w = 0; w < Width; ++w) {
              const T diff = value.at[w] - centroid.at[w];
              dist[u] += diff * diff;
            }
          }
        }
      }
#pragma unroll
      for (int u = 0; u < 2; ++u) {
#pragma unroll
        for (int half = 4; half > 0; half /= 2) dist[u] += __shfl_xor_sync(0xFFFFFFFF, dist[u], half);
        if (at + u < count) best.add(dist[u], c[u]);
      }
    }
    const bool doubtful = count > 1 && !leads(best, d);
    if (__any_sync(0xFFFFFFFF, doubtful)) {
      Nearest<double> exact;
      if (doubtful && lane < count) {
        double dist = 0;
#pragma unroll 4
        for (int j = 0; j < d; ++j) {
          const double diff = double(x[j]) - double(centroids[std::int64_t(mine) * d + j]);
          dist += diff * diff;
        }
        exact.add(dist, mine);
      }
      for (int half = 4; half > 0; half /= 2) exact.add(__shfl_xor_sync(0xFFFFFFFF, exact.first, half), __shfl_xor_sync(0xFFFFFFFF, exact.at, half));
      if (doubtful) best.at = exact.at, ++doubts;
    }
    if (lane == 0 && count > 0 && labels[i] != best.at) labels[i] = best.at, ++moved;
  }
  cuda::add_of_warp(changed, moved);
  if (lane == 0 && doubts > 0) atomicAdd(&progress->in_doubt, doubts);
}

}  // namespace km::screen
