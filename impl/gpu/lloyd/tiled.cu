// Assign as a matrix product: n x k scalar products of d values, tiled as sgemm (Volkov and Demmel, SC 2008). The nearest centroid has the greatest
// x·c - |c|²/2: one FMA per dimension, while a difference takes two instructions. c is relative to a corner that reduces cancellation
// (transposed_centroids). A block takes 256 points and goes through tiles of centroids. A ring in shared memory prefetches slices of 64 bytes of
// both. A thread keeps the scores of 8 points and 8 centroids (4 in fp64) in registers. IEEE FMAs, no tensor cores. Update: sorted_sums.
// Cost of an iteration: n k d FMAs, k rounded up to a multiple of 64 (16 or 32 if small). Points are read once per tile of centroids, from L2 after
// the first, and once more by the update; labels three times. Floor: n k d FMAs, and n d values for the update (docs/kernels.md).
// Limit: below some 16 dimensions or clusters tiles are mostly padding, and single_pass reads the points once. screened is faster where fp16
// decides. This one is for cards without such products, and for fp64 on heavy tails, where screened compares nearly all by differences. It has no
// margin and settles nothing: on such tails a proven bound of fp32 products would leave nearly all points open.
#include <cuda_pipeline.h>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/sorted_sums.cuh"
#include "impl/gpu/lloyd/transposed_centroids.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

constexpr int rows = 8;    // points per thread, 32 apart
constexpr int stages = 3;  // slices in the ring

/// One stage: slices of 256 points and of the centroids of TX threads. Rows of points are an odd number of 16 bytes apart.
template <class T, int TX>
struct alignas(16) Tile {
  static constexpr int width = cuda::Pack<T>::size, slice = 64 / sizeof(T), pitch = slice + width;
  static constexpr int points = 32 * rows, columns = 2 * width, centroids = TX * columns, threads = TX * 32;
  T x[points * pitch];
  T c[slice * centroids];
};

template <class T>
__device__ cuda::Pack<T> pack_at(const T* from) {
  return *reinterpret_cast<const cuda::Pack<T>*>(from);
}

/// The next slice to stage: dimensions from j, centroids from c, points from i.
template <class Tile>
struct Cursor {
  std::int64_t i;
  int c, j;
  __device__ void advance(int d, int k_padded) {
    if ((j += Tile::slice) < d) return;
    j = 0;
    if ((c += Tile::centroids) < k_padded) return;
    c = 0;
    i += std::int64_t(gridDim.x) * Tile::points;
  }
};

/// Starts copying a slice, `Copy` values of a row at a time. Dimensions from d to a multiple of 16 bytes become zero; rows from n repeat the last.
template <int Copy, class T, int TX>
__device__ void stage(Tile<T, TX>& tile, Cursor<Tile<T, TX>> from, const T* points, const T* transposed, std::int64_t n, int d, int k_padded) {
  using Shape = Tile<T, TX>;
  if (from.i >= n) return;
  constexpr int per_row = Shape::slice / Copy, per_line = Shape::centroids / Shape::width;
  const int at = threadIdx.x % per_row * Copy, j = from.j + at;
  const int last = static_cast<int>(min(n - from.i, std::int64_t(Shape::points))) - 1;
  if (j < round_up(d, Shape::width)) {
    const T* const column = points + from.i * d + (j < d ? j : d - 1);
#pragma unroll 4
    for (int step = 0; step < Shape::points / (Shape::threads / per_row); ++step) {
      const int row = threadIdx.x / per_row + step * (Shape::threads / per_row);
      __pipeline_memcpy_async(tile.x + row * Shape::pitch + at, column + std::int64_t(min(row, last)) * d, Copy * sizeof(T),
                              j < d ? 0 : Copy * sizeof(T));
    }
  }
  for (int pack = threadIdx.x; pack < Shape::slice * per_line; pack += Shape::threads) {
    const int line = pack / per_line, c = pack % per_line * Shape::width;
    __pipeline_memcpy_async(tile.c + line * Shape::centroids + c, transposed + std::int64_t(from.j + line) * k_padded + from.c + c, 16);
  }
}

