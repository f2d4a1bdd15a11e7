// Every point's best centroid from fp16 products, where that can be proven. The nearest centroid has the greatest score x·c - |c|²/2;
// wgmma multiplies 64 points of a warpgroup by a tile of centroids, sums in fp32. A point is decided when its best score leads the
// second by more than both may be off; the others go to a list.
// (screen_margin.cuh has the proof.)
// The best two of k scores by 2.4 instructions a score instead of 4: scores stand in a grid, and only its rows' and columns' greatest are
// kept. Where the best is alone, row and column name it; the second best differs in one of the two, so it is the second of either.
#pragma once

#include "impl/gpu/lloyd/hopper.cuh"
#include "impl/gpu/lloyd/screen_margin.cuh"

namespace km::screen {

template <int Columns, int Steps, int Products>
struct Shape {
  static constexpr int registers = Columns / 2;                                                           // sums of a thread
  static constexpr bool large = registers + Steps * 4 * (Products == 3 ? 2 : 1) > 48;                     // beside some 60 others
  static constexpr int groups = large ? 3 : 4, threads = (groups + 1) * 128, budget = large ? 160 : 112;  // of what the launch gave the block
};

#ifdef __CUDA_ARCH_FEAT_SM90_ALL

/// A thread's two rows of one 64-row tile: the points and where their fragments lie.
template <bool Listed>
struct RowPair {
  std::int64_t i[2];
  __device__ RowPair(std::int64_t tile, std::int64_t rows, const int* todo) {
    const int t = threadIdx.x % 128;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = tile * tile_rows + t / 32 * 16 + t % 32 / 4 + half * 8;
      i[half] = row >= rows ? -1 : Listed && todo ? todo[row] : row;
    }
  }
  /// Steps from `first` of the points' halves.
  template <int Steps>
  __device__ __forceinline__ void load(const uint4* halves, std::int64_t tile, int steps, int first, std::uint32_t (&a)[Steps * 4]) const {
    const int t = threadIdx.x % 128;
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      if constexpr (!Listed) {
        const uint4 part = halves[(tile * steps + first + s) * 128 + t];
        a[s * 4] = part.x, a[s * 4 + 1] = part.y, a[s * 4 + 2] = part.z, a[s * 4 + 3] = part.w;
      } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::int64_t p = i[half] < 0 ? 0 : i[half];
          const int row = p % tile_rows;
          const std::int64_t at = ((p / tile_rows * steps + first + s) * 128 + row / 16 * 32 + row % 8 * 4 + t % 4) * 4 + row % 16 / 8;
          a[s * 4 + half] = reinterpret_cast<const std::uint32_t*>(halves)[at];
          a[s * 4 + half + 2] = reinterpret_cast<const std::uint32_t*>(halves)[at + 2];
        }
      }
    }
  }
};

#endif

