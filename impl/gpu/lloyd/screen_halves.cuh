// Points and centroids for tensor cores: relative to a centre, scaled by a power of two, as sums of two fp16 values (high and low). Each point
// also stores its rounding residual, on which the proof of the margin relies.
// The centre is the mean, rounded so coarsely that integer points stay exact. Powers of two are exact, and differences of fp64 values from the
// centre are off by 2^-53 of themselves: far below the margin's slack.
// Layout of points, for one access per thread: tiles of 64 rows, in them steps of 16 dimensions, in them 16-byte fragments of 128 threads. A
// fragment has dimensions 2l and 2l + 1 of a row and of the row eight below, then 2l + 8 and 2l + 9 of both.
#pragma once

#include <cuda_fp16.h>

#include <cmath>
#include <utility>
#include <vector>

#include "impl/gpu/early_start.cuh"

namespace km::screen {

constexpr int tile_rows = 64;  // points per warpgroup
constexpr int step = 16;       // dimensions per instruction
constexpr int deepest = 8;     // steps that fit the registers; of three products in chunks, half as many

__host__ __device__ constexpr int up_to(int value, int multiple) { return (value + multiple - 1) / multiple * multiple; }

/// sums: d, initially zero. Threads of a block share the dimensions, blocks the points.
template <class T>
__global__ void sum_columns(const T* __restrict__ points, std::int64_t n, int d, double* sums) {
  for (int j = threadIdx.x; j < d; j += blockDim.x) {
    double sum = 0;
    for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.y + threadIdx.y; i < n; i += std::int64_t(gridDim.x) * blockDim.y)
      sum += double(points[i * d + j]);
    atomicAdd(&sums[j], sum);
  }
}

/// Raises `extent` to the greatest |value - centre|.
template <class T>
__global__ void find_extent(const T* __restrict__ rows, std::int64_t size, int d, const double* centre, double* extent) {
  double most = 0;
  for (std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; at < size; at += std::int64_t(gridDim.x) * blockDim.x)
    most = fmax(most, fabs(double(rows[at]) - centre[at % d]));
  most = cuda::max_over_warp(most);
  if (threadIdx.x % 32 == 0) cuda::raise(extent, most);
}

/// A value as two halves, and the residual of the first.
struct Halves {
  __half high, low;
  double left;
  __device__ explicit Halves(double value) : high(__double2half(value)), left(value - double(__half2float(high))) {
    low = __float2half_rn(static_cast<float>(left));
  }
};

/// Packs two bf16 values, rounded up: |x - high| and |high|.
__device__ __forceinline__ std::uint32_t pack_up(float left, float length) {
  const auto up = [](float value) { return (__float_as_uint(value) + 0xFFFF) >> 16; };
  return up(left) | up(length) << 16;
}

/// Three dimensions behind all others hold initial scores as products: of these values, the same for all points, and three halves of a score, each what
/// the ones before left. The score's last bits, below 2^-31 of 2^31, are lost.
constexpr int start_dimensions = 3, start_scale = 8;  // values are scaled down by so much, so that scores fit
__host__ __device__ constexpr float start_value(int u) { return u == 0 ? 32768 : u == 1 ? 16 : 0.0078125f; }

