// Scores on a CPU's matrix unit (AMX): tiles of 16 points and 16 centroids, bfloat16 products summed in fp32. A value x is approximated by x1 + x2,
// two bfloat16. Three of the four products of two such sums are made: x1 c1 + x1 c2 + x2 c1 (Henry, Tang, Heinecke, "Leveraging the bfloat16
// artificial intelligence datatype for higher-precision computations", 2019). Include after strip.hpp, under a pragma that selects AMX.
//
// The bound. bfloat16 has 8 significant bits: |x2| <= 2^-8 |x|, and x1 + x2 misses x by at most 2^-16 |x|; c likewise. The omitted product x2 c2 and
// these residuals contribute 3.02 * 2^-16 |x||c|. Summing 3 d products and the offset in any order errs by 3 d u relative to the sum of magnitudes,
// 1.02 |x||c| + |c|²/2. Over 256 products tests/tile_sums_test.cpp measures 5 u. With the rest as in screened.hpp, m = (3.1 d + 800) u instead of
// (d + 8) u. The unit flushes inputs and results below 2^-126 to zero: 16 (d + 1) 2^-126 covers that.
#include "impl/cpu/lloyd/strips.hpp"

namespace km::strips::tiles {
namespace {

template <class T>
using Strip = strips::Strip<T, 64>;
constexpr int width = Tiles::width, depth = Tiles::depth, cells = Tiles::cells, points = Tiles::points;

using V = Vector<float, 64>;
constexpr auto lanes = std::make_integer_sequence<int, width>();

/// Returns 16 values relative to their origin, zeros behind the mask.
[[gnu::always_inline]] inline V centred(const float* x, const float* origin, std::uint32_t mask) {
  return _mm512_maskz_loadu_ps(__mmask16(mask), x) - _mm512_maskz_loadu_ps(__mmask16(mask), origin);
}
[[gnu::always_inline]] inline V centred(const double* x, const double* origin, std::uint32_t mask) {
  Vector<double, 128> value;
  for (int half = 0; half < 2; ++half, mask >>= 8, x += 8, origin += 8) {
    const __m512d part = _mm512_maskz_loadu_pd(__mmask8(mask), x) - _mm512_maskz_loadu_pd(__mmask8(mask), origin);
    std::memcpy(reinterpret_cast<char*>(&value) + half * sizeof part, &part, sizeof part);
  }
  return __builtin_convertvector(value, V);
}

/// Writes steps begin to end - 1 of a strip's points, both terms: tiles[step][16 points][term]. Adds to |x|², lane by lane.
template <class T>
[[gnu::always_inline]] inline void split(const Round<T>& round, const T* x, int begin, int end, std::uint16_t* tiles, V* squares) {
  using Bits = Vector<std::uint32_t, 64>;
  for (int p = 0; p < points * width; ++p, x += round.d) {
    V square[2] = {squares[p], V{}};
    std::uint16_t* to = tiles + p / width * 2 * cells + p % width * depth;
    for (int step = begin; step < end; ++step, to += points * 2 * cells) {
      const int j = step * depth, left = round.d - j;
      const std::uint32_t mask = left >= depth ? ~0u : (1u << left) - 1;
      V low = centred(x + j, round.origin.data() + j, mask);
      V high = centred(x + j + width, round.origin.data() + j + width, mask >> width);
      square[0] += low * low;
      square[1] += high * high;
      for (int term = 0; term < 2; ++term) {
        const Bits low_bits = (reinterpret_cast<Bits>(low) + 0x8000) & 0xffff0000, high_bits = (reinterpret_cast<Bits>(high) + 0x8000) & 0xffff0000;
        const Bits both = low_bits >> 16 | high_bits;
        std::memcpy(to + term * cells, &both, sizeof both);
        low -= reinterpret_cast<V>(low_bits);
        high -= reinterpret_cast<V>(high_bits);
      }
    }
    squares[p] = square[0] + square[1];
  }
}

/// Multiplies one or two blocks of centroids by a strip's points over some steps. Sums continue `from`, or start from the offsets if it is null.
template <int n_blocks>
[[gnu::always_inline]] inline void multiply(const std::uint16_t* x, const std::uint16_t* c, std::int64_t next_block, int steps, const float* offsets,
                                            const float* from, float* to, const char*& fetched, std::int64_t advance) {
  const auto is_two = std::integral_constant<bool, n_blocks == 2>();
  if (from) {
    _tile_loadd(0, from, 64);
    _tile_loadd(1, from + 256, 64);
    if constexpr (is_two) {
      _tile_loadd(2, from + 512, 64);
      _tile_loadd(3, from + 768, 64);
    }
  } else {
    _tile_loadd(0, offsets, 0);
    _tile_loadd(1, offsets, 0);
    if constexpr (is_two) {
      _tile_loadd(2, offsets + width, 0);
      _tile_loadd(3, offsets + width, 0);
    }
  }
  const char* goal = fetched;
  for (int step = 0; step < steps; ++step, x += points * 2 * cells, c += 2 * cells) {
    const auto fetch = [&]() __attribute__((always_inline)) {  // a quarter of a step's: many at once keep the loads of tiles waiting
      for (goal += advance / 4; fetched < goal; fetched += 64) __builtin_prefetch(fetched, 0, 2);
    };
    const auto load_points = [&](int term) __attribute__((always_inline)) {
      fetch();
      _tile_loadd(4, x + term * cells, 64);
      _tile_loadd(5, x + (2 + term) * cells, 64);
    };
    const auto load_centroids = [&](int term) __attribute__((always_inline)) {
      fetch();
      _tile_loadd(6, c + term * cells, 64);
      if constexpr (is_two) _tile_loadd(7, c + next_block + term * cells, 64);
    };
    const auto add_up = [&]() __attribute__((always_inline)) {
      _tile_dpbf16ps(0, 4, 6);
      _tile_dpbf16ps(1, 5, 6);
      if constexpr (is_two) {
        _tile_dpbf16ps(2, 4, 7);
        _tile_dpbf16ps(3, 5, 7);
      }
    };
    load_points(1);
    load_centroids(0);
    add_up();
    load_points(0);
    add_up();
    load_centroids(1);
    add_up();
  }
  _tile_stored(0, to, 64);
  _tile_stored(1, to + 256, 64);
  if constexpr (is_two) {
    _tile_stored(2, to + 512, 64);
    _tile_stored(3, to + 768, 64);
  }
}

/// Sets labels[p] to the nearest centroid of point p, or -1 if the margin leaves it open.
template <class T>
void screen(const Round<T>& round, Worker<T>& worker, const T* x, std::int32_t* labels) {
  const Tiles& centroids = round.tiled;
  auto* const split_points = worker.tiles.data();
  float* const sums = worker.tile_sums.data();
  V squares[points * width] = {};
  typename Strip<T>::template BestTwo<float> two;
  const int stretches = (centroids.steps + Tiles::cached - 1) / Tiles::cached, stretch = (centroids.steps + stretches - 1) / stretches;
  const auto* fetched = reinterpret_cast<const char*>(x + points * width * round.d);
  const std::int64_t advance = std::int64_t(points) * width * round.d * sizeof(T) / (centroids.steps * ((centroids.blocks + 1) / 2));
  for (int begin = 0; begin < centroids.steps; begin += stretch) {
    const int end = std::min(begin + stretch, centroids.steps);
    split(round, x, begin, end, split_points, squares);
    asm volatile("" ::: "memory");  // the compiler does not see tile loads
    for (int block = 0; block < centroids.blocks; block += 2) {
      const int n_blocks = std::min(2, centroids.blocks - block);
      const std::int64_t next_block = std::int64_t(centroids.steps) * 2 * cells;
      const auto* c = centroids.values.data() + block * next_block + begin * 2 * cells;
      float* const aside = sums + std::int64_t(block) * points * width * width;
      const float* const from = begin > 0 ? aside : nullptr;
      if (n_blocks == 2)
        multiply<2>(split_points, c, next_block, end - begin, centroids.offsets.data() + block * width, from, aside, fetched, advance);
      else multiply<1>(split_points, c, next_block, end - begin, centroids.offsets.data() + block * width, from, aside, fetched, advance);
      if (end < centroids.steps) continue;
      asm volatile("" ::: "memory");
      for (int tile = 0; tile < points * n_blocks; ++tile) {
        V scores[width];
        std::memcpy(scores, aside + tile * width * width, sizeof scores);
        Strip<T>::shuffle(scores, lanes);
        for (int r = 0; r < width; ++r) two.add((block + tile / points) * width + r, tile % points, scores[r]);
      }
    }
  }
  for (int v = 0; v < points; ++v) {
    V* const rows = squares + v * width;
    Strip<T>::shuffle(rows, lanes);
    const V square = std::accumulate(rows, rows + width, V{});
    two.label(v, round.tile_margin * (9 * square - 8 * two.best[v]) + 16 * (round.d + 1) * std::numeric_limits<float>::min(), labels);
  }
}

/// Processes a thread's share of the points, with its matrix unit configured and released.
template <class T>
void pass(const Round<T>& round, Worker<T>& worker, Shares& shares, int thread) {
  struct alignas(64) {
    std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } const shapes;
  _tile_loadconfig(&shapes);
  Kernel<T>(avx512_kernels()).pass(round, worker, shares, thread);
  _tile_release();
}

}  // namespace
}  // namespace km::strips::tiles
