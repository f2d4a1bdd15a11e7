// A warp's work on its scores, independent of the matrix instruction. A thread has the scores of two rows and, of every 32 columns, 8 each, as
// tensor cores return sums. Scores form a grid; only maxima of its rows and columns are kept: 2.4 instructions per score instead of 4 for the best
// two. A unique best is named by its row and column. The second best differs in one of them, so it is the second of either.
#pragma once

#include <limits>

#include "impl/gpu/lloyd/screen_margin.cuh"

namespace km::screen {

/// A thread's two rows of 16 of a 64-row tile: the points and the places of their fragments. place: index among the tile's 128 threads.
template <bool Listed>
struct RowPair {
  std::int64_t i[2];     // -1: none
  bool in_order = true;  // rows are points
  RowPair() = default;
  __device__ RowPair(std::int64_t tile, int place, std::int64_t rows, const int* todo) : in_order(!todo) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = tile * tile_rows + place / 32 * 16 + place % 32 / 4 + half * 8;
      i[half] = row >= rows ? -1 : Listed && todo ? todo[row] : row;
    }
  }
  /// Loads steps from `first` of the points' halves.
  template <int Steps>
  __device__ __forceinline__ void load(const uint4* halves, std::int64_t tile, int place, int steps, int first, std::uint32_t (&a)[Steps * 4]) const {
#pragma unroll
    for (int s = 0; s < Steps; ++s) {
      if (!Listed || in_order) {
        const uint4 part = halves[(tile * steps + first + s) * 128 + place];
        a[s * 4] = part.x, a[s * 4 + 1] = part.y, a[s * 4 + 2] = part.z, a[s * 4 + 3] = part.w;
      } else {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const std::int64_t p = i[half] < 0 ? 0 : i[half];
          const int row = p % tile_rows;
          const std::int64_t at = ((p / tile_rows * steps + first + s) * 128 + row / 16 * 32 + row % 8 * 4 + place % 4) * 4 + row % 16 / 8;
          a[s * 4 + half] = reinterpret_cast<const std::uint32_t*>(halves)[at];
          a[s * 4 + half + 2] = reinterpret_cast<const std::uint32_t*>(halves)[at + 2];
        }
      }
    }
  }
};

/// Loads a pair's halves of a chunk of dimensions; the low ones for three products.
template <int Steps, int Products, bool Listed, int Low>
__device__ __forceinline__ void load_halves(const Points& points, const RowPair<Listed>& pair, std::int64_t tile, int place, int chunk,
                                            std::uint32_t (&high)[Steps * 4], std::uint32_t (&low)[Low]) {
  pair.template load<Steps>(points.high, tile, place, points.steps, chunk * Steps, high);
  if constexpr (Products == 3) pair.template load<Steps>(points.low, tile, place, points.steps, chunk * Steps, low);
}

/// Maximum of three scores. Positive scores order as their bits, and integers have a three-way maximum on compute capability 9.0. A score that is
/// negative nevertheless becomes zero, which no other score exceeds.
template <bool Positive>
__device__ __forceinline__ float greatest(float a, float b, float c) {
  if constexpr (Positive) return __int_as_float(__vimax3_s32_relu(__float_as_int(a), __float_as_int(b), __float_as_int(c)));
  else return fmaxf(fmaxf(a, b), c);
}

/// A thread's scores of 32 columns, and the maximum of each row.
template <bool Positive, bool Started>
struct Scores {
  float at[2][8], row[2];
  /// sums: 16 of the thread; starts: of the columns, unless Started: the sums have them.
  __device__ __forceinline__ Scores(const float* sums, const float* starts, int quarter) {
#pragma unroll
    for (int u = 0; u < 4; ++u) {
      const float2 start = Started ? float2{} : *reinterpret_cast<const float2*>(starts + u * 8 + quarter * 2);
#pragma unroll
      for (int v = 0; v < 4; ++v) at[v / 2][u * 2 + v % 2] = Started ? sums[u * 4 + v] : sums[u * 4 + v] + (v % 2 ? start.y : start.x);
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const auto& s = at[half];
      if constexpr (Positive) {
        row[half] = greatest<true>(s[7], greatest<true>(s[0], s[1], s[2]), greatest<true>(s[3], s[4], greatest<true>(s[5], s[6], s[6])));
      } else {
        row[half] = s[0];
#pragma unroll
        for (int u = 1; u < 8; ++u) row[half] = fmaxf(row[half], s[u]);
      }
    }
  }
};