/// Exchanges the highest scores of TX lanes and their centroids until each lane has its own points.
template <int TX, class T>
__device__ __forceinline__ void exchange(T (&highest)[rows], int (&at)[rows], int tx) {
#pragma unroll
  for (int half = TX / 2, keep = rows / 2; half > 0; half /= 2, keep /= 2) {
    const bool upper = tx & half;
#pragma unroll
    for (int u = 0; u < keep; ++u) {
      const T high = __shfl_xor_sync(0xFFFFFFFF, upper ? highest[u] : highest[u + keep], half);
      const int c = __shfl_xor_sync(0xFFFFFFFF, upper ? at[u] : at[u + keep], half);
      highest[u] = upper ? highest[u + keep] : highest[u];
      at[u] = upper ? at[u + keep] : at[u];
      if (high > highest[u] || (high == highest[u] && c < at[u])) highest[u] = high, at[u] = c;  // the lowest index wins a tie
    }
  }
}

/// points: n x d, transposed: d_padded x k_padded. A thread's points are 32 apart; its centroids are two packs, TX packs apart.
template <class T, int TX, int Copy>
__global__ void __launch_bounds__(TX * 32, TX == 8 ? 2 : 3)
    assign(const T* __restrict__ points, const T* __restrict__ transposed, const T* __restrict__ start, std::int64_t n, int d, int k_padded,
           std::int32_t* __restrict__ labels, unsigned long long* changed) {
  using Shape = Tile<T, TX>;
  constexpr int width = Shape::width, kept = rows / TX;
  extern __shared__ int4 shared[];
  Shape* const ring = reinterpret_cast<Shape*>(shared);
  const int tx = threadIdx.x % TX, ty = threadIdx.x / TX;

  Cursor<Shape> ahead{std::int64_t(blockIdx.x) * Shape::points, 0, 0};
  const auto stage_next = [&](int turn) {
    stage<Copy>(ring[turn], ahead, points, transposed, n, d, k_padded);
    __pipeline_commit();
    ahead.advance(d, k_padded);
  };
  for (int turn = 0; turn < stages - 1; ++turn) stage_next(turn);

  int turn = 0;
  unsigned moved = 0;
  for (std::int64_t first = std::int64_t(blockIdx.x) * Shape::points; first < n; first += std::int64_t(gridDim.x) * Shape::points) {
    T best_score[kept];
    std::int32_t best[kept], old[kept];
#pragma unroll
    for (int u = 0; u < kept; ++u) {
      const std::int64_t i = first + ty + 32 * (tx * kept + u);
      best_score[u] = -cuda::infinity<T>, best[u] = 0;
      old[u] = i < n ? labels[i] : 0;
    }

    for (int c0 = 0; c0 < k_padded; c0 += Shape::centroids) {
      T score[rows][2 * width];
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const auto begin = pack_at(start + c0 + (half * TX + tx) * width);
#pragma unroll
        for (int u = 0; u < rows * width; ++u) score[u / width][half * width + u % width] = begin.at[u % width];
      }
      for (int j0 = 0; j0 < d; j0 += Shape::slice) {
        __pipeline_wait_prior(stages - 2);  // this thread's part of the slice has arrived
        __syncthreads();                    // the others' parts too; and all are done with the previous slice, which is replaced
        stage_next(turn == 0 ? stages - 1 : turn - 1);
        const T* const x_at = ring[turn].x + ty * Shape::pitch;
        const T* const c_at = ring[turn].c + tx * width;
        const int dims = min(Shape::slice, d - j0);
#pragma unroll 1
        for (int j = 0; j < dims; j += width) {
          cuda::Pack<T> x[rows];
#pragma unroll
          for (int u = 0; u < rows; ++u) x[u] = pack_at(x_at + u * 32 * Shape::pitch + j);
#pragma unroll
          for (int w = 0; w < width; ++w)
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              const auto c = pack_at(c_at + (j + w) * Shape::centroids + half * TX * width);
#pragma unroll
              for (int u = 0; u < rows; ++u)
#pragma unroll
                for (int v = 0; v < width; ++v) score[u][half * width + v] += x[u].at[w] * c.at[v];
            }
        }
        turn = turn == stages - 1 ? 0 : turn + 1;
      }

      T highest[rows];  // of this thread's centroids
      int at[rows];
#pragma unroll
      for (int u = 0; u < rows; ++u) {
        highest[u] = score[u][0], at[u] = 0;
#pragma unroll
        for (int v = 1; v < 2 * width; ++v)
          if (score[u][v] > highest[u]) highest[u] = score[u][v], at[u] = v / width * TX * width + v % width;
        at[u] += c0 + tx * width;
      }
      exchange<TX>(highest, at, tx);
#pragma unroll
      for (int u = 0; u < kept; ++u)
        if (highest[u] > best_score[u]) best_score[u] = highest[u], best[u] = at[u];
    }

