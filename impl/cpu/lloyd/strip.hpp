// The passes of screened.cpp over a strip of points, in vectors. They transpose it to one vector per dimension, score it against all centroids in
// registers, and keep the best two. They add the rows to sums while the cache holds them. Each strip_*.cpp includes this after a pragma that selects
// its instruction set. Headers with other functions (strips.hpp) come before that pragma, because the linker may give their code to every file. All
// functions here are local to the file.
#include "impl/cpu/lloyd/strips.hpp"

namespace km::strips {
namespace {

/// bytes of a vector: 16, 32 or 64.
template <class T, int bytes>
struct Strip {
  static constexpr int size = 2 * bytes / int(sizeof(float));
  template <class E>
  static constexpr int lanes = bytes / int(sizeof(E));
  template <class E>
  static constexpr int vectors = size / lanes<E>;
  template <class E>
  static constexpr int rows = (bytes == 64 ? 16 : 8) / vectors<E>;  // register tile: rows x vectors

  /// Processes a thread's share of the points.
  static void pass(const Round<T>& round, Worker<T>& worker, Shares& shares, int thread) {
    process(round, worker, shares.own(thread));
    for (Range range = shares.next(); range.first < range.last; range = shares.next()) process(round, worker, range);
    while (!worker.open.empty()) settle(round, worker);
  }

  /// Processes the strips of a range that starts with a strip.
  static void process(const Round<T>& round, Worker<T>& worker, Range range) {
    const int d = round.d;
    for (std::int64_t i = range.first; i < range.last; i += size) {
      const int length = int(std::min<std::int64_t>(size, range.last - i));
      const T* x = round.points + i * d;
      if (length < size || (i + size) * d + overread > round.n * d) {
        std::memcpy(worker.rows.data(), x, std::size_t(length) * d * sizeof(T));
        x = worker.rows.data();
      }
      alignas(64) std::int32_t labels[size];
      switch (worker.strategy) {
        case Strategy::tiles: round.screen_in_tiles(round, worker, {i, i + length}, x, labels); break;
        case Strategy::products: screen<float, false>(round, worker, x, labels); break;
        case Strategy::differences: screen<T, true>(round, worker, x, labels); break;
      }
      std::int32_t* const out = round.labels + i;
      std::int32_t before[size];
      int changed = 0, open = 0;
      for (int p = 0; p < length; ++p) {
        const std::int32_t label = labels[p] < 0 ? out[p] : labels[p];
        before[p] = out[p];
        open += labels[p] < 0;
        changed += label != out[p];
        out[p] = label;
      }
      worker.changed += changed;
      for (int p = 0; open > 0 && p < length; ++p)
        if (labels[p] < 0) worker.open.push_back(i + p);
      if (!round.only_moved) add(round, worker, x, labels, length);
      else if (changed > 0) move(round, worker, x, before, labels, length);
      worker.screened += length;
      worker.opened += open;
      while (std::ssize(worker.open) >= size) settle(round, worker);
      if (worker.strategy == Strategy::products && worker.opened * 8 > worker.screened && worker.screened >= 16 * size)
        worker.strategy = Strategy::differences;
    }
  }

  /// The two highest scores of each point.
  template <class E>
  struct BestTwo {
    using V = Vector<E, bytes>;
    using I = decltype(V{} < V{});
    V best[vectors<E>], second[vectors<E>];
    I index[vectors<E>] = {};

    [[gnu::always_inline]] BestTwo() {
      for (int v = 0; v < vectors<E>; ++v) best[v] = second[v] = V{} - std::numeric_limits<E>::infinity();
    }

    /// Merges centroid c's scores of vector v's points. Every choice compares: GCC 13 and 14 move a comparison that is kept from masks to vectors.
    [[gnu::always_inline]] void add(int c, int v, V score) {
      const V lesser = score > best[v] ? best[v] : score;
      second[v] = lesser > second[v] ? lesser : second[v];
      index[v] = score > best[v] ? I{} + c : index[v];
      best[v] = score > best[v] ? score : best[v];
    }

    /// Writes the labels of vector v's points, or -1 if the best two differ by no more than the margin.
    [[gnu::always_inline]] void label(int v, V margin, std::int32_t* labels) const {
      const I label = best[v] - second[v] > margin ? index[v] : I{} - 1;  // NaN: open
      using Labels = Vector<std::int32_t, lanes<E> * 4>;
      *reinterpret_cast<Labels*>(labels + v * lanes<E>) = __builtin_convertvector(label, Labels);
    }
  };

