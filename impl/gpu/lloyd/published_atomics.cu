// benedetti2025 as its text describes it where that differs from its code (Sections 3.4 and 3.5): centroids in constant memory, a thread's k distances
// in shared memory, and then a search for the smallest. Atomics on global memory add up the sums and sizes of the clusters; a kernel divides.
// Limits: k d values in 64 KiB; k distances of 32 threads in a block's shared memory. Large k leave few threads per multiprocessor.
// Cost of an iteration: points read k times by assign, mostly from caches, and once by the update; k n distances to shared memory and back;
// n (d + 1) atomicAdds on k (d + 1) addresses.
// The text states no block: 256 threads, halved until the distances fit.
#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

/// One thread per point. Shared memory: a column of k distances per thread, so that a warp has no bank conflicts.
template <class T>
__global__ void assign_by_distances(const T* points, std::int64_t n, int d, int k, std::int32_t* labels, unsigned long long* changed) {
  extern __shared__ double shared[];
  T* const dists = reinterpret_cast<T*>(shared) + threadIdx.x;
  const T* const centroids = reinterpret_cast<const T*>(constant_centroids);
  const int block = static_cast<int>(blockDim.x);
  const std::int64_t i = std::int64_t(blockIdx.x) * block + threadIdx.x;
  bool moved = false;
  if (i < n) {
    for (int c = 0; c < k; ++c) dists[c * block] = cuda::squares<T>(d, [&](int j) { return points[j * n + i] - centroids[j * k + c]; });
    const std::int32_t best = cuda::nearest_of<T>(k, [&](int c) { return dists[c * block]; });
    moved = labels[i] != best;
    labels[i] = best;
  }
  cuda::add_of_block(changed, moved);
}

/// One thread per value of the centroids, d x k. An empty cluster keeps its centroid.
template <class T>
__global__ void divide(const T* sums, const unsigned* counts, const T* centroids, int cells, int k, T* next) {
  const int at = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (at >= cells) return;
  const unsigned count = counts[at % k];
  next[at] = count > 0 ? sums[at] / static_cast<T>(count) : centroids[at];
}

/// At most `block` threads, halved until k distances of each fit a block's shared memory, but at least a warp.
std::int64_t fitting(std::int64_t block, const ProblemShape& p, int value_bytes) {
  while (block > 32 && block * p.k * value_bytes > cuda::most_shared_bytes()) block /= 2;
  return block;
}

template <class T>
class PublishedAtomics : public cuda::TwoSteps<T> {
 public:
  PublishedAtomics(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::TwoSteps<T>(problem, trace, cuda::Layout::columns, cuda::Layout::columns), sums_(std::int64_t(problem.k) * problem.d),
        counts_(problem.k), block_(static_cast<int>(fitting(config.number("block"), problem, sizeof(T)))),
        bytes_(std::int64_t(block_) * problem.k * std::int64_t(sizeof(T))) {
    cuda::allow_shared(assign_by_distances<T>, bytes_);
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const auto& stream = lloyd_.stream();
    cuda::check(cudaMemcpyToSymbolAsync(constant_centroids, lloyd_.assigned(), sums_.bytes(), 0, cudaMemcpyDeviceToDevice, stream));
    assign_by_distances<<<cuda::blocks(n, block_), block_, bytes_, stream>>>(points_.data(), n, d, k, lloyd_.labels(), lloyd_.changed());
    cuda::check_launch();
  }
  void update() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const auto& stream = lloyd_.stream();
    cuda::clear(stream, sums_, counts_);
    add_points<<<cuda::blocks(n, block_), block_, 0, stream>>>(points_.data(), lloyd_.labels(), n, d, k, sums_.data(), counts_.data());
    cuda::check_launch();
    divide<<<cuda::blocks(k * d, 256), 256, 0, stream>>>(sums_.data(), counts_.data(), lloyd_.assigned(), k * d, k, lloyd_.next());
    cuda::check_launch();
  }

  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_;
  int block_;
  std::int64_t bytes_;
};

const Register<PublishedAtomics> registration{{
    .summary = "benedetti2025's text: constant memory, distances in shared memory, sums by atomicAdd",
    .paper = "benedetti2025",
    .device = Device::gpu,
    .parameters = {{.name = "block", .fallback = 256, .range = {32, 64, 128, 256}, .help = "threads of a block, at most"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int value_bytes) -> std::string {
      if (!ConstantMemory::fits(p, value_bytes)) return "k d values exceed 64 KiB of constant memory";
      const std::int64_t block = fitting(config.number("block"), p, value_bytes);
      if (block * p.k * value_bytes > cuda::most_shared_bytes()) return "k distances of 32 threads exceed a block's shared memory";
      return counts_overflow(p);
    },
}};

}  // namespace
}  // namespace km
