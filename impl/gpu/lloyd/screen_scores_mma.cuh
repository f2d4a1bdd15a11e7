// The scores by mma.sync, for compute capability 8.0 and later without wgmma. Layouts are the same: a warp multiplies a quarter of a 64-row tile at
// a time, and centroids lie in 8 x 8 tiles for ldmatrix. A warp takes 32 points (16 if three products or many dimensions need the registers). Each
// tile of centroids from shared memory is thus used twice: 2 cycles of reading for 4 (compute capability 8.0) of products. It compares 32
// columns' scores while another warp multiplies. cp.async fetches pieces of centroids, two ahead.
#pragma once

#include <cuda_pipeline.h>

#include "impl/gpu/lloyd/ampere.cuh"
#include "impl/gpu/lloyd/screen_compare.cuh"

namespace km::screen {

template <int Steps, int Products, bool Chunked>
struct MmaShape {
  static constexpr int strips = Products == 1 && !Chunked ? 2 : 1;       // of 16 rows, per warp
  static constexpr int threads = strips == 2 && Steps <= 2 ? 512 : 256;  // with 128 or 255 registers each
};

/// Of the high or the low parts of a piece.
template <int Columns, int Steps>
__device__ constexpr int half_bytes() {
  return Columns * Steps * step * int(sizeof(__half));
}

/// How many times this block takes `at_once` of `rows`.
__device__ inline std::int64_t rounds_of(std::int64_t rows, std::int64_t at_once) {
  const std::int64_t sets = (rows + at_once - 1) / at_once;
  return sets > blockIdx.x ? (sets - blockIdx.x + gridDim.x - 1) / gridDim.x : 0;
}

/// Ring of the image's pieces in shared memory. If all fit, they stay; else three are kept, two of them in flight.
struct Ring {
  const Screen& s;
  std::uint8_t* memory;
  std::int64_t copies;  // total number of copies
  bool resident;
  int bytes, pieces, slots, piece = 0, slot = -1, next_slot = 0;
  std::int64_t copy = 0;