  /// Transposes rows by log2(width) perfect shuffles.
  template <class V, int... i>
  [[gnu::always_inline]] static void shuffle(V* block, std::integer_sequence<int, i...>) {
    constexpr int width = sizeof...(i);
    for (int step = 1; step < width; step *= 2) {
      V next[width];
      for (int r = 0; r < width / 2; ++r) {
        next[2 * r] = __builtin_shufflevector(block[r], block[r + width / 2], (i / 2 + i % 2 * width)...);
        next[2 * r + 1] = __builtin_shufflevector(block[r], block[r + width / 2], (width / 2 + i / 2 + i % 2 * width)...);
      }
      std::memcpy(block, next, sizeof next);
    }
  }

 private:
  /// Calls f with d as a constant up to 8, else with 0. (bench/contract/dimension.hpp is not compiled for this instruction set.)
  template <class F>
  [[gnu::always_inline]] static void with_small_dimension(int d, F f) {
    [&]<int... Ds>(std::integer_sequence<int, Ds...>) __attribute__((always_inline)) {
      const bool found = ((d == Ds + 1 && (f(std::integral_constant<int, Ds + 1>()), true)) || ...);
      if (!found) f(std::integral_constant<int, 0>());
    }
    (std::make_integer_sequence<int, 8>());
  }

  /// Sets labels[p] to the nearest centroid of point p, or -1 if the margin leaves it open.
  template <class E, bool differences>
  [[gnu::always_inline]] static void screen(const Round<T>& round, Worker<T>& worker, const T* x, std::int32_t* labels) {
    using V = Vector<E, bytes>;
    alignas(64) E squares[size];
    E* columns;
    if constexpr (differences) columns = worker.plain_columns.data();
    else columns = worker.columns.data();
    if constexpr (differences) turn_plain(round, x, columns);
    else turn<E, true>(round, x, columns, squares);
    BestTwo<E> two;
    products<E, differences>(
        columns, packed<differences>(round), round.d, worker.scores.data(),
        x + size * round.d, [&](int c, int v, V score) __attribute__((always_inline)) { two.add(c, v, score); });
    for (int v = 0; v < vectors<E>; ++v) {
      V margin;
      if constexpr (differences) margin = -3 * round.plain_margin * two.best[v];
      else margin = round.score_margin * (9 * *reinterpret_cast<V*>(squares + v * lanes<E>) - 8 * two.best[v]);
      margin += 16 * std::numeric_limits<E>::min();  // bound of underflow
      two.label(v, margin, labels);
    }
  }

  template <bool differences>
  static const auto& packed(const Round<T>& round) {
    if constexpr (differences) return round.plain;
    else return round.scored;
  }

  /// Calls finish(c, v, scores) for every centroid c and vector v of points: offset + x c, or offset - |x - c|². Many dimensions are processed in
  /// ranges whose columns stay in the first-level cache, with unfinished sums in `partial`. Prefetches the strip that lies `ahead`.
  template <class E, bool differences, class Finish>
  [[gnu::always_inline]] static void products(const E* columns, const Packed<E>& centroids, int d, T* partial, const T* ahead, Finish finish) {
    using V = Vector<E, bytes>;
    constexpr int n_rows = rows<E>, n_vectors = vectors<E>, cached = 32768 / int(size * sizeof(E));
    const int stretches = (d + cached - 1) / cached, stretch = (d + stretches - 1) / stretches;
    const char* next = reinterpret_cast<const char*>(ahead);
    const std::int64_t advance = size * sizeof(T) / centroids.blocks;  // evenly, so that prefetches never queue
    for (int begin = 0; begin < d; begin += stretch) {
      const int end = std::min(d, begin + stretch);
      V* aside = reinterpret_cast<V*>(partial);
      for (int block = 0; block < centroids.blocks; ++block, aside += n_rows * n_vectors) {
        V sum[n_rows][n_vectors] = {};
        for (int r = 0; r < n_rows; ++r)
          for (int v = 0; v < n_vectors; ++v) sum[r][v] = begin == 0 ? centroids.offsets[block * n_rows + r] - V{} : aside[r * n_vectors + v];
        const E* c = centroids.values.data() + (std::int64_t(block) * d + begin) * n_rows;
        for (int j = begin; j < end; ++j, c += n_rows, next += advance) {
          __builtin_prefetch(next, 0, 2);
          V x[n_vectors];
          for (int v = 0; v < n_vectors; ++v) x[v] = *reinterpret_cast<const V*>(columns + j * size + v * lanes<E>);
          for (int r = 0; r < n_rows; ++r)
            for (int v = 0; v < n_vectors; ++v) {
              if constexpr (differences) {
                const V diff = x[v] - c[r];
                sum[r][v] -= diff * diff;
              } else {
                sum[r][v] += x[v] * c[r];
              }
            }
        }
        for (int r = 0; r < n_rows; ++r)
          for (int v = 0; v < n_vectors; ++v) {
            if (end < d) aside[r * n_vectors + v] = sum[r][v];
            else finish(block * n_rows + r, v, sum[r][v]);
          }
      }
    }
  }

