// Finds every point's best centroid by fp16 products (wgmma) where that is proven. The nearest centroid has the greatest score x·c - |c|²/2. A
// warpgroup multiplies 64 points by a tile of centroids, with sums in fp32. A point is decided if its best score leads the second by more than their
// errors (screen_margin.cuh); other points are listed.
#pragma once

#include "impl/gpu/lloyd/hopper.cuh"
#include "impl/gpu/lloyd/screen_compare.cuh"

namespace km::screen {

template <int Columns, int Steps, int Products, bool Chunked>
struct Shape {
  static constexpr bool apart = Products == 3 && Chunked;                                         // chunks are summed apart, for a smaller margin
  static constexpr int registers = Columns / 2;                                                   // sums per thread
  static constexpr int held = registers * (apart ? 2 : 1) + Steps * 4 * (Products == 3 ? 2 : 1);  // beside some 60 others
  static constexpr int groups = held > 128 ? 2 : held > 48 ? 3 : 4, threads = (groups + 1) * 128;
  static constexpr int budget = groups == 2 ? 240 : groups == 3 ? 160 : 112;  // registers per thread
};

/// The copying thread: brings `copies` pieces of the image into the ring, each when its stage is empty.
__device__ __forceinline__ void copy_pieces(const Screen& s, std::uint8_t* ring, hopper::Barrier* full, hopper::Barrier* empty, std::int64_t copies) {
  const int pieces = s.layout.tiles * s.layout.chunks, piece_bytes = s.layout.piece_bytes();
  int stage = 0, piece = 0;
  unsigned parity = 1;  // no wait in the first round
  for (std::int64_t copy = 0; copy < copies; ++copy) {
    empty[stage].wait(parity);
    full[stage].copy(ring + stage * piece_bytes, s.image + std::int64_t(piece) * piece_bytes, piece_bytes);
    if (++stage == s.stages) stage = 0, parity ^= 1;
    if (++piece == pieces) piece = 0;
  }
}

/// Multiplies 64 points by the centroids of the piece at `begin`. add: to the sums, else sets them.
template <int Columns, int Steps, int Products, int Registers, int Low>
__device__ __forceinline__ void multiply_piece(float (&sums)[Registers], std::uint32_t (&high)[Steps * 4], std::uint32_t (&low)[Low],
                                               std::uint32_t begin, bool add) {
  constexpr int half_bytes = Columns * Steps * step * int(sizeof(__half)), first = Products == 3 ? 2 : 0;
  hopper::multiply_begin();
#pragma unroll
  for (int product = first; product >= 0; --product)  // small terms first
#pragma unroll
    for (int u = 0; u < Steps; ++u)
      hopper::multiply(sums, product == 2 ? low + (Products == 3 ? u * 4 : 0) : high + u * 4,
                       begin + ((product == 1 ? half_bytes : 0) + u * Columns * 32) / 16, u > 0 || product < first || add);
  hopper::multiply_end(sums, high);
  if constexpr (Products == 3) {
#pragma unroll
    for (int u = 0; u < Steps * 4; ++u) asm volatile("" : "+r"(low[u])::"memory");
  }
}

/// Goes on to the next piece of the ring, whose stage becomes empty unless it is resident. All lanes call it.
__device__ __forceinline__ void next_piece(const Screen& s, bool resident, hopper::Barrier* empty, int& stage, unsigned& parity) {
  __syncwarp();
  if (!resident && threadIdx.x % 32 == 0) empty[stage].arrive();
  if (++stage == s.stages) stage = 0, parity ^= 1;
}

/// The first of two arrays or the second.
template <bool First, int A, int B>
__device__ __forceinline__ const auto& chosen(const float (&first)[A], const float (&second)[B]) {
  if constexpr (First) return first;
  else return second;
}

/// Compares a thread's sums of tile c of the centroids, which begin at `starts` or hold that: collects candidates or updates the leaders.
template <int Columns, bool Paired, bool Collects, bool Started, bool Positive, int Registers>
__device__ __forceinline__ void compare_tile(const Screen& s, const float (&sums)[Registers], const float* starts, int c, int lane,
                                             Leaders<Columns, Positive>& leaders, Collector& collector) {
  const int quarter = lane % 4;
#pragma unroll
  for (int q = 0; q < Columns / 32; q += Paired ? 2 : 1) {
    const Scores<Positive, Started> scores(sums + q * 16, starts + q * 32, quarter);
    if constexpr (Collects) collector.add(s.open, scores, c * Columns + q * 32, lane);
    else if constexpr (!Paired) leaders.add(scores, c * (Columns / 32) + q);
    else leaders.add(scores, Scores<Positive, Started>(sums + q * 16 + 16, starts + q * 32 + 32, quarter), c * (Columns / 32) + q);
  }
}

/// Persistent blocks: `groups` warpgroups take 64 points each and go through all centroids. One more warp copies their pieces into a ring in shared
/// memory; they stay if all fit. While a group compares its scores, others multiply.
template <int Columns, int Steps, int Products, bool Chunked, Task What>
__global__ void __launch_bounds__(Shape<Columns, Steps, Products, Chunked>::threads, 1) score(const __grid_constant__ Screen s) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  using Shape = Shape<Columns, Steps, Products, Chunked>;
  constexpr bool collects = What == Task::collect, listed = Part<Products, What>::listed;
  constexpr bool positive = Products == 1 && !collects, paired = positive && Columns > 32 && !Chunked;  // chunks leave no registers for pairs
  constexpr int groups = Shape::groups;
  __shared__ hopper::Barrier full[most_stages], empty[most_stages];
  __shared__ int found[collects ? groups * tile_rows : 1];
  __shared__ Gathered gathered[collects ? 1 : groups * 4];
  extern __shared__ __align__(128) std::uint8_t ring[];