/// Persistent blocks: `groups` warpgroups take 64 points each and go through all centroids, whose pieces one more warp has copied into a
/// ring in shared memory; where all pieces fit they stay. Groups multiply in turn, so that one does while the others compare their scores.
template <int Columns, int Steps, int Products, bool Chunked, Task What>
__global__ void __launch_bounds__(Shape<Columns, Steps, Products>::threads, 1) score(const __grid_constant__ Screen s) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  using Shape = Shape<Columns, Steps, Products>;
  constexpr bool collects = What == Task::collect, listed = Products == 3 || collects, in_turn = Shape::large && Steps >= 4;
  constexpr int groups = Shape::groups;
  __shared__ hopper::Barrier full[most_stages], empty[most_stages];
  __shared__ int found[collects ? groups * tile_rows : 1];
  extern __shared__ __align__(128) std::uint8_t ring[];

  const int way = s.progress->way;
  if (way != one_product && !(Products == 3 && way == three_products)) return;
  const int* const todo = !listed || way != one_product ? nullptr : collects ? s.open.points : s.many;
  const std::int64_t rows = todo ? std::int64_t(s.progress->open[!collects]) : s.points.n, tiles = (rows + tile_rows - 1) / tile_rows;
  const std::int64_t turn = std::int64_t(groups) * gridDim.x;
  const int pieces = s.cut.tiles * s.cut.chunks, piece_bytes = s.cut.piece_bytes();
  const std::int64_t rounds = tiles > blockIdx.x ? (tiles - blockIdx.x + turn - 1) / turn : 0;
  const bool resident = pieces <= s.stages;
  if (rounds == 0) return;

  if (threadIdx.x < s.stages) full[threadIdx.x].init(1), empty[threadIdx.x].init(groups * 4);
  hopper::publish_barriers();
  __syncthreads();

  const int group = threadIdx.x / 128;
  if (group == groups) {
    hopper::give_registers<24>();
    if (threadIdx.x % 128 > 0) return;
    const std::int64_t copies = resident ? pieces : rounds * pieces;
    int stage = 0, piece = 0;
    unsigned parity = 1;  // the first time around nothing is waited for
    for (std::int64_t copy = 0; copy < copies; ++copy) {
      empty[stage].wait(parity);
      full[stage].copy(ring + stage * piece_bytes, s.image + std::int64_t(piece) * piece_bytes, piece_bytes);
      if (++stage == s.stages) stage = 0, parity ^= 1;
      if (++piece == pieces) piece = 0;
    }
  } else {
    hopper::take_registers<Shape::budget>();
    constexpr int depth = Steps * step, half_bytes = Columns * depth * int(sizeof(__half));
    const int t = threadIdx.x % 128, lane = t % 32, quarter = lane % 4, steps = s.cut.steps * s.cut.chunks;
    const Margin<Products> margin(*s.lengths, steps * step, Chunked);
    std::uint32_t high[Steps * 4] = {}, low[Products == 3 ? Steps * 4 : 1] = {};  // without points: multiplied all the same
    unsigned moved = 0, parity = 0;
    int stage = 0;
    std::int64_t tile = std::int64_t(group) * gridDim.x + blockIdx.x;
    const auto load = [&](const RowPair<listed>& pair, std::int64_t tile, int chunk) {
      pair.template load<Steps>(s.points.high, tile, steps, chunk * Steps, high);
      if constexpr (Products == 3) pair.template load<Steps>(s.points.low, tile, steps, chunk * Steps, low);
    };
    RowPair<listed> pair(tile, rows, todo);
    if (!Chunked && tile < tiles) load(pair, tile, 0);
    // Lanes 0 and 1 of a quarter write a row each: what they need of it comes along with the halves.
    const auto row_of_mine = [&](const RowPair<listed>& pair) { return quarter == 0 ? pair.i[0] : quarter == 1 ? pair.i[1] : -1; };
    std::uint32_t left_next = 0;
    std::int32_t label_next = 0;
    const auto load_mine = [&] {
      if (const std::int64_t i = row_of_mine(pair); !collects && i >= 0) left_next = s.points.left[i], label_next = s.labels[i];
    };
    load_mine();
    if (in_turn && group == groups - 1) hopper::pass_turn(0);

    for (std::int64_t round = 0; round < rounds; ++round, tile += turn) {
      const bool active = tile < tiles;
      const std::int64_t i = row_of_mine(pair);
      const std::uint32_t left = left_next;
      const std::int32_t label = label_next;
      Best best[2];
      float columns[2][8], least[2];
#pragma unroll
      for (int u = 0; u < 16; ++u) columns[u / 8][u % 8] = -cuda::infinity<float>;
      if constexpr (collects) {
        if (lane < 16) found[group * tile_rows + t / 32 * 16 + lane] = 0;
        __syncwarp();
#pragma unroll
        for (int half = 0; half < 2; ++half)
          least[half] = pair.i[half] < 0 ? cuda::infinity<float> : s.open.least[tile * tile_rows + t / 32 * 16 + lane / 4 + half * 8];
      }
      if (resident) stage = 0, parity = 0;
      for (int c = 0; c < s.cut.tiles; ++c) {
        float sums[Shape::registers];
        for (int chunk = 0;; ++chunk) {
          if (Chunked && active) load(pair, tile, chunk);
          full[stage].wait(parity);
          if (in_turn) hopper::await_turn(group);
          const std::uint32_t begin = hopper::tile_at(hopper::shared_address(ring + stage * piece_bytes), Columns);
          hopper::multiply_begin();
#pragma unroll
          for (int product = Products == 3 ? 2 : 0; product >= 0; --product)  // the small ones first
#pragma unroll
            for (int u = 0; u < Steps; ++u) {
              hopper::multiply(sums, product == 2 ? low + (Products == 3 ? u * 4 : 0) : high + u * 4,
                               begin + ((product == 1 ? half_bytes : 0) + u * Columns * 32) / 16,
                               u > 0 || product < (Products == 3 ? 2 : 0) || chunk > 0);
              if (u == Steps - 1 || (in_turn && u == Steps - 3)) hopper::multiply_group();
            }
          if (in_turn) {  // while the last two are at it, the next group's come
            hopper::await_all_but_last();
            hopper::pass_turn(group == groups - 1 ? 0 : group + 1);
          }
          hopper::multiply_end(sums, high);
          if constexpr (Products == 3) {
#pragma unroll
            for (int u = 0; u < Steps * 4; ++u) asm volatile("" : "+r"(low[u])::"memory");
          }
          if (!Chunked || chunk == s.cut.chunks - 1) break;
          __syncwarp();
          if (!resident && lane == 0) empty[stage].arrive();
          if (++stage == s.stages) stage = 0, parity ^= 1;
        }
        if (c == s.cut.tiles - 1 && tile + turn < tiles) {  // the next points come while these are compared
          pair = RowPair<listed>(tile + turn, rows, todo);
          if (!Chunked) load(pair, tile + turn, 0);
          load_mine();
        }
        if (active) {
          const auto* const starts = reinterpret_cast<const float*>(ring + stage * piece_bytes + (Products == 3 ? 2 : 1) * half_bytes);
#pragma unroll
          for (int q = 0; q < Columns / 32; ++q) {
            float row[2], scores[2][8];
#pragma unroll
            for (int u = 0; u < 4; ++u) {
              const float2 start = *reinterpret_cast<const float2*>(starts + q * 32 + u * 8 + quarter * 2);
#pragma unroll
              for (int v = 0; v < 4; ++v) {
                const float score = sums[(q * 4 + u) * 4 + v] + (v % 2 ? start.y : start.x);
                scores[v / 2][u * 2 + v % 2] = score;
                row[v / 2] = u == 0 && v % 2 == 0 ? score : fmaxf(row[v / 2], score);
              }
            }
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              if constexpr (collects) {
                if (row[half] < least[half]) continue;
                const int at = t / 32 * 16 + lane / 4 + half * 8;
#pragma unroll
                for (int u = 0; u < 8; ++u) {
                  if (scores[half][u] < least[half]) continue;
                  const int place = atomicAdd(&found[group * tile_rows + at], 1);
                  if (place < most_candidates)
                    s.open.candidates[(tile * tile_rows + at) * most_candidates + place] = c * Columns + q * 32 + u / 2 * 8 + quarter * 2 + u % 2;
                }
              } else if constexpr (Columns == 32) {  // one tile, one row of the grid
#pragma unroll
                for (int u = 0; u < 8; ++u) best[half].see(scores[half][u], u / 2 * 8 + u % 2);
              } else {
#pragma unroll
                for (int u = 0; u < 8; ++u) columns[half][u] = fmaxf(columns[half][u], scores[half][u]);
                best[half].see(row[half], c * (Columns / 32) + q);
              }
            }
          }
        }
        __syncwarp();
        if (!resident && lane == 0) empty[stage].arrive();
        if (++stage == s.stages) stage = 0, parity ^= 1;
      }
      if (!active) continue;
      if constexpr (collects) {
        __syncwarp();
        const int at = t / 32 * 16 + lane;
        if (lane < 16 && tile * tile_rows + at < rows) s.open.counts[tile * tile_rows + at] = found[group * tile_rows + at];
        __syncwarp();
      } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          if constexpr (Columns > 32) {
            Best column;
#pragma unroll
            for (int u = 0; u < 8; ++u) column.see(columns[half][u], u / 2 * 8 + u % 2);
            best[half].second = fmaxf(best[half].second, column.second);
            best[half].at = best[half].at * 32 + column.at;
          }
          best[half].at += quarter * 2;
          best[half].merge_with_lane(1);
          best[half].merge_with_lane(2);
        }
        const bool lower = quarter == 1;  // by value: a chosen reference would put both into memory
        const float first = lower ? best[1].first : best[0].first, second = lower ? best[1].second : best[0].second;
        const int nearest = lower ? best[1].at : best[0].at;
        const float lead = margin.at(left);
        const bool decided = i >= 0 && first - second > lead;
        if (decided && label != nearest) s.labels[i] = nearest, ++moved;
        const unsigned undecided = __ballot_sync(0xFFFFFFFF, i >= 0 && !decided);
        if (undecided) {
          unsigned at = 0;
          if (lane == 0) at = atomicAdd(&s.progress->open[Products == 3 ? 2 : 0], __popc(undecided));
          at = __shfl_sync(0xFFFFFFFF, at, 0) + __popc(undecided & ((1u << lane) - 1));
          if (i >= 0 && !decided) {
            (Products == 3 ? s.rest : s.open.points)[at] = static_cast<int>(i);
            if constexpr (Products == 1) s.open.least[at] = first - lead;
          }
        }
      }
    }
    if (in_turn && group == 0) hopper::await_turn(0);  // the turn that nobody takes
    moved = __reduce_add_sync(0xFFFFFFFF, moved);
    if (lane == 0 && moved > 0) atomicAdd(s.changed, moved);
  }
