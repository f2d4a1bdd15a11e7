// Shared by benedetti2025's four implementations. They differ in the layout of points and centroids, the memory of the centroids in assign, and the
// update. All definitions are local to the including file, constant memory included.
#pragma once

#include <bit>

#include "bench/device/cuda_lloyd.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

/// Structure of arrays: value j of row i of `count` rows of d. Neighbouring threads read neighbouring values.
struct Columns {
  static constexpr cuda::Layout layout = cuda::Layout::columns;
  template <class I>
  static __device__ I at(I i, int j, I count, int) {
    return j * count + i;
  }
};

/// One thread per point. With d known (D > 0) the point stays in registers and is read once, else once per centroid.
template <class T, int D, class Layout>
__device__ void assign_point(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k,
                             std::int32_t* __restrict__ labels, unsigned long long* changed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  bool moved = false;
  if (i < n) {
    const std::int32_t old = labels[i];
    std::int32_t best = 0;
    if constexpr (cuda::fits_registers<T, D>) {
      T x[D];
#pragma unroll
      for (int j = 0; j < D; ++j) x[j] = points[Layout::at(i, j, n, D)];
      best = cuda::nearest_of<T>(k, [&](int c) {
        T dist = 0;
#pragma unroll
        for (int j = 0; j < D; ++j) {
          const T diff = x[j] - centroids[Layout::at(c, j, k, D)];
          dist += diff * diff;
        }
        return dist;
      });
    } else {
      const auto difference = [&](int c, int j) { return points[Layout::at(i, j, n, d)] - centroids[Layout::at(c, j, k, d)]; };
      best = cuda::nearest_of<T>(k, [&](int c) { return cuda::squares<T>(d, [&](int j) { return difference(c, j); }); });
    }
    moved = old != best;
    if (moved) labels[i] = best;
  }
  cuda::add_of_block(changed, moved);
}

/// All of a card's constant memory, for centroids of either precision. All threads of a warp read the same address.
constexpr int constant_bytes = 64 * 1024;
__constant__ double constant_centroids[constant_bytes / sizeof(double)];

template <class T, int D, class Layout>
__global__ void assign(const T* __restrict__ points, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels, unsigned long long* changed) {
  assign_point<T, D, Layout>(points, reinterpret_cast<const T*>(constant_centroids), n, d, k, labels, changed);
}

struct ConstantMemory {
  template <int D, class Layout, class T>
  static void assign(cuda::Lloyd<T>& lloyd, const T* points, int block) {
    const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
    cuda::check(cudaMemcpyToSymbolAsync(constant_centroids, lloyd.assigned(), sizeof(T) * k * d, 0, cudaMemcpyDeviceToDevice, lloyd.stream()));
    km::assign<T, D, Layout><<<cuda::blocks(n, block), block, 0, lloyd.stream()>>>(points, n, d, k, lloyd.labels(), lloyd.changed());
  }
  static bool fits(const ProblemShape& p, int value_bytes) { return std::int64_t(p.k) * p.d * value_bytes <= constant_bytes; }
};

/// Section 3.6: block (c, j) computes dimension j of centroid c and counts its points. Its threads read all labels, four at a time with four such
/// reads ahead. A tree in shared memory sums over threads; there are no atomics. An empty cluster keeps its centroid.
template <class T, class Layout>
__global__ void __launch_bounds__(1024) update_centroids(const T* __restrict__ points, const std::int32_t* __restrict__ labels,
                                                         const T* __restrict__ centroids, std::int64_t n, int d, int k, T* next) {
  extern __shared__ double shared[];
  T* const sums = reinterpret_cast<T*>(shared);                             // one sum per thread
  unsigned* const counts = reinterpret_cast<unsigned*>(sums + blockDim.x);  // one count per thread
  const int c = blockIdx.x, j = blockIdx.y;
  T sum = 0;
  unsigned count = 0;
  const auto add = [&](std::int32_t label, std::int64_t i) {
    if (label != c) return;
    sum += points[Layout::at(i, j, n, d)];
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
  if (const std::int64_t i = 4 * quads + threadIdx.x; i < n) add(labels[i], i);  // at most three remain

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
    const std::int64_t at = Layout::at(std::int64_t(c), j, std::int64_t(k), d);
    next[at] = counts[0] > 0 ? sums[0] / static_cast<T>(counts[0]) : centroids[at];
  }
}

/// Why no k x d blocks of so many threads can sum by a tree, or "".
std::string no_trees(const ProblemShape& p, int block) {
  if (p.d > 65535) return "d exceeds the 65535 rows of a grid";
  if (!std::has_single_bit(static_cast<unsigned>(block))) return "block is not a power of two";
  return counts_overflow(p);
}

/// Section 3.6: k d blocks.
struct BlockPerValue {
  explicit BlockPerValue(const Config& config) : block(config.integer("block")) {}
  template <class Layout, class T>
  void update(cuda::Lloyd<T>& lloyd, const T* points) const {
    const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
    update_centroids<T, Layout><<<dim3(k, d), block, block*(sizeof(T) + sizeof(unsigned)), lloyd.stream()>>>(points, lloyd.labels(), lloyd.assigned(),
                                                                                                             n, d, k, lloyd.next());
  }
  int block;
};

template <class T, class Layout, class Memory, class Update>
class Benedetti : public cuda::TwoSteps<T> {
 public:
  Benedetti(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::TwoSteps<T>(problem, trace, Layout::layout, Layout::layout), assign_block_(config.integer("assign_block")), update_(config) {}

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() override {
    cuda::with_paper_dimension(lloyd_.shape().d,
                               [&](auto D) { Memory::template assign<decltype(D)::value, Layout>(lloyd_, points_.data(), assign_block_); });
    cuda::check_launch();
  }
  void update() override {
    update_.template update<Layout>(lloyd_, points_.data());
    cuda::check_launch();
  }

  int assign_block_;
  Update update_;
};

const Parameter assign_block = tunable("assign_block", 256, {64, 128, 256}, "assign: threads of a block");

/// Description of three of the four; `constant`: centroids in constant memory.
Description block_per_value(std::string_view summary, bool constant) {
  return {.summary = summary,
          .paper = "benedetti2025",
          .device = Device::gpu,
          .parameters = {assign_block, tunable("block", 1024, {64, 128, 256, 512, 1024}, "update: threads of a block, a power of two")},
          .unsupported = [constant](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
            if (constant && !ConstantMemory::fits(p, value_bytes)) return "k d values exceed 64 KiB of constant memory";
            return no_trees(p, config.integer("block"));
          },
          .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
            const std::int64_t block = config.number("block");
            return 4 * (p.n / 4 / block + 1) + 1 + std::bit_width(static_cast<std::uint64_t>(block));  // a thread's sum, then the tree
          }};
}

}  // namespace
}  // namespace km
