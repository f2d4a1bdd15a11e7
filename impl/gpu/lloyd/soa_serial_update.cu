// benedetti2025's first version of the update, which the appendix compares with Section 3.6's (Listing 6): k blocks of d threads,
// each going through all points by itself. d threads of a block read at once, so the card is nearly idle, and the sum grows value
// by value. Assign is soa_constant's.
#include "bench/device/cuda_lloyd.cuh"
#include "bench/implementation.hpp"

namespace km {
namespace {

/// All of a card's constant memory, whatever the precision: centroids, d x k.
constexpr int constant_bytes = 64 * 1024;
__constant__ double constant_centroids[constant_bytes / sizeof(double)];

/// A thread takes a point. With d known (D > 0) the point stays in registers and is read once, else it is read once a centroid.
template <class T, int D>
__global__ void assign(const T* __restrict__ points, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels, unsigned long long* changed) {
  const T* const centroids = reinterpret_cast<const T*>(constant_centroids);
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

/// Listing 6: block c, thread j. A thread goes through all points by itself and adds dimension j of those of cluster c,
/// which it counts on the way. An empty cluster keeps its centroid.
template <class T>
__global__ void update_centroids(const T* __restrict__ points, const std::int32_t* __restrict__ labels, const T* __restrict__ centroids,
                                 std::int64_t n, int k, T* next) {
  const int c = blockIdx.x, j = threadIdx.x;
  T sum = 0;
  unsigned count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (labels[i] == c) {
      sum += points[j * n + i];
      ++count;
    }
  }
  const std::int64_t at = std::int64_t(j) * k + c;
  next[at] = count > 0 ? sum / static_cast<T>(count) : centroids[at];
}

template <class T>
class SoaSerialUpdate {
 public:
  SoaSerialUpdate(const Problem<T>& problem, const Config& config, Trace& trace)
      : lloyd_(problem, trace, cuda::Layout::columns), points_(cuda::upload_columns(problem, trace, lloyd_.stream())),
        assign_block_(config.integer("assign_block")) {}

  void reset() { lloyd_.reset(); }
  int iterate(Trace& trace) {
    return lloyd_.run(trace, {{"assign", [this] { launch_assign(); }}, {"update", [this] { launch_update(); }}});
  }
  Solution<T> download() { return lloyd_.download(); }

 private:
  void launch_assign() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    cuda::check(cudaMemcpyToSymbolAsync(constant_centroids, lloyd_.assigned(), sizeof(T) * k * d, 0, cudaMemcpyDeviceToDevice, lloyd_.stream()));
    cuda::with_paper_dimension(d, [&](auto D) {
      assign<T, decltype(D)::value>
          <<<cuda::blocks(n, assign_block_), assign_block_, 0, lloyd_.stream()>>>(points_.data(), n, d, k, lloyd_.labels(), lloyd_.changed());
    });
    cuda::check_launch();
  }

  void launch_update() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    update_centroids<<<k, d, 0, lloyd_.stream()>>>(points_.data(), lloyd_.labels(), lloyd_.assigned(), n, k, lloyd_.next());
    cuda::check_launch();
  }

  cuda::Lloyd<T> lloyd_;
  cuda::Buffer<T> points_;
  int assign_block_;
};

const Register<SoaSerialUpdate> registration{{
    .summary = "soa_constant with a single thread a centroid value in the update",
    .paper = "benedetti2025",
    .device = Device::gpu,
    .parameters = {{.name = "assign_block", .fallback = 256, .range = {64, 128, 256}, .tunable = true, .help = "assign: threads of a block"}},
    .unsupported = [](const ProblemShape& p, const Config&, int value_bytes) -> std::string {
      if (std::int64_t(p.k) * p.d * value_bytes > constant_bytes) return "k d values exceed 64 KiB of constant memory";
      if (p.d > 1024) return "d exceeds the 1024 threads of a block";
      if (p.n > std::numeric_limits<std::uint32_t>::max()) return "a cluster of more than 2^32 points would overflow its count";
      return "";
    },
}};

}  // namespace
}  // namespace km