/// The best two scores of two rows.
template <int Columns, bool Positive>
struct Leaders {
  Best best[2];  // of this lane's columns; of all columns after finish
  Best own[2];   // after finish, of this lane's
  float columns[2][8];
  __device__ __forceinline__ Leaders() {
#pragma unroll
    for (int u = 0; u < 16; ++u) columns[u / 8][u % 8] = -cuda::infinity<float>;
  }
  template <bool Started>
  __device__ __forceinline__ void add(const Scores<Positive, Started>& scores, int row) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if constexpr (Columns == 32) {  // one tile: the grid has one row
#pragma unroll
        for (int u = 0; u < 8; ++u) best[half].add(scores.at[half][u], u / 2 * 8 + u % 2);
      } else {
#pragma unroll
        for (int u = 0; u < 8; ++u) columns[half][u] = fmaxf(columns[half][u], scores.at[half][u]);
        best[half].add(scores.row[half], row);
      }
    }
  }
  /// Adds this row of the grid and the next.
  template <bool Started>
  __device__ __forceinline__ void add(const Scores<Positive, Started>& scores, const Scores<Positive, Started>& next, int row) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
#pragma unroll
      for (int u = 0; u < 8; ++u) columns[half][u] = greatest<Positive>(columns[half][u], scores.at[half][u], next.at[half][u]);
      best[half].add(scores.row[half], row);
      best[half].add(next.row[half], row + 1);
    }
  }
  /// Merges the best two over the four lanes of a row.
  __device__ __forceinline__ void finish(int quarter) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if constexpr (Columns > 32) {
        Best column;
#pragma unroll
        for (int u = 0; u < 8; ++u) column.add(columns[half][u], u / 2 * 8 + u % 2);
        best[half].second = fmaxf(best[half].second, column.second);
        best[half].at = best[half].at * 32 + column.at;
      }
      best[half].at += quarter * 2;
      own[half] = best[half];
      best[half].merge_with_lane(1);
      best[half].merge_with_lane(2);
    }
  }
};

/// Returns the place of each joining lane in a list. All lanes call it.
__device__ __forceinline__ unsigned place_in_list(unsigned* length, bool joins, int lane) {
  const unsigned joining = __ballot_sync(0xFFFFFFFF, joins);
  unsigned at = 0;
  if (lane == 0 && joining) at = atomicAdd(length, __popc(joining));
  return __shfl_sync(0xFFFFFFFF, at, 0) + __popc(joining & ((1u << lane) - 1));
}

/// Collects the candidates of a warp's 16 rows. found: number per row, in shared memory; first: the first row's place in the list of open points.
struct Collector {
  int* found;
  std::int64_t first, rows;
  float least[2];
  /// clears: the one warp that does, where several collect for the same rows.
  __device__ __forceinline__ void begin(const Open& open, int* found_here, std::int64_t first_row, std::int64_t row_count, int lane,
                                        bool clears = true) {
    found = found_here, first = first_row, rows = row_count;
    if (clears && lane < 16) found[lane] = 0;
    __syncwarp();
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const std::int64_t row = first + lane / 4 + half * 8;
      least[half] = row < rows ? open.least[row] : cuda::infinity<float>;
    }
  }
  template <bool Started>
  __device__ __forceinline__ void add(const Open& open, const Scores<false, Started>& scores, int column, int lane) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      if (!(scores.row[half] >= least[half])) continue;  // also without points, where a score may be NaN
      const int at = lane / 4 + half * 8;