  cuda::await_previous();
  const Part<Products, What> part(s);
  if (!part.mine) return;
  const int* const todo = part.todo;
  const std::int64_t rows = part.rows, tiles = (rows + tile_rows - 1) / tile_rows;
  const bool shared = collects && tiles <= 2 * gridDim.x && s.layout.tiles >= groups;  // few points: groups share them, and the tiles of centroids
  const std::int64_t turn = std::int64_t(shared ? 1 : groups) * gridDim.x;
  const int pieces = s.layout.tiles * s.layout.chunks, piece_bytes = s.layout.piece_bytes();
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
    copy_pieces(s, ring, full, empty, resident ? pieces : rounds * pieces);
  } else {
    hopper::take_registers<Shape::budget>();
    constexpr int half_bytes = Columns * Steps * step * int(sizeof(__half));
    const int t = threadIdx.x % 128, lane = t % 32, quarter = lane % 4;
    const Margin<Products> margin(*s.lengths, s.layout.steps * s.layout.chunks * step, Shape::apart ? s.layout.chunks : 1, s.score_offset,
                                  s.margin_scale, s.layout.started);
    std::uint32_t high[Steps * 4] = {}, low[Products == 3 ? Steps * 4 : 1] = {};  // zeros: multiplied even without points
    unsigned moved = 0, parity = 0;
    OpenRows open_rows(gathered[threadIdx.x / 32 % (collects ? 1 : groups * 4)]);
    int stage = 0;
    std::int64_t tile = std::int64_t(shared ? 0 : group) * gridDim.x + blockIdx.x;
    const auto load = [&](const auto& pair, std::int64_t tile, int chunk) {
      load_halves<Steps, Products>(s.points, pair, tile, t, chunk, high, low);
    };
    // Lanes 0 and 1 of a quarter write one row each; its data are loaded with the halves.
    const auto row_of_mine = [&](const RowPair<listed>& pair) { return quarter == 0 ? pair.i[0] : quarter == 1 ? pair.i[1] : -1; };
    RowPair<listed> pair(tile, t, rows, todo);
    if (!Chunked && tile < tiles) load(pair, tile, 0);
    std::uint32_t left_next = 0;
    std::int32_t label_next = 0;
    const auto load_mine = [&] {
      if (const std::int64_t i = row_of_mine(pair); !collects && i >= 0) left_next = s.points.left[i], label_next = s.labels[i];
    };
    load_mine();

    for (std::int64_t round = 0; round < rounds; ++round, tile += turn) {
      const bool active = tile < tiles;
      const std::int64_t i = row_of_mine(pair);
      const std::uint32_t left = left_next;
      const std::int32_t label = label_next;
      Leaders<Columns, positive> leaders[1];
      Collector collector;
      const int at = t / 32 * 16;
      if constexpr (collects) {
        collector.begin(s.open, found + (shared ? 0 : group * tile_rows) + at, tile * tile_rows + at, rows, lane, !shared || group == 0);
        if (shared) hopper::meet(groups);
      }
      if (resident) stage = 0, parity = 0;
      for (int c = 0; c < s.layout.tiles; ++c) {
        float sums[Shape::registers], all[Shape::apart ? Shape::registers : 1];
        const bool mine = active && (!shared || c % groups == group);
        for (int chunk = 0;; ++chunk) {
          if (Chunked && mine) load(pair, tile, chunk);
          full[stage].wait(parity);
          const std::uint32_t begin = hopper::tile_at(hopper::shared_address(ring + stage * piece_bytes), Columns);
          if (!collects || mine) multiply_piece<Columns, Steps, Products>(sums, high, low, begin, !Shape::apart && chunk > 0);
          if constexpr (Shape::apart) {
#pragma unroll
            for (int u = 0; u < Shape::registers; ++u) all[u] = chunk == 0 ? sums[u] : all[u] + sums[u];
          }
          if (!Chunked || chunk == s.layout.chunks - 1) break;
          next_piece(s, resident, empty, stage, parity);
        }
        if (c == s.layout.tiles - 1 && tile + turn < tiles) {  // prefetch the next points during the comparison
          pair = RowPair<listed>(tile + turn, t, rows, todo);
          if (!Chunked) load(pair, tile + turn, 0);
          load_mine();
        }
        const auto* const starts = reinterpret_cast<const float*>(ring + stage * piece_bytes + (Products == 3 ? 2 : 1) * half_bytes);
        const auto compare = [&]<bool Started>() {
          compare_tile<Columns, paired, collects, Started>(s, chosen<Shape::apart>(all, sums), starts, c, lane, leaders[0], collector);
        };
        if (mine && Products == 1 && s.layout.started) compare.template operator()<Products == 1>();
        else if (mine) compare.template operator()<false>();
        next_piece(s, resident, empty, stage, parity);
      }
      if (shared) hopper::meet(groups);
      if (!active || (shared && group > 0)) continue;
      if constexpr (collects) collector.finish(s, Products == 3, lane);
      else leaders[0].finish(quarter), moved += decide(s, leaders, open_rows, i, margin.at(left), label, part.last, lane);
    }
    open_rows.flush(s, lane);
    cuda::add_of_warp(s.changed, moved);
  }
#else
  __trap();  // built for another card: see CMakeLists.txt
#endif
}

/// Returns the kernel for `layout` and sets its threads.
template <int Products, Task What>
Kernel wgmma_kernel(const ImageLayout& layout, int& threads) {
  Kernel kernel = nullptr;
  with_layout<Products>(layout, [&]<int Columns, int Steps, bool Chunked>() {
    threads = Shape<Columns, Steps, Products, Chunked>::threads;
    kernel = score<Columns, Steps, Products, Chunked, What>;
  });
  return kernel;
}

}  // namespace km::screen
