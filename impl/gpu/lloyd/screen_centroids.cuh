// Makes the next centroids from sums: means, both images of their halves, columns for differences. Leaves out twins and chooses the strategy.
// Cost: k d sums read, k d values written four times; one kernel.
#pragma once

#include <limits>

#include "impl/gpu/lloyd/moved_sums.cuh"
#include "impl/gpu/lloyd/screen_margin.cuh"

namespace km::screen {

/// Centroids as the next assign reads them: the screens' images, their lengths, and d x k_padded for differences.
template <class T>
struct Images {
  ImageLayout one, three;
  std::uint8_t *one_image, *three_image;
  Lengths* lengths;
  T* transposed;
  int k_padded;
  float score_offset;
};

/// Finds twins: centroids equal to one of a lower index, which wins every tie. Equal rows share a slot of a hash table. A missed twin costs time.
struct Twins {
  static constexpr int bits = 20;
  struct State {
    unsigned long long finished;  // blocks of this launch, and 2^32 for each that met a twin
    unsigned turn;                // counts launches down, so that older entries of a slot are greater
  };
  unsigned long long* lowest;  // of a slot: turn and lowest centroid
  unsigned long long* hashes;  // of each centroid
  State* state;
  __device__ unsigned long long* slot(unsigned long long hash) const { return &lowest[hash >> (64 - bits)]; }
  __device__ static unsigned long long entry(unsigned turn, int c) { return static_cast<unsigned long long>(turn) << 32 | c; }
  /// The centroid of a slot's entry of this turn; k without one.
  __device__ static int centroid(unsigned long long entry, unsigned turn, int k) { return entry >> 32 == turn ? static_cast<int>(entry) : k; }
};

template <class T>
__device__ unsigned long long scattered(T value, int j) {  // a bijection of the bits and j; -0 is 0
  unsigned long long z = __double_as_longlong(double(value) + 0.0) + (j + 1) * 0x9E3779B97F4A7C15ull;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ z >> 27) * 0x94D049BB133111EBull;
  return z ^ z >> 31;
}

/// The next iteration's strategy. Unit of cost: one product of a point with a centroid. Comparing a point's candidates counts as 1200 of them, reading
/// a point in fp16 as 170, from kernels' times on an H200. Strategies only advance, so that they do not alternate.
__device__ inline int next_strategy(const Progress& last, double n, double k) {
  if (2.0 * last.rest > n) return differences;
  if (last.strategy != one_product) return last.strategy;
  const double one = fmax(k, 170.0), three = fmax(3 * k, 340.0), unknown = last.unknown, open = unknown + last.known;
  return unknown * one + last.many * three + open * 1200 > n * (three - one) ? three_products : one_product;
}

/// State passed from one assign to the next.
struct Course {
  Lengths* spent;      // to clear for the iteration after next
  Progress* progress;  // this iteration's, then the next one's
  Progress* last;
  bool free;  // the strategy may change
};

/// One block of 128 threads per cluster: turns sums into means and images. An empty cluster keeps its centroid. The last block leaves out twins and
/// chooses the next strategy. sums == nullptr: images of `centroids` only.
template <class T>
__global__ void __launch_bounds__(128)
    average(const moved_sums::Sum* sums, const int* counts, moved_sums::FixedPoint<T> fixed_point, const T* centroids, const double* centre,
            double scale, std::int64_t n, int d, int k, T* next, const __grid_constant__ Images<T> to, const Twins twins, const Course course) {
  cuda::await_previous();
  const int c = blockIdx.x, t = threadIdx.x, count = sums ? counts[c] : 0;
  const unsigned turn = twins.state->turn;
  __shared__ unsigned long long hashes[4];
  __shared__ bool last, twinned;
  unsigned long long hash = 0;
  const auto mean = [&](int j) {
    const std::int64_t at = std::int64_t(c) * d + j;
    const moved_sums::Sum sum = sums ? sums[at] : moved_sums::Sum{};  // beside the count, not after it
    T value = centroids[at];
    if (count > 0) value = static_cast<T>(fixed_point.value(sum.coarse, sum.fine, j) / count);
    if (sums) next[at] = value;
    to.transposed[std::int64_t(j) * to.k_padded + c] = value;
    hash += scattered(value, j);
    return value;
  };
  halve_centroid(mean, centre, scale, c, d, to.score_offset, to.one, to.one_image, to.three, to.three_image, to.lengths);
  cuda::sum_over_warp(hash);
  if (t % 32 == 0) hashes[t / 32] = hash;
  __syncthreads();
  Progress made{};
  if (t == 0) {
    if (sums) made = *course.progress;  // before the atomics: each is a trip to memory that all blocks wait for
    hash = hashes[0] + hashes[1] + hashes[2] + hashes[3];
    twins.hashes[c] = hash;
    __threadfence();  // for the whole block, which has met at the barrier
    const int other = twins.centroid(atomicMin(twins.slot(hash), Twins::entry(turn, c)), turn, k);
    const bool met = other < k && __ldcg(&twins.hashes[other]) == hash;
    const unsigned long long one = met ? (1ull << 32) + 1 : 1, finished = atomicAdd(&twins.state->finished, one) + one;
    last = static_cast<unsigned>(finished) == gridDim.x;
    twinned = finished >> 32 > 0;
  }
  __syncthreads();
  if (!last) return;

  __threadfence();
  const T* const rows = sums ? next : centroids;
  constexpr int at_once = 8;  // reads in flight: the rest of the card waits for this block
  for (int c0 = t; twinned && c0 < k; c0 += at_once * 128) {
    unsigned long long own[at_once];
    int first[at_once];
#pragma unroll
    for (int u = 0; u < at_once; ++u) own[u] = c0 + u * 128 < k ? __ldcg(&twins.hashes[c0 + u * 128]) : 0;
#pragma unroll
    for (int u = 0; u < at_once; ++u) first[u] = twins.centroid(__ldcg(twins.slot(own[u])), turn, k);
#pragma unroll
    for (int u = 0; u < at_once; ++u) {
      const int twin = c0 + u * 128;
      bool same = twin < k && first[u] < twin && __ldcg(&twins.hashes[first[u]]) == own[u];
      for (int j0 = 0; same && j0 < d; j0 += 8)
#pragma unroll
        for (int j = j0; j < j0 + 8; ++j)
          if (j < d) same &= __ldcg(&rows[std::int64_t(first[u]) * d + j]) == __ldcg(&rows[std::int64_t(twin) * d + j]);
      if (!same) continue;
      to.one.begin(to.one_image, twin, -cuda::infinity<float>);
      to.three.begin(to.three_image, twin, -cuda::infinity<float>);
      to.transposed[twin] = std::numeric_limits<T>::quiet_NaN();  // no distance to it is the least
    }
  }
  if (t > 0) return;
  *twins.state = {0, turn - 1};
  if (!sums) return;
  *course.spent = {0, 0};
  *course.last = made;
  *course.progress = {.strategy = course.free ? next_strategy(made, double(n), double(k)) : made.strategy};
}

}  // namespace km::screen
