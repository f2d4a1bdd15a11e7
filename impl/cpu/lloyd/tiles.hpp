// Scores from one product of points and centroids in bfloat16, summed in fp32: a tile is 16 points and 16 centroids. The points are laid out once. The
// few that stay open are settled at once: by differences from the centroids that the margin leaves, then exactly. strip_amx.cpp and strip_bf16.cpp
// include this after strip.hpp, under a pragma that selects their instructions, and say how tiles are multiplied.
//
// The bound. Points x and centroids c are relative to the origin, y and g are their roundings, r = |x - y|, r_c = |c - g|. A score here is
// U_c = y g - |c|²/2 + |x| r_c; b has the greatest. Let c be as near as b or nearer, hence |c - b| <= 2 |x - b|. Exactly, c scores as high as b or higher.
// Rounding x takes at most r |c - b| of that lead, rounding c takes |x| r_c, which U_c gives back, and rounding b takes |x| r_b, which U_b has once more.
// So c trails b by at most 2 r |x - b| + 2 |x| r_b. What fp32 rounds off adds m (9 |x|² - 8 s), with m = (d + 8) u as in screened.hpp and a tenth more
// for the terms here. |x - b|² is |x|² - 2 s. There s is U_b less |x| r_b; it misses by at most r |b| + |x| r_b, where |b| <= |x| + |x - b|.
//
// Products of two bfloat16 are exact. Their sum over d, in any order, errs by d u of the sum of magnitudes (tests/tile_sums_test.cpp measures 5 u over
// 256). Inputs and results below 2^-126 may be flushed to zero: 16 (d + 1) 2^-126 covers that. Cases that need nine tenths of 2 r |x - b| and 0.85 of
// 2 |x| r_b: tests/screened_test.cpp.
#include "impl/cpu/lloyd/strips.hpp"