#pragma unroll
    for (int u = 0; u < kept; ++u) {
      const std::int64_t i = first + ty + 32 * (tx * kept + u);
      if (i >= n || old[u] == best[u]) continue;
      labels[i] = best[u];
      ++moved;
    }
  }
  cuda::add_of_warp(changed, moved);
}

/// Threads across the centroids: the widest tile, unless a narrower one saves a quarter of the padded centroids.
template <class T>
int lanes_for(int k) {
  int best = 8;
  const auto padded = [&](int tx) { return round_up(k, tx * 2 * cuda::Pack<T>::size); };
  for (const int tx : {4, 2})
    if (padded(tx) * 4 <= padded(best) * 3) best = tx;
  return best;
}

template <class T>
class Tiled : public cuda::TwoSteps<T> {
 public:
  Tiled(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::TwoSteps<T>(problem, trace, cuda::Layout::rows), update_(problem, config.integer("grid")) {
    const auto use = [&]<int TX>(std::integral_constant<int, TX>) {
      using Shape = Tile<T, TX>;
      kernel_ = problem.d % Shape::width == 0 ? km::assign<T, TX, Shape::width> : km::assign<T, TX, 1>;
      threads_ = Shape::threads;
      ring_bytes_ = stages * sizeof(Shape);
      centroids_ = TransposedCentroids<T>(problem, Shape::slice, Shape::centroids);
      tiles_ = cuda::blocks(problem.n, Shape::points);
    };
    const int lanes = lanes_for<T>(problem.k);
    if (lanes == 8) use(std::integral_constant<int, 8>{});
    else if (lanes == 4) use(std::integral_constant<int, 4>{});
    else use(std::integral_constant<int, 2>{});

    cuda::allow_shared(kernel_, ring_bytes_);
    grid_ = std::min(tiles_, cuda::resident_blocks(kernel_, threads_, ring_bytes_));
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const cudaStream_t stream = lloyd_.stream();
    centroids_.enqueue(lloyd_.assigned(), stream);
    kernel_<<<grid_, threads_, ring_bytes_, stream>>>(points_.data(), centroids_.transposed(), centroids_.start(), n, d, centroids_.k_padded(),
                                                      lloyd_.labels(), lloyd_.changed());
    cuda::check_launch();
  }

  void update() override { update_.enqueue(points_.data(), lloyd_.labels(), lloyd_.assigned(), lloyd_.next(), lloyd_.stream()); }

  sorted_sums::Update<T> update_;
  TransposedCentroids<T> centroids_;
  int threads_ = 0;
  std::size_t ring_bytes_ = 0;
  unsigned tiles_ = 0, grid_ = 0;
  decltype(&km::assign<T, 8, 1>) kernel_ = nullptr;
};

const Register<Tiled> registration{{
    .summary = "assign as a register-tiled matrix product, update over points sorted by label",
    .device = Device::gpu,
    .parameters = {tunable("grid", 132, {66, 132, 264, 528}, "blocks of the update; they share the points")},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return sorted_sums::unsupported(p); },
    .distance = Distance::expansion,
    .summation_depth = [](const ProblemShape& p, const Config& config) { return sorted_sums::summation_depth(p, config.number("grid")); },
}};

}  // namespace
}  // namespace km