/// One block per tile. high, low: the layout above; starts: the first of three dimensions of start_value(), or past all; left: as pack_up; longest:
/// raised to the greatest |x|².
template <class T>
__global__ void __launch_bounds__(128) halve_points(const T* __restrict__ points, const double* __restrict__ centre, double scale, std::int64_t n,
                                                    int d, int steps, int starts, uint4* high, uint4* low, std::uint32_t* left, float* longest) {
  const int t = threadIdx.x, pair = t % 4;
  const std::int64_t tile = blockIdx.x, row = tile * tile_rows + t / 32 * 16 + t % 32 / 4;
  float lost[2] = {}, length[2] = {};
  for (int s = 0; s < steps; ++s) {
    union Fragment {
      __half at[8];
      uint4 all;
    } highs, lows;
#pragma unroll
    for (int u = 0; u < 8; ++u) {
      const std::int64_t i = row + u % 4 / 2 * 8;
      const int j = s * step + pair * 2 + u % 2 + u / 4 * 8;
      const Halves value(i < n && j < d ? (double(points[i * d + j]) - centre[j]) * scale : 0.0);
      highs.at[u] = value.high, lows.at[u] = value.low;
      const float x = __half2float(value.high), rest = static_cast<float>(value.left);
      lost[u % 4 / 2] += rest * rest, length[u % 4 / 2] += x * x;
      if (j >= starts) highs.at[u] = __float2half_rn(start_value(j - starts));
    }
    const std::int64_t at = (tile * steps + s) * 128 + t;
    high[at] = highs.all, low[at] = lows.all;
  }
#pragma unroll
  for (int half = 0; half < 2; ++half) {
#pragma unroll
    for (int lane = 1; lane < 4; lane *= 2) {
      lost[half] += __shfl_xor_sync(0xFFFFFFFF, lost[half], lane);
      length[half] += __shfl_xor_sync(0xFFFFFFFF, length[half], lane);
    }
    constexpr float up = 1.002f;  // covers the sums' rounding, 2^-24 per term of at most 2^12, halved by the root
    if (pair == half && row + half * 8 < n) left[row + half * 8] = pack_up(sqrtf(lost[half]) * up, sqrtf(length[half]) * up);
  }
  float most = fmaxf(length[0], length[1]);
#pragma unroll
  for (int lane = 4; lane < 32; lane *= 2) most = fmaxf(most, __shfl_xor_sync(0xFFFFFFFF, most, lane));
  if (t % 32 == 0) cuda::raise(longest, most);
}

/// Greatest squared lengths over all centroids: of the centroid, and of its high half's residual.
struct Lengths {
  float centroid2, left2;
};

/// Layout of the centroids for the screen: tiles of `columns`, each with `chunks` pieces of `steps` steps. One bulk copy moves a piece: the halves
/// (K-major, see hopper.cuh; high, then low if present) and the initial scores of the tile's columns, unless the last three dimensions hold them.
struct ImageLayout {
  int columns, steps, chunks, halves, tiles;
  bool started;  // scores start in the products
  /// The first of the dimensions that hold initial scores; past all without them.
  __host__ __device__ int starts() const { return steps * chunks * step - (started ? start_dimensions : 0); }
  __host__ __device__ int half_bytes() const { return columns * steps * step * int(sizeof(__half)); }
  __host__ __device__ int piece_bytes() const { return halves * half_bytes() + columns * int(sizeof(float)); }
  __host__ __device__ std::int64_t bytes() const { return std::int64_t(tiles) * chunks * piece_bytes(); }
  __device__ std::uint8_t* piece(std::uint8_t* image, int c, int chunk) const {
    return image + (std::int64_t(c / columns) * chunks + chunk) * piece_bytes();
  }
  __device__ __half* at(std::uint8_t* image, int c, int j) const {
    const int depth = steps * step, in = j % depth, row = c % columns;
    return reinterpret_cast<__half*>(piece(image, c, j / depth) + in / 8 * columns * 16 + row * 16 + in % 8 * 2);
  }
  __device__ void put(std::uint8_t* image, int c, int j, Halves value) const {
    __half* const to = at(image, c, j);
    to[0] = value.high;
    if (halves == 2) to[half_bytes() / sizeof(__half)] = value.low;
  }
  __device__ void begin(std::uint8_t* image, int c, float score) const {
    if (!started) reinterpret_cast<float*>(piece(image, c, chunks - 1) + halves * half_bytes())[c % columns] = score;
    for (int u = 0; started && u < start_dimensions; ++u) {
      const __half part = __float2half_rn(score / start_value(u));
      *at(image, c, starts() + u) = part;
      score = isinf(score) ? 0 : score - __half2float(part) * start_value(u);
    }
  }
};