  /// Writes rows to columns[j][point], relative to the origin if `centred`, with |x|². Reads up to `overread` values behind the last row. Columns
  /// hold at least a vector's width of dimensions.
  template <class E, bool centred>
  [[gnu::always_inline]] static void turn(const Round<T>& round, const T* x, E* columns, E* squares) {
    constexpr int width = lanes<E>;
    using V = Vector<E, bytes>;
    for (int v = 0; v < vectors<E>; ++v, x += std::int64_t(width) * round.d, columns += width) {
      V square[2] = {V{} + std::numeric_limits<E>::min(), V{}};  // the minimum covers underflow
      const auto keep = [&](int j, V column, bool is_new) __attribute__((always_inline)) {
        *reinterpret_cast<V*>(columns + j * size) = column;
        if (centred && is_new) square[j % 2] += column * column;
      };
      with_small_dimension(
          round.d, [&](auto D) __attribute__((always_inline)) {
            if constexpr (D.value > 0) pick<E, centred, D.value>(round, x, keep);
            else transpose<E, centred>(round, x, keep);
          });
      if constexpr (centred) *reinterpret_cast<V*>(squares + v * width) = square[0] + square[1];
    }
  }

  [[gnu::noinline]] static void turn_plain(const Round<T>& round, const T* x, T* columns) { turn<T, false>(round, x, columns, nullptr); }

  /// Few dimensions: width rows are D contiguous vectors; each column is picked from all of them.
  template <class E, bool centred, int D, class Keep>
  [[gnu::always_inline]] static void pick(const Round<T>& round, const T* x, Keep keep) {
    Vector<E, bytes> in[D];
    for (int s = 0; s < D; ++s) in[s] = load<E, centred>(x + s * lanes<E>, round.origin.data() + s * lanes<E>);
    [&]<int... j>(std::integer_sequence<int, j...>) __attribute__((always_inline)) {
      (keep(j, picked<D, j, 1>(in, in[0], std::make_integer_sequence<int, lanes<E>>()), true), ...);
    }
    (std::make_integer_sequence<int, D>());
  }

  /// Picks value i of column j, which is value i D + j of the rows, from vectors s and later; `so_far` has the earlier ones.
  template <int D, int j, int s, class V, int... i>
  [[gnu::always_inline]] static V picked(const V* in, V so_far, std::integer_sequence<int, i...> lane) {
    constexpr int width = sizeof...(i);
    if constexpr (D == 1 || s == D) return so_far;
    else
      return picked<D, j, s + 1>(in,
                                 __builtin_shufflevector(so_far, in[s],
                                                         ((i * D + j) / width == s ? width + (i * D + j) % width
                                                          : s == 1                 ? (i * D + j) % width
                                                                                   : i)...),
                                 lane);
  }

  template <class E, bool centred, class Keep>
  [[gnu::always_inline]] static void transpose(const Round<T>& round, const T* x, Keep keep) {
    constexpr int width = lanes<E>;
    const int d = round.d;
    for (int done = 0; done < d; done += width) {
      const int first = std::max(0, std::min(done, d - width));  // the last chunk overlaps the previous one
      Vector<E, bytes> block[width];
      const T* row = x + first;
      for (int i = 0; i < width; ++i, row += d) block[i] = load<E, centred>(row, round.origin.data() + first);
      shuffle(block, std::make_integer_sequence<int, width>());
      for (int j = 0; j < width; ++j) keep(first + j, block[j], first + j >= done && first + j < d);
    }
  }

  template <class E, bool centred>
  [[gnu::always_inline]] static Vector<E, bytes> load(const T* x, const T* origin) {
    Vector<T, bytes * sizeof(T) / sizeof(E)> row, start;
    std::memcpy(&row, x, sizeof row);
    if constexpr (centred) {
      std::memcpy(&start, origin, sizeof start);
      row -= start;
    }
    return __builtin_convertvector(row, Vector<E, bytes>);
  }

  /// Adds labelled rows to the sums of their clusters. Values behind a row go to the padding.
  [[gnu::always_inline]] static void add(const Round<T>& round, Worker<T>& worker, const T* x, const std::int32_t* labels, int length) {
    with_small_dimension(
        round.d, [&](auto D) __attribute__((always_inline)) { add_rows<D.value>(round, worker, x, labels, length); });
  }

  template <int D>
  [[gnu::always_inline]] static void add_rows(const Round<T>& round, Worker<T>& worker, const T* x, const std::int32_t* labels, int length) {
    const int d = D > 0 ? D : round.d, k = round.k, every = copies(k, d) - 1;
    const std::int64_t row = stride(d);
    double *const sums = worker.sums.data(), *const lost = worker.lost.data();
    std::int64_t* const counts = worker.counts.data();
    for (int p = 0; p < length; ++p, x += d) {
      if (labels[p] < 0) continue;
      const std::int64_t at = (p & every) * k + labels[p];
      ++counts[at];
      add_row(x, d, sums + at * row, sizeof(T) == 8 ? lost + at * row : nullptr);
    }
  }

