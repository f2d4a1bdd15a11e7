// Shared by the passes of all instruction sets: layouts of centroids, state of an iteration and of a thread.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "bench/base/exact.hpp"
#include "bench/base/unwritten.hpp"

namespace km::strips {

template <class E, int bytes>
struct VectorOf {
  using type [[gnu::vector_size(bytes), gnu::may_alias]] = E;
};
template <class E, int bytes>
using Vector = typename VectorOf<E, bytes>::type;

template <class E>
struct CacheLines {
  using value_type = E;
  E* allocate(std::size_t count) { return static_cast<E*>(::operator new(count * sizeof(E), std::align_val_t(64))); }
  void deallocate(E* at, std::size_t) { ::operator delete(at, std::align_val_t(64)); }
  bool operator==(const CacheLines&) const { return true; }
};
template <class E>
using Buffer = std::vector<E, CacheLines<E>>;

constexpr int overread = 16;  // values readable behind a row

/// Centroids as products() reads them: blocks of `rows`, by dimension within a block. A score starts from its offset; -infinity excludes padding and
/// centroids equal to one of a lower index.
template <class E>
struct Packed {
  int rows = 0, blocks = 0;
  Buffer<E> values, offsets;

  Packed() = default;
  Packed(int k, int d, int rows_)
      : rows(rows_), blocks((k + rows - 1) / rows), values(std::size_t(blocks) * rows * d),
        offsets(std::size_t(blocks) * rows, -std::numeric_limits<E>::infinity()) {}
  E* value(int c, int d) { return values.data() + (std::size_t(c / rows) * d) * rows + c % rows; }  // of dimension 0; the next is `rows` further
};

/// How a thread scores its points, fastest first. It moves to the next strategy if too many points stay open.
enum class Strategy { tiles, products, differences };

/// Centroids and points as tiles.hpp reads them, in bfloat16. A tile is 16 of them and 32 dimensions, zeros behind the last.
struct Tiles {
  static constexpr int width = 16, depth = 32, cells = width * depth;
  static constexpr int points = 2;  // tiles of points per strip
  int blocks = 0, steps = 0;        // of 16 centroids; of 32 dimensions
  Buffer<std::uint16_t> centroids;  // by block, then step; 32 dimensions of each of 16 centroids: dimensions j and j + 16 are neighbours
  Buffer<float> offsets, missed;    // missed: length of what rounding misses of each centroid, a hundredth more
  std::vector<std::uint16_t, Unwritten<std::uint16_t>> of_points;  // by strip, step, then tile; both neighbours of each of 16 points
  std::vector<float, Unwritten<float>> squares, residuals;         // |x|² of each point x, and the length of what rounding misses

  Tiles() = default;
  Tiles(std::int64_t n, int k, int d)
      : blocks((k + width - 1) / width), steps((d + depth - 1) / depth), centroids(std::size_t(blocks) * steps * cells),
        offsets(std::size_t(blocks) * width, -std::numeric_limits<float>::infinity()), missed(offsets.size()) {
    const std::size_t tiles = (n + points * width - 1) / (points * width) * points;
    of_points.resize(tiles * steps * cells);
    squares.resize(tiles * width);
    residuals.resize(tiles * width);
  }

  /// Sets value j of centroid c.
  void set(int c, int j, float value) {
    const int within = j % depth;
    centroids[(std::size_t(c / width) * steps + j / depth) * cells + c % width * depth + within % width * 2 + within / width] = bits(value);
  }
  /// Where a step of the strip that starts with point i begins in of_points.
  std::int64_t strip(std::int64_t i, int step) const { return (i / (points * width) * steps + step) * points * cells; }

