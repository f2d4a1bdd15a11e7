// What the passes of strip.hpp share whatever the instruction set: centroids laid out for a product, an iteration, a thread's own.
#pragma once

#include <cstdint>
#include <limits>
#include <new>
#include <vector>

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

constexpr int overread = 16;  // values that may be read behind a row

/// Centroids as products() reads them: blocks of `rows`, within a block dimension by dimension. A score starts from its offset;
/// -infinity keeps out a centroid that fills up the last block, or that equals one of a lower index.
template <class E>
struct Packed {
  int rows = 0, blocks = 0;
  Buffer<E> values, offsets;

  Packed() = default;
  Packed(int k, int d, int rows_)
      : rows(rows_), blocks((k + rows - 1) / rows), values(std::size_t(blocks) * rows * d),
        offsets(std::size_t(blocks) * rows, -std::numeric_limits<E>::infinity()) {}
  E* value(int c, int d) { return values.data() + (std::size_t(c / rows) * d) * rows + c % rows; }  // of dimension 0; the next is `rows` on
};

/// An iteration, the same for all threads.
template <class T>
struct Round {
  std::int64_t n = 0;
  int d = 0, k = 0;
  const T *points = nullptr, *centroids = nullptr;
  std::int32_t* labels = nullptr;
  Buffer<T> origin;        // again and again, overread (d + 1) values
  Packed<float> scored;    // centroids from the origin; offsets -|c|²/2 (1 - 2 margin)
  Packed<T> plain;         // centroids as they are; offsets 0
  float score_margin = 0;  // bound of a score's error, relative to (|x|² + |c|²)/2 and |c|²/2
  T plain_margin = 0;      // of distance²'s, relative
};

/// A thread's own.
template <class T>
struct alignas(64) Worker {
  Buffer<float> columns;
  Buffer<T> plain_columns, rows, scores;
  Buffer<double> sums, lost;               // copies x k x stride; lost (T = double only): what rounding took from sums
  std::vector<std::int64_t> counts, open;  // open: points to settle
  std::int64_t changed = 0, settled = 0, candidates = 0, screened = 0;
  bool plain = false;  // differences instead of products, from now on
};

/// A row of sums: d, filled up to whole vectors.
inline int stride(int d) { return (d + 7) / 8 * 8; }
/// Sums are kept so many times, a power of two: where they are few, a point need not wait for the sums of the one before.
inline int copies(int k, int d) { return std::int64_t(k) * stride(d) <= 512 ? 4 : 1; }

}  // namespace km::strips