#else
  __trap();  // built for another card: see CMakeLists.txt
#endif
}

using Kernel = decltype(&score<32, 1, 1, false, Task::decide>);

/// The kernel for what `cut` says, and its threads.
template <int Products, Task What>
Kernel kernel_for(const Cut& cut, int& threads) {
  Kernel kernel = nullptr;
  const auto pick = [&]<int Columns, int Steps>() {
    threads = Shape<Columns, Steps, Products>::threads;
    kernel = score<Columns, Steps, Products, false, What>;
    if constexpr (Steps == deepest)
      if (cut.chunks > 1) kernel = score<Columns, Steps, Products, true, What>;
  };
  with_dimension<1, 2, 3, 4, 5, 6>(cut.steps, [&](auto steps) {
    constexpr int known = decltype(steps)::value == 0 ? deepest : decltype(steps)::value;
    if constexpr (Products == 3) pick.template operator()<64, known>();
    else if (cut.columns == 32) pick.template operator()<32, known>();
    else if (cut.columns == 64) pick.template operator()<64, known>();
    else pick.template operator()<128, known>();
  });
  return kernel;
}

inline Cut cut_for(const ProblemShape& p, int products) {
  const int needed = up_to(p.d, step) / step, steps = needed <= 6 ? needed : deepest;
  const int columns = products == 3 ? 64 : p.k <= 32 ? 32 : p.k <= 64 ? 64 : 128;
  return {columns, steps, (needed + steps - 1) / steps, products == 3 ? 2 : 1, (p.k + columns - 1) / columns};
}

}  // namespace km::screen