/// Writes a centroid's row into both images, by a block of 128 threads; value(j): dimension j. `score_offset`: of one product's initial scores.
template <class Value>
__device__ void halve_centroid(Value value, const double* centre, double scale, int c, int d, double score_offset, const ImageLayout& one,
                               std::uint8_t* one_image, const ImageLayout& three, std::uint8_t* three_image, Lengths* lengths) {
  __shared__ double parts[2][4];
  double length2 = 0, left2 = 0;
  for (int j = threadIdx.x; j < d; j += 128) {
    const double x = (double(value(j)) - centre[j]) * scale;
    const Halves halves(x);
    one.put(one_image, c, j, halves);
    three.put(three_image, c, j, halves);
    length2 += x * x, left2 += halves.left * halves.left;
  }
  cuda::sum_over_warp(length2, left2);
  if (threadIdx.x % 32 == 0) parts[0][threadIdx.x / 32] = length2, parts[1][threadIdx.x / 32] = left2;
  __syncthreads();
  if (threadIdx.x > 0) return;
  length2 = parts[0][0] + parts[0][1] + parts[0][2] + parts[0][3];
  left2 = parts[1][0] + parts[1][1] + parts[1][2] + parts[1][3];
  one.begin(one_image, c, static_cast<float>(score_offset - length2 / 2));
  three.begin(three_image, c, static_cast<float>(-length2 / 2));
  cuda::raise(&lengths->centroid2, static_cast<float>(length2) * 1.000001f);
  cuda::raise(&lengths->left2, static_cast<float>(left2) * 1.000001f);
}

/// Makes the columns of an image of zeros score -infinity.
static __global__ void clear_scores(ImageLayout layout, std::uint8_t* image) {
  for (int c = blockIdx.x * blockDim.x + threadIdx.x; c < layout.tiles * layout.columns; c += gridDim.x * blockDim.x)
    layout.begin(image, c, -cuda::infinity<float>);
}

/// Where values are measured from, by dimension, and the power of two that scales the greatest just below 2^14.
struct Origin {
  std::vector<double> centre;
  double scale = 1;
};

/// sums: of n points, by dimension. furthest(centre): the greatest |value - centre| of points and centroids.
template <class Furthest>
Origin choose_origin(std::vector<double> sums, std::int64_t n, Furthest furthest) {
  for (double& value : sums) value = std::isfinite(value) ? value / double(n) : 0.0;
  Origin origin{std::move(sums)};
  if (const double most = furthest(origin.centre); most > 0 && std::isfinite(most)) {
    const double coarse = std::exp2(std::floor(std::log2(most / 4)));
    for (double& value : origin.centre)
      if (coarse > 0) value = std::nearbyint(value / coarse) * coarse;
  }
  if (const double most = furthest(origin.centre); most > 0 && std::isfinite(most))
    origin.scale = std::exp2(std::clamp(13 - std::ilogb(most), -1000, 1000));
  return origin;
}

/// By dimension. Waits.
template <class T>
std::vector<double> column_sums(const T* points, std::int64_t n, int d, cudaStream_t stream) {
  cuda::Buffer<double> sums(d);
  cuda::clear(stream, sums);
  const int across = std::min(up_to(d, 32), 256);
  sum_columns<<<528, dim3(across, 256 / across), 0, stream>>>(points, n, d, sums.data());
  cuda::check_launch();
  return cuda::fetched(sums, stream);
}

/// The greatest |value - centre| of points and centroids. centre: d, on the device. Waits.
template <class T>
double furthest(const ProblemShape& p, const T* points, const T* centroids, const double* centre, cudaStream_t stream) {
  cuda::Buffer<double> extent(1);
  cuda::clear(stream, extent);
  const auto raise_by = [&](const T* rows, std::int64_t count) {
    find_extent<<<1056, 256, 0, stream>>>(rows, count * p.d, p.d, centre, extent.data());
    cuda::check_launch();
  };
  raise_by(points, p.n);
  raise_by(centroids, p.k);
  return cuda::fetched(extent, stream)[0];
}

/// The origin of points on one device, there.
class Frame {
 public:
  template <class T>
  Frame(const Problem<T>& p, const T* points, const T* centroids, cudaStream_t stream) : centre_(p.d) {
    scale_ = choose_origin(column_sums(points, p.n, p.d, stream), p.n, [&](std::span<const double> centre) {
               cuda::upload(centre_, centre, stream);
               return furthest(p, points, centroids, centre_.data(), stream);
             }).scale;
  }

  const double* centre() const { return centre_.data(); }
  double scale() const { return scale_; }

 private:
  cuda::Buffer<double> centre_;
  double scale_ = 1;
};

}  // namespace km::screen