namespace km::strips::tiles {
namespace {

template <class T>
using Strip = strips::Strip<T, 64>;
constexpr int width = Tiles::width, depth = Tiles::depth, cells = Tiles::cells, points = Tiles::points;

using V = Vector<float, 64>;
constexpr auto lanes = std::make_integer_sequence<int, width>();

[[gnu::always_inline]] inline V root(V value) { return _mm512_maskz_sqrt_ps(0xffff, value); }

[[gnu::always_inline]] inline float sum_of(V value) {
  float lane[width];
  std::memcpy(lane, &value, sizeof lane);
  for (int half = width / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lane[i] += lane[i + half];
  return lane[0];
}

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

/// Calls f(low, high) with the differences of 32 dimensions of x and origin from j on.
template <class T, class F>
[[gnu::always_inline]] inline void with_differences(const T* x, const T* origin, int j, int d, F f) {
  const std::uint32_t mask = d - j >= depth ? ~0u : (1u << (d - j)) - 1;
  f(centred(x + j, origin + j, mask), centred(x + j + width, origin + j + width, mask >> width));
}

/// Sets the tiles of a strip's points, |x|² and what rounding misses.
template <class T>
void lay_out(Round<T>& round, Range strip) {
  using Bits = Vector<std::uint32_t, 64>;
  for (int tile = 0; tile < points; ++tile) {
    const std::int64_t first = strip.first + tile * width, length = std::min<std::int64_t>(width, strip.last - first);
    V squares[width] = {}, missed[width] = {};
    for (int step = 0; step < round.tiles.steps; ++step) {
      V rows[width] = {};
      for (int p = 0; p < length; ++p)
        with_differences(
            round.points + (first + p) * round.d, round.origin.data(), step * depth, round.d, [&](V low, V high) __attribute__((always_inline)) {
              squares[p] += low * low + high * high;
              const Bits low_bits = (reinterpret_cast<Bits>(low) + 0x8000) & 0xffff0000,
                         high_bits = (reinterpret_cast<Bits>(high) + 0x8000) & 0xffff0000;
              const Bits both = low_bits >> 16 | high_bits;
              std::memcpy(&rows[p], &both, sizeof both);
              low -= reinterpret_cast<V>(low_bits);
              high -= reinterpret_cast<V>(high_bits);
              missed[p] += low * low + high * high;
            });
      Strip<T>::shuffle(rows, lanes);
      std::memcpy(round.tiles.of_points.data() + round.tiles.strip(strip.first, step) + tile * cells, rows, sizeof rows);
    }
    const auto total = [](V * rows) __attribute__((always_inline)) {  // of each point
      Strip<T>::shuffle(rows, lanes);
      return std::accumulate(rows, rows + width, V{});
    };
    const V square = total(squares), residual = root(total(missed));
    std::memcpy(round.tiles.squares.data() + first, &square, sizeof square);
    std::memcpy(round.tiles.residuals.data() + first, &residual, sizeof residual);
  }
}

/// Memory on its way to the second-level cache.
class Prefetch {
 public:
  /// calls: of some(), evenly.
  Prefetch(const void* from, std::int64_t bytes, int calls) : next_(static_cast<const char*>(from)), goal_(next_), share_(bytes / calls) {}
  [[gnu::always_inline]] void some() {
    for (goal_ += share_; next_ < goal_; next_ += 64) __builtin_prefetch(next_, 0, 2);
  }

 private:
  const char *next_, *goal_;
  std::int64_t share_;
};

[[gnu::always_inline]] inline V loaded(const float* from) {
  V value;
  std::memcpy(&value, from, sizeof value);
  return value;
}

/// U_c of 16 points, tile v of a strip. products: y g of the strip.
[[gnu::always_inline]] inline V score_of(const Tiles& tiles, const float* products, int c, int v, V norm) {
  return loaded(products + ((c / width * points + v) * width + c % width) * width) + (tiles.offsets[c] + norm * tiles.missed[c]);
}

/// Labels the open points of tile v, bits of `open`, among the centroids with a score of at least `least`. x, labels: of the tile.
template <class T>
void settle(const Round<T>& round, Worker<T>& worker, const T* x, int v, unsigned open, V norm, V least, std::int32_t* labels) {
  const std::int64_t d = round.d;
  float bound[width];
  std::ranges::fill(bound, std::numeric_limits<float>::infinity());
  worker.near.clear();
  for (int c = 0; c < round.k; ++c) {
    const V score = score_of(round.tiles, worker.tile_sums.data(), c, v, norm);
    for (unsigned left = open & _mm512_cmp_ps_mask(score, least, _CMP_NLT_UQ); left != 0; left &= left - 1) {
      const int p = std::countr_zero(left);
      V sum[2] = {};
      for (int j = 0; j < d; j += depth)
        with_differences(
            x + p * d, round.centroids + c * d, j, round.d, [&](V low, V high) __attribute__((always_inline)) {
              sum[0] += low * low;
              sum[1] += high * high;
            });
      const float square = sum_of(sum[0] + sum[1]);
      worker.near.push_back({square, c, p});
      bound[p] = std::min(bound[p], square);
    }
  }
  for (float& square : bound) square += round.near_margin * square + 16 * (round.d + 1) * std::numeric_limits<float>::min();
  for (const auto [square, c, p] : worker.near) {
    if (square > bound[p]) continue;
    if (labels[p] < 0 || compare_distances(x + p * d, round.centroids + c * d, round.centroids + labels[p] * d, round.d) < 0) labels[p] = c;
    ++worker.candidates;
  }
  worker.settled += std::popcount(open);
  worker.opened += std::ssize(worker.near);
}

/// Sets labels[p] to the nearest centroid of point p. x: rows of the strip. Product: multiplies.
template <class Product, class T>
void screen(const Round<T>& round, Worker<T>& worker, Range strip, const T* x, std::int32_t* labels) {
  const Tiles& tiles = round.tiles;
  float* const products = worker.tile_sums.data();
  typename Strip<T>::template BestTwo<float> two;
  V norms[points];
  for (int v = 0; v < points; ++v) norms[v] = root(loaded(tiles.squares.data() + strip.first + v * width));
  constexpr int cached = 13;  // steps whose tiles of points stay in the first-level cache
  const int stretches = (tiles.steps + cached - 1) / cached, stretch = (tiles.steps + stretches - 1) / stretches;
  const std::int64_t next_block = std::int64_t(tiles.steps) * cells;
  const int fetches = tiles.steps * tiles.blocks * Product::fetches;
  Prefetch next(tiles.of_points.data() + tiles.strip(strip.last, 0), std::int64_t(points) * tiles.steps * cells * sizeof(std::uint16_t), fetches);
  Prefetch rows(x, round.only_moved ? 0 : (strip.last - strip.first) * round.d * sizeof(T), fetches);
  const auto fetch = [&]() __attribute__((always_inline)) {
    next.some();
    rows.some();
  };
  for (int begin = 0; begin < tiles.steps; begin += stretch) {
    const int steps = std::min(stretch, tiles.steps - begin);
    for (int block = 0; block < tiles.blocks; block += 2) {
      const int n_blocks = std::min(2, tiles.blocks - block);
      const std::uint16_t* const of_points = tiles.of_points.data() + tiles.strip(strip.first, begin);
      const std::uint16_t* const of_centroids = tiles.centroids.data() + block * next_block + begin * cells;
      float* const sums = products + std::int64_t(block) * points * width * width;
      if (n_blocks == 2) Product::template multiply<2>(of_points, of_centroids, next_block, steps, begin > 0, sums, fetch);
      else Product::template multiply<1>(of_points, of_centroids, next_block, steps, begin > 0, sums, fetch);
      if (begin + steps < tiles.steps) continue;
      asm volatile("" ::: "memory");  // the compiler does not see tiles
      for (int c = block * width; c < (block + n_blocks) * width; ++c)
        for (int v = 0; v < points; ++v) two.add(c, v, score_of(tiles, products, c, v, norms[v]));
    }
  }
  for (int v = 0; v < points; ++v) {
    const V square = loaded(tiles.squares.data() + strip.first + v * width), r = loaded(tiles.residuals.data() + strip.first + v * width);
    const V lost = _mm512_mask_i32gather_ps(V{}, 0xffff, (__m512i)two.index[v], tiles.missed.data(), sizeof(float)) * norms[v];  // of the best score
    const V best = two.best[v], score = best - lost, of_sums = round.tile_margin * (9 * square - 8 * score);
    const V far = (square > 2 * score ? square - 2 * score : V{}) + r * r + 2 * (norms[v] * r + lost) + of_sums, distance = r + root(far);
    const V margin = 2 * lost + 2 * round.missed_share * (r * distance) + of_sums + 16 * (round.d + 1) * std::numeric_limits<float>::min();
    two.label(v, margin, labels);
    unsigned open = 0;
    for (int p = 0; p < width && strip.first + v * width + p < strip.last; ++p) open |= unsigned(labels[v * width + p] < 0) << p;
    if (open != 0) settle(round, worker, x + std::int64_t(v) * width * round.d, v, open, norms[v], best - margin, labels + v * width);
  }
}

}  // namespace
}  // namespace km::strips::tiles