  __device__ Ring(const Screen& screen, std::uint8_t* to, std::int64_t rounds) : s(screen), memory(to) {
    bytes = s.layout.piece_bytes(), pieces = s.layout.tiles * s.layout.chunks;
    resident = pieces <= s.stages;
    slots = resident ? pieces : 3;
    copies = resident ? pieces : rounds * pieces;
    for (int ahead = 0; ahead < (resident ? pieces : 2); ++ahead) start_copy();
    if (!resident) return;
    __pipeline_wait_prior(0);
    __syncthreads();
  }
  __device__ void start_copy() {
    if (copy < copies) {
      const std::uint8_t* const from = s.image + std::int64_t(piece) * bytes;
      for (int at = threadIdx.x * 16; at < bytes; at += blockDim.x * 16) __pipeline_memcpy_async(memory + next_slot * bytes + at, from + at, 16);
      if (++piece == pieces) piece = 0;
      if (++next_slot == slots) next_slot = 0;
      ++copy;
    }
    __pipeline_commit();
  }
  /// Returns the next piece. All threads call it.
  __device__ const std::uint8_t* next() {
    if (++slot == slots) slot = 0;
    if (!resident) {
      __pipeline_wait_prior(1);  // this thread's part has arrived
      __syncthreads();           // the others' parts too; and all are done with the previous piece, which is replaced
      start_copy();
    }
    return memory + slot * bytes;
  }
};

/// Multiplies a warp's strips by a band of 32 centroids of the piece. Small terms first: low with high, high with low, high with high. The next step's
/// centroids are prefetched.
template <int Columns, int Steps, int Products, int Strips, int Kept, int Low>
__device__ __forceinline__ void multiply_band(float (&sums)[Strips][Kept][16], int kept, const std::uint32_t (&high)[Strips][Steps * 4],
                                              const std::uint32_t (&low)[Strips][Low], std::uint32_t piece_at, int band) {
  std::uint32_t b[2][2][4];
  const auto fetch = [&](int v) {  // step v % Steps of product v / Steps
#pragma unroll
    for (int x = 0; x < 2; ++x)  // 16 columns
      ampere::load_tiles(b[v % 2][x], piece_at + (Products == 3 && v / Steps == 1 ? half_bytes<Columns, Steps>() : 0) +
                                          (v % Steps * Columns * 2 + band * 32 + x * 16) * 16);
  };
  fetch(0);
#pragma unroll
  for (int v = 0; v < Products * Steps; ++v) {
    if (v + 1 < Products * Steps) fetch(v + 1);
#pragma unroll
    for (int p = 0; p < Strips; ++p) {
      const std::uint32_t* const a = (Products == 3 && v < Steps ? low[p] : high[p]) + v % Steps * 4;
#pragma unroll
      for (int x = 0; x < 4; ++x) ampere::multiply(sums[p][kept] + x * 4, a, b[v % 2][x / 2] + x % 2 * 2);
    }
  }
}

/// Compares a warp's sums of a band of 32 centroids, which begin at `starts` or hold that: collects candidates or updates the leaders.
template <bool Collects, bool Started, int Strips, int Kept, int Columns>
__device__ __forceinline__ void compare_band(const Screen& s, const float (&sums)[Strips][Kept][16], int kept, const float* starts, int band,
                                             int lane, Leaders<Columns, false> (&leaders)[Strips], Collector (&collectors)[Strips]) {
#pragma unroll
  for (int p = 0; p < Strips; ++p) {
    const Scores<false, Started> scores(sums[p][kept], starts, lane % 4);
    if constexpr (Collects) collectors[p].add(s.open, scores, band * 32, lane);
    else leaders[p].add(scores, band);
  }
}

/// Persistent blocks whose warps take `strips` times 16 points each and go through all centroids together.
template <int Columns, int Steps, int Products, bool Chunked, Task What>
__global__ void __launch_bounds__(MmaShape<Steps, Products, Chunked>::threads, 1) score_mma(const __grid_constant__ Screen s) {
  using Shape = MmaShape<Steps, Products, Chunked>;
  constexpr bool collects = What == Task::collect, listed = Part<Products, What>::listed;
  constexpr int strips = Shape::strips, warps = Shape::threads / 32, bands = Columns / 32, bands_kept = Chunked ? bands : 1;
  __shared__ int found[collects ? warps * strips * 16 : 1];
  __shared__ Gathered gathered[collects ? 1 : warps];
  extern __shared__ __align__(128) std::uint8_t memory[];

  cuda::await_previous();
  const Part<Products, What> part(s);
  if (!part.mine) return;
  const int* const todo = part.todo;
  const std::int64_t rows = part.rows;
  const std::int64_t rounds = rounds_of(rows, warps * strips * 16);
  if (rounds == 0) return;

  constexpr bool apart = Products == 3 && Chunked;  // chunks are summed apart, for a smaller margin
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, quarter = lane % 4;
  const std::uint32_t row_at = (lane / 8 % 2 * Columns + lane / 16 * 8 + lane % 8) * 16;  // of the centroid row that this lane addresses
  const Margin<Products> margin(*s.lengths, s.layout.steps * s.layout.chunks * step, apart ? s.layout.chunks : 1, s.score_offset, s.margin_scale,
                                s.layout.started);
  Ring ring(s, memory, rounds);
  std::uint32_t high[strips][Steps * 4] = {}, low[strips][Products == 3 ? Steps * 4 : 1] = {};  // zeros: multiplied even without points
  unsigned moved = 0;
  OpenRows open_rows(gathered[collects ? 0 : threadIdx.x / 32]);
  std::int64_t strip = (std::int64_t(blockIdx.x) * warps + warp) * strips;  // this warp's first
  const auto tile_of = [&](int p) { return (strip + p) / 4; };
  const auto place_of = [&](int p) { return int((strip + p) % 4) * 32 + lane; };
  RowPair<listed> pairs[strips];
  const auto load = [&](int chunk) {
#pragma unroll
    for (int p = 0; p < strips; ++p)
      if ((strip + p) * 16 < rows) load_halves<Steps, Products>(s.points, pairs[p], tile_of(p), place_of(p), chunk, high[p], low[p]);
  };
  // Each lane of a quarter writes a row, in the order of the strips' rows; its data are loaded with the halves.
  std::int64_t i_next = -1;
  std::uint32_t left_next = 0;
  std::int32_t label_next = 0;
  const auto go_on = [&](int blocks) {
    strip += std::int64_t(blocks) * warps * strips;
    i_next = -1;
#pragma unroll
    for (int p = 0; p < strips; ++p) {
      pairs[p] = RowPair<listed>(tile_of(p), place_of(p), rows, todo);
#pragma unroll
      for (int half = 0; half < 2; ++half)
        if (quarter == p * 2 + half) i_next = pairs[p].i[half];
    }
    if (!Chunked) load(0);
    if (!collects && i_next >= 0) left_next = s.points.left[i_next], label_next = s.labels[i_next];
  };
  go_on(0);

  for (std::int64_t round = 0; round < rounds; ++round) {
    const std::int64_t i = i_next;
    const std::uint32_t left = left_next;
    const std::int32_t label = label_next;
    Leaders<Columns, false> leaders[strips];
    Collector collectors[strips];
    if constexpr (collects) {
#pragma unroll
      for (int p = 0; p < strips; ++p) collectors[p].begin(s.open, found + (warp * strips + p) * 16, (strip + p) * 16, rows, lane);
    }
    for (int c = 0; c < s.layout.tiles; ++c) {
      float sums[strips][bands_kept][16];
      for (int chunk = 0;; ++chunk) {
        if (Chunked) load(chunk);
        const std::uint8_t* const piece = ring.next();
        const auto* const starts = reinterpret_cast<const float*>(piece + (Products == 3 ? 2 : 1) * half_bytes<Columns, Steps>());
        const auto piece_at = static_cast<std::uint32_t>(__cvta_generic_to_shared(piece)) + row_at;
#pragma unroll bands_kept
        for (int band = 0; band < bands; ++band) {
          const int kept = Chunked ? band : 0;
          if (chunk == 0)
#pragma unroll
            for (int u = 0; u < strips * 16; ++u) sums[u / 16][kept][u % 16] = 0;
          if constexpr (apart) {
            float part[1][1][16] = {};
            multiply_band<Columns, Steps, Products>(part, 0, high, low, piece_at, band);
#pragma unroll
            for (int u = 0; u < 16; ++u) sums[0][kept][u] += part[0][0][u];
          } else {
            multiply_band<Columns, Steps, Products>(sums, kept, high, low, piece_at, band);
          }
          if (!Chunked && c == s.layout.tiles - 1 && band == bands - 1) go_on(gridDim.x);  // prefetch the next points during the comparison
          const auto compare = [&]<bool Started>() {
            compare_band<collects, Started>(s, sums, kept, starts + band * 32, c * bands + band, lane, leaders, collectors);
          };
          if (Chunked && chunk < s.layout.chunks - 1) continue;
          if (Products == 1 && s.layout.started) compare.template operator()<Products == 1>();
          else compare.template operator()<false>();
        }
        if (!Chunked || chunk == s.layout.chunks - 1) break;
      }
    }
    if (Chunked) go_on(gridDim.x);
#pragma unroll
    for (int p = 0; p < strips; ++p)
      if constexpr (collects) collectors[p].finish(s, Products == 3, lane);
      else leaders[p].finish(quarter);
    if constexpr (!collects) moved += decide(s, leaders, open_rows, i, margin.at(left), label, part.last, lane);
  }
  open_rows.flush(s, lane);
  cuda::add_of_warp(s.changed, moved);
}

/// Returns the kernel for `layout` and sets its threads.
template <int Products, Task What>
Kernel mma_kernel(const ImageLayout& layout, int& threads) {
  Kernel kernel = nullptr;
  with_layout<Products>(layout, [&]<int Columns, int Steps, bool Chunked>() {
    threads = MmaShape<Steps, Products, Chunked>::threads;
    kernel = score_mma<Columns, Steps, Products, Chunked, What>;
  });
  return kernel;
}

}  // namespace km::screen