  [[gnu::always_inline]] static void add_row(const T* x, int d, double* __restrict sum, double* __restrict lost) {
    if constexpr (sizeof(T) == 4) {
      using V = Vector<double, 32>;
      if (d <= 8) {  // known at compile time
        for (int j = 0; j < d; j += 4) {
          Vector<float, 16> term;
          std::memcpy(&term, x + j, sizeof term);
          *reinterpret_cast<V*>(sum + j) += __builtin_convertvector(term, V);
        }
      } else {
        for (int j = 0, filled = (d + 3) / 4 * 4; j < filled; ++j) sum[j] += x[j];
      }
    } else {
      using V = Vector<double, bytes>;
      for (int j = 0; j < d; j += lanes<T>) {
        V term, &to = *reinterpret_cast<V*>(sum + j);
        std::memcpy(&term, x + j, sizeof term);
        const V before = to, after = before + term, of_term = after - before;
        *reinterpret_cast<V*>(lost + j) += (before - (after - of_term)) + (term - of_term);  // exact error of the addition (Knuth's TwoSum)
        to = after;
      }
    }
  }

  /// Moves rows with a new label from one cluster's sums to another's.
  static void move(const Round<T>& round, Worker<T>& worker, const T* x, const std::int32_t* before, const std::int32_t* labels, int length) {
    const int d = round.d;
    const std::int64_t row = stride(d);
    for (int p = 0; p < length; ++p, x += d) {
      if (labels[p] < 0 || labels[p] == before[p]) continue;
      double* __restrict const from = worker.sums.data() + before[p] * row, * __restrict const to = worker.sums.data() + labels[p] * row;
      for (int j = 0; j < d; ++j) {
        from[j] -= x[j];
        to[j] += x[j];
      }
      --worker.counts[before[p]];
      ++worker.counts[labels[p]];
    }
  }

  /// Settles the last points of worker.open, at most a strip: by differences and their bound, then exactly.
  static void settle(const Round<T>& round, Worker<T>& worker) {
    using V = Vector<T, bytes>;
    const int d = round.d, k = round.k;
    const int length = int(std::min<std::int64_t>(size, std::ssize(worker.open)));
    const std::int64_t* const points = worker.open.data() + worker.open.size() - length;
    T* const x = worker.rows.data();
    for (int p = 0; p < length; ++p) std::memcpy(x + std::int64_t(p) * d, round.points + points[p] * d, d * sizeof(T));
    turn_plain(round, x, worker.plain_columns.data());
    T* const scores = worker.scores.data();
    products<T, true>(
        worker.plain_columns.data(), round.plain, d, scores, x, [&](int c, int v, V score) __attribute__((always_inline)) {
          std::memcpy(scores + std::size_t(c) * size + v * lanes<T>, &score, sizeof score);
        });
    T least[size];
    std::int32_t best[size];
    for (int p = 0; p < size; ++p) least[p] = -std::numeric_limits<T>::infinity();
    for (int c = 0; c < k; ++c)
      for (int p = 0; p < size; ++p) least[p] = scores[c * size + p] > least[p] ? scores[c * size + p] : least[p];
    for (int p = 0; p < size; ++p) {
      least[p] -= 3 * round.plain_margin * -least[p] + 16 * std::numeric_limits<T>::min();
      best[p] = -1;
    }
    for (int c = 0; c < k; ++c) {
      if (round.plain.offsets[c] != 0) continue;  // equal to a centroid of a lower index
      bool any = false;
      for (int p = 0; p < size; ++p) any |= !(scores[c * size + p] < least[p]);
      if (!any) continue;
      for (int p = 0; p < length; ++p) {
        if (scores[c * size + p] < least[p]) continue;
        ++worker.candidates;
        const T* const at = x + std::int64_t(p) * d;
        if (best[p] < 0 || compare_distances(at, round.centroids + std::int64_t(c) * d, round.centroids + std::int64_t(best[p]) * d, d) < 0)
          best[p] = c;
      }
    }
    std::int32_t before[size];
    for (int p = 0; p < length; ++p) {
      before[p] = std::exchange(round.labels[points[p]], best[p]);
      worker.changed += before[p] != best[p];
    }
    if (round.only_moved) move(round, worker, x, before, best, length);
    else add_rows<0>(round, worker, x, best, length);  // few
    worker.settled += length;
    worker.open.resize(worker.open.size() - length);
  }
};

template <class T, int bytes>
constexpr Kernel<T> kernel = {Strip<T, bytes>::size, Strip<T, bytes>::template rows<float>, Strip<T, bytes>::template rows<T>, Strip<T, bytes>::pass};

}  // namespace
}  // namespace km::strips