  /// Bits of the nearest bfloat16.
  static std::uint16_t bits(float value) {
    const auto all = std::bit_cast<std::uint32_t>(value);
    return std::uint16_t((all + 0x7fff + (all >> 16 & 1)) >> 16);
  }
  static float value(std::uint16_t bits) { return std::bit_cast<float>(std::uint32_t(bits) << 16); }
};

/// A centroid that tiles leave to a point of a strip.
struct Near {
  float square;  // of the distance
  int c, p;
};

template <class T>
struct Worker;

/// Points, first to last - 1.
struct Range {
  std::int64_t first, last;
};

/// Shares the strips of n points out: half of them evenly, the same to each thread in every iteration, so that its cache may hold them. The others go in
/// small pieces to whom is ready: processors differ in speed from one moment to the next.
class Shares {
 public:
  Shares(std::int64_t n, int size, int threads)
      : n_(n), size_(size), strips_((n + size - 1) / size), even_(threads > 1 ? strips_ / 2 : strips_), threads_(threads),
        piece_(std::max<std::int64_t>(1, (strips_ - even_) / (16 * threads))), next_(even_) {}
  Range own(int thread) const { return points(even_ * thread / threads_, even_ * (thread + 1) / threads_); }
  /// Empty if none is left.
  Range next() {
    const std::int64_t first = std::min(strips_, next_.fetch_add(piece_, std::memory_order_relaxed));
    return points(first, std::min(strips_, first + piece_));
  }

 private:
  Range points(std::int64_t first, std::int64_t last) const { return {std::min(n_, first * size_), std::min(n_, last * size_)}; }
  std::int64_t n_, size_, strips_, even_, threads_, piece_;
  alignas(64) std::atomic<std::int64_t> next_;
};

/// State of an iteration, shared by all threads.
template <class T>
struct Round {
  std::int64_t n = 0;
  int d = 0, k = 0;
  const T *points = nullptr, *centroids = nullptr;
  std::int32_t* labels = nullptr;
  Buffer<T> origin;         // repeated: overread (d + 1) values
  Packed<float> scored;     // centroids relative to the origin; offsets -|c|²/2 (1 - 2 margin)
  Tiles tiles;              // points and centroids in bfloat16, relative to the origin
  Packed<T> plain;          // unchanged centroids; offsets 0
  float score_margin = 0;   // bound of a score's error, relative to (|x|² + |c|²)/2 and |c|²/2
  float tile_margin = 0;    // the same for tiles, without what bfloat16 rounds off
  float missed_share = 0;   // by which what bfloat16 misses counts
  float near_margin = 0;    // by which a squared distance in fp32 may exceed the least, relative
  T plain_margin = 0;       // the same for a distance², relative
  bool only_moved = false;  // keep the previous sums and counts; add moved points only
  void (*screen_in_tiles)(const Round&, Worker<T>&, Range, const T* x, std::int32_t* labels) = nullptr;
};

/// State of a thread.
template <class T>
struct alignas(64) Worker {
  Buffer<float> columns;
  Buffer<T> plain_columns, rows, scores;
  Buffer<float> tile_sums;
  std::vector<Near> near;
  Buffer<double> sums, lost;               // copies x k x stride; lost (T = double only): rounding errors of sums
  std::vector<std::int64_t> counts, open;  // open: points to settle
  std::int64_t changed = 0, settled = 0, candidates = 0;
  std::int64_t screened = 0, opened = 0;  // points, with this strategy in this iteration; of tiles: distances that it left to compute
  Strategy strategy = Strategy::products;
};

/// The pass in one instruction set, with the shapes of its strips and register tiles.
template <class T>
struct Kernel {
  int size, score_rows, plain_rows;
  void (*pass)(const Round<T>&, Worker<T>&, Shares&, int thread);
  void (*lay_out)(Round<T>&, Range strip) = nullptr;  // sets its tiles
  void (*screen_in_tiles)(const Round<T>&, Worker<T>&, Range strip, const T* x, std::int32_t* labels) = nullptr;
};

/// The passes in one instruction set; converts to that of either precision.
struct Kernels : Kernel<float>, Kernel<double> {};
/// Defined in strip_portable.cpp, ..., strip_amx.cpp. Instruction sets that this kind of CPU never has are absent.
Kernels portable_kernels();
Kernels avx2_kernels();
Kernels avx512_kernels();
Kernels bf16_kernels();
Kernels amx_kernels();

/// Length of a row of sums: d, padded to whole vectors.
inline int stride(int d) { return (d + 7) / 8 * 8; }
/// Copies of the sums, a power of two: with few sums, consecutive points need not wait for each other.
inline int copies(int k, int d) { return std::int64_t(k) * stride(d) <= 512 ? 4 : 1; }

}  // namespace km::strips