#pragma unroll
      for (int u = 0; u < 8; ++u) {
        if (!(scores.at[half][u] >= least[half])) continue;
        const int place = atomicAdd(&found[at], 1);
        if (place < most_candidates) open.candidates[(first + at) * most_candidates + place] = column + u / 2 * 8 + lane % 4 * 2 + u % 2;
      }
    }
  }
  /// Lists points with too many candidates, or none, for three products, or for differences if they come from three. Such points count none.
  __device__ __forceinline__ void finish(const Screen& s, bool from_three, int lane) {
    __syncwarp();
    const bool mine = lane < 16 && first + lane < rows;
    const int count = mine ? found[lane] : 0;
    const bool fits = count > 0 && count <= most_candidates;
    if (mine) s.open.counts[first + lane] = fits ? count : 0;
    const unsigned at = place_in_list(from_three ? &s.progress->rest : &s.progress->many, mine && !fits, lane);
    if (mine && !fits) (from_three ? s.rest : s.many)[at] = s.open.points[first + lane];
    __syncwarp();
  }
};

/// What a kernel of the screen does in this iteration, for which points.
template <int Products, Task What>
struct Part {
  static constexpr bool listed = Products == 3 || What == Task::collect;
  bool mine, last = false;  // last: what it leaves open is for differences
  const int* todo = nullptr;
  std::int64_t rows = 0;
  __device__ explicit Part(const Screen& s) {
    const int strategy = s.progress->strategy;
    if (What == Task::decide) last = Products == 3 && strategy == one_product;
    mine = last || strategy == (Products == 3 ? three_products : one_product);
    if (!mine) return;
    if (listed) todo = last ? s.many : What == Task::collect ? s.open.points : nullptr;
    rows = !todo ? s.points.n : std::int64_t(last ? s.progress->many : s.progress->unknown);
  }
};

/// A warp's open points on their way into the lists, in shared memory.
struct Gathered {
  static constexpr int most = 32;
  int point[most];
  float least[most];
  int count[most];                   // of candidates; 0: unknown
  std::int32_t candidates[most][4];  // each of a row's lanes names one at most
};

/// Gathers a warp's open points, and moves them to the lists by one atomic for up to 32. All warps count at one address: an atomic a round bounded the
/// kernel.
class OpenRows {
 public:
  __device__ explicit OpenRows(Gathered& gathered) : to_(gathered) {}
  /// Of the row that this lane takes, if its point i is open: a candidate is a centroid whose score reaches `least`. A lane names its best one only, so the
  /// list is complete if no lane has two.
  template <int Columns, bool Positive, int Strips>
  __device__ __forceinline__ void add(const Screen& s, const Leaders<Columns, Positive> (&leaders)[Strips], bool open, std::int64_t i, float least,
                                      int lane) {
    const unsigned joining = __ballot_sync(all, open);
    if (size_ + __popc(joining) > Gathered::most) flush(s, lane);
    const int quarter = lane % 4, quad = lane - quarter, mine = size_ + __popc(joining & ((1u << lane) - 1));
    size_ += __popc(joining);
#pragma unroll
    for (int row = 0; row < Strips * 2; ++row) {
      const float enough = __shfl_sync(all, open ? least : cuda::infinity<float>, quad + row);
      const int at = __shfl_sync(all, open ? mine : -1, quad + row);
      const Best& own = leaders[row / 2].own[row % 2];
      const unsigned firsts = __ballot_sync(all, own.first >= enough) >> quad & 15, seconds = __ballot_sync(all, own.second >= enough) >> quad & 15;
      if (at >= 0 && firsts >> quarter & 1) to_.candidates[at][__popc(firsts & ((1u << quarter) - 1))] = own.at;
      if (at >= 0 && quarter == row) to_.count[at] = seconds ? 0 : __popc(firsts);
    }
    if (open) to_.point[mine] = static_cast<int>(i), to_.least[mine] = least;
  }
  /// Moves all to the lists.
  __device__ __forceinline__ void flush(const Screen& s, int lane) {
    if (size_ == 0) return;
    __syncwarp();
    const int count = lane < size_ ? to_.count[lane] : 0;
    const unsigned below = (1u << lane) - 1, known = __ballot_sync(all, count > 0), unknown = __ballot_sync(all, lane < size_ && count == 0);
    unsigned long long lengths = 0;
    if (lane == 0)
      lengths = atomicAdd(reinterpret_cast<unsigned long long*>(&s.progress->unknown), std::uint64_t(__popc(known)) << 32 | __popc(unknown));
    lengths = __shfl_sync(all, lengths, 0);
    if (count > 0) {
      const std::int64_t at = s.points.n - 1 - (unsigned(lengths >> 32) + __popc(known & below));  // from the back
      s.open.points[at] = to_.point[lane], s.open.counts[at] = count;
      for (int u = 0; u < count; ++u) s.open.candidates[at * most_candidates + u] = to_.candidates[lane][u];
    } else if (lane < size_) {
      const unsigned at = unsigned(lengths) + __popc(unknown & below);
      s.open.points[at] = to_.point[lane], s.open.least[at] = to_.least[lane];
    }
    __syncwarp();
    size_ = 0;
  }

