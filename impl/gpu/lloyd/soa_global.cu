// benedetti2025 as its code has it: soa_constant with the centroids in global memory, so that k d has no limit; the text's
// constant memory is not in the published code. Cost of an iteration: points read once by assign; labels read k d times.
#include <bit>

#include "bench/device/cuda_lloyd.cuh"
#include "bench/implementation.hpp"

namespace km {
namespace {

/// A thread takes a point. With d known (D > 0) the point stays in registers and is read once, else it is read once a centroid.
template <class T, int D>
__global__ void assign(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels,
                       unsigned long long* changed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  bool moved = false;
  if (i < n) {
    const std::int32_t old = labels[i];
    std::int32_t best = 0;
    T best_dist = cuda::infinity<T>;
    if constexpr (cuda::fits_registers<T, D>) {
      T x[D];
#pragma unroll
      for (int j = 0; j < D; ++j) x[j] = points[j * n + i];
      for (int c = 0; c < k; ++c) {
        T dist = 0;
#pragma unroll
        for (int j = 0; j < D; ++j) {
          const T diff = x[j] - centroids[j * k + c];
          dist += diff * diff;
        }
        if (dist < best_dist) best_dist = dist, best = c;  // strict: the lowest index wins a tie
      }
    } else {
      for (int c = 0; c < k; ++c) {
        T dist = 0;
        for (int j = 0; j < d; ++j) {
          const T diff = points[j * n + i] - centroids[j * k + c];
          dist += diff * diff;
        }
        if (dist < best_dist) best_dist = dist, best = c;
      }
    }
    moved = old != best;
    if (moved) labels[i] = best;
  }
  const int count = __syncthreads_count(moved);
  if (threadIdx.x == 0 && count > 0) atomicAdd(changed, count);
}

/// Section 3.6: block (c, j) makes dimension j of centroid c. Its threads go through all labels, four at a time and four of
/// these ahead, and add the values of cluster c; then a tree in shared memory adds the threads' sums. It counts the cluster's
/// points on the way, so that no counts are kept and nothing is added atomically. An empty cluster keeps its centroid.
template <class T>
__global__ void __launch_bounds__(1024) update_centroids(const T* __restrict__ points, const std::int32_t* __restrict__ labels,
                                                         const T* __restrict__ centroids, std::int64_t n, int d, int k, T* next) {
  extern __shared__ double shared[];
  T* const sums = reinterpret_cast<T*>(shared);                             // a sum a thread
  unsigned* const counts = reinterpret_cast<unsigned*>(sums + blockDim.x);  // and a count
  const int c = blockIdx.x, j = blockIdx.y;
  T sum = 0;
  unsigned count = 0;
  const auto add = [&](std::int32_t label, std::int64_t i) {
    if (label != c) return;
    sum += points[j * n + i];
    ++count;
  };
  const auto add_four = [&](int4 four, std::int64_t quad) {
    add(four.x, 4 * quad);
    add(four.y, 4 * quad + 1);
    add(four.z, 4 * quad + 2);
    add(four.w, 4 * quad + 3);
  };

  constexpr int ahead = 4;
  const auto* const fours = reinterpret_cast<const int4*>(labels);
  const std::int64_t quads = n / 4, stride = blockDim.x;
  std::int64_t quad = threadIdx.x;
  for (; quad + (ahead - 1) * stride < quads; quad += ahead * stride) {
    int4 four[ahead];
#pragma unroll
    for (int u = 0; u < ahead; ++u) four[u] = fours[quad + u * stride];
#pragma unroll
    for (int u = 0; u < ahead; ++u) add_four(four[u], quad + u * stride);
  }
  for (; quad < quads; quad += stride) add_four(fours[quad], quad);
  if (const std::int64_t i = 4 * quads + threadIdx.x; i < n) add(labels[i], i);  // at most three are left

  sums[threadIdx.x] = sum;
  counts[threadIdx.x] = count;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      sums[threadIdx.x] += sums[threadIdx.x + half];
      counts[threadIdx.x] += counts[threadIdx.x + half];
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const std::int64_t at = std::int64_t(j) * k + c;
    next[at] = counts[0] > 0 ? sums[0] / static_cast<T>(counts[0]) : centroids[at];
  }
}

template <class T>
class SoaGlobal {
 public:
  SoaGlobal(const Problem<T>& problem, const Config& config, Trace& trace)
      : lloyd_(problem, trace, cuda::Layout::columns), points_(cuda::upload_columns(problem, trace, lloyd_.stream())),
        assign_block_(config.integer("assign_block")), block_(config.integer("block")) {}

  void reset() { lloyd_.reset(); }
  int iterate(Trace& trace) {
    return lloyd_.run(trace, {{"assign", [this] { launch_assign(); }}, {"update", [this] { launch_update(); }}});
  }
  Solution<T> download() { return lloyd_.download(); }

 private:
  void launch_assign() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    cuda::with_paper_dimension(d, [&](auto D) {
      assign<T, decltype(D)::value><<<cuda::blocks(n, assign_block_), assign_block_, 0, lloyd_.stream()>>>(points_.data(), lloyd_.assigned(), n, d, k,
                                                                                                           lloyd_.labels(), lloyd_.changed());
    });
    cuda::check_launch();
  }

  void launch_update() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    update_centroids<<<dim3(k, d), block_, block_*(sizeof(T) + sizeof(unsigned)), lloyd_.stream()>>>(points_.data(), lloyd_.labels(),
                                                                                                     lloyd_.assigned(), n, d, k, lloyd_.next());
    cuda::check_launch();
  }

  cuda::Lloyd<T> lloyd_;
  cuda::Buffer<T> points_;
  int assign_block_, block_;
};

const Register<SoaGlobal> registration{{
    .summary = "structure of arrays, centroids in global memory, an update block a centroid value",
    .paper = "benedetti2025",
    .device = Device::gpu,
    .parameters = {{.name = "assign_block", .fallback = 256, .range = {64, 128, 256}, .tunable = true, .help = "assign: threads of a block"},
                   {.name = "block",
                    .fallback = 1024,
                    .range = {64, 128, 256, 512, 1024},
                    .tunable = true,
                    .help = "update: threads of a block, a power of two"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) -> std::string {
      if (p.d > 65535) return "d exceeds the 65535 rows of a grid";
      if (!std::has_single_bit(static_cast<unsigned>(config.integer("block")))) return "block is not a power of two";
      if (p.n > std::numeric_limits<std::uint32_t>::max()) return "a cluster of more than 2^32 points would overflow its count";
      return "";
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      const std::int64_t block = config.number("block");
      return 4 * (p.n / 4 / block + 1) + 1 + std::bit_width(static_cast<std::uint64_t>(block));  // a thread's sum, then the tree
    },
}};

}  // namespace
}  // namespace km