 private:
  static constexpr unsigned all = 0xFFFFFFFF;
  Gathered& to_;
  int size_ = 0;
};

/// Each of the four lanes that share rows takes one row and labels its point (i >= 0) or lists it as open. Returns 1 if the label changed.
template <int Columns, bool Positive, int Strips>
__device__ __forceinline__ unsigned decide(const Screen& s, const Leaders<Columns, Positive> (&leaders)[Strips], OpenRows& open_rows, std::int64_t i,
                                           float lead, std::int32_t label, bool last, int lane) {
  constexpr unsigned all = 0xFFFFFFFF;
  const int quarter = lane % 4;
  Best mine;
#pragma unroll
  for (int row = 0; row < Strips * 2; ++row)
    if (quarter == row) mine = leaders[row / 2].best[row % 2];
  const bool decided = mine.first - mine.second > lead, open = i >= 0 && !decided, changed = i >= 0 && decided && label != mine.at;
  if (changed) s.labels[i] = mine.at;
  if (!__any_sync(all, open)) return changed;

  if (last) {
    const unsigned at = place_in_list(&s.progress->rest, open, lane);
    if (open) s.rest[at] = static_cast<int>(i);
  } else {
    // Where scores should be positive, others prove nothing, so all centroids are candidates; padding columns score below all.
    constexpr float lowest = std::numeric_limits<float>::lowest();
    open_rows.add(s, leaders, open, i, Positive && !(mine.first > 0) ? lowest : fmaxf(mine.first - lead, lowest), lane);
  }
  return changed;
}

/// Calls use(Columns, Steps, Chunked) with the numbers of `layout` as compile-time constants.
template <int Products, class Use>
void with_layout(const ImageLayout& layout, Use use) {
  const auto with = [&]<int Steps, bool Chunked>() {
    if constexpr (Products == 1)
      if (layout.columns == 32) return use.template operator()<32, Steps, Chunked>();
    if constexpr (Products == 1 || Chunked)
      if (layout.columns == 128) return use.template operator()<128, Steps, Chunked>();
    use.template operator()<64, Steps, Chunked>();
  };
  if (layout.chunks > 1) return with.template operator() < Products == 3 ? deepest / 2 : deepest, true > ();
  with_dimension<1, 2, 3, 4, 5, 6>(layout.steps, [&](auto steps) {
    with.template operator()<decltype(steps)::value == 0 ? deepest : decltype(steps)::value, false>();
  });
}

}  // namespace km::screen
