// benedetti2025 as its published code runs (Sections 3.2 and 3.6, Listings 1 to 5 and 7): structure of arrays, one thread per point in assign, which
// reads its point again for every centroid and counts the clusters' sizes by atomics. The update has a block per value of the centroids and a tree in
// shared memory. The printed speedups are this code's; it has neither the text's constant memory nor its distances in shared memory.
// Cost of an iteration: points read k times by assign, mostly from caches; labels read k d times, one at a time, by k d blocks.
// Differences from the code: the text does not state its block, 256 threads here; the harness's count of changed labels; no phantom point.
#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

/// Listing 1. counts: k, zero before.
template <class T>
__global__ void assign_and_count(const T* points, const T* centroids, std::int64_t n, int d, int k, std::int32_t* labels, unsigned* counts,
                                 unsigned long long* changed) {
  assign_point<T, 0, Columns>(points, centroids, n, d, k, labels, changed);
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&counts[labels[i]], 1u);
}

/// Listing 7: block (c, j). An empty cluster keeps its centroid.
template <class T>
__global__ void reduce_value(const T* points, const std::int32_t* labels, const unsigned* counts, const T* centroids, std::int64_t n, int k,
                             T* next) {
  extern __shared__ double shared[];
  T* const sums = reinterpret_cast<T*>(shared);  // one per thread
  const int c = blockIdx.x, j = blockIdx.y;
  T sum = 0;
  for (std::int64_t i = threadIdx.x; i < n; i += blockDim.x)
    if (labels[i] == c) sum += points[j * n + i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    const std::int64_t at = std::int64_t(j) * k + c;
    next[at] = counts[c] > 0 ? sums[0] / static_cast<T>(counts[c]) : centroids[at];
  }
}

template <class T>
class PublishedReduction : public cuda::TwoSteps<T> {
 public:
  PublishedReduction(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::TwoSteps<T>(problem, trace, cuda::Layout::columns, cuda::Layout::columns), counts_(problem.k), block_(config.integer("block")) {}

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    cuda::clear(lloyd_.stream(), counts_);
    assign_and_count<<<cuda::blocks(n, block_), block_, 0, lloyd_.stream()>>>(points_.data(), lloyd_.assigned(), n, d, k, lloyd_.labels(),
                                                                              counts_.data(), lloyd_.changed());
    cuda::check_launch();
  }
  void update() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    reduce_value<<<dim3(k, d), block_, block_ * sizeof(T), lloyd_.stream()>>>(points_.data(), lloyd_.labels(), counts_.data(), lloyd_.assigned(), n,
                                                                              k, lloyd_.next());
    cuda::check_launch();
  }

  cuda::Buffer<unsigned> counts_;
  int block_;
};

const Register<PublishedReduction> registration{{
    .summary = "benedetti2025's published code: a thread a point, a plain update block a centroid value",
    .paper = "benedetti2025",
    .device = Device::gpu,
    .parameters = {{.name = "block", .fallback = 256, .range = {64, 128, 256, 512, 1024}, .help = "threads of a block, a power of two"}},
    .unsupported = [](const ProblemShape& p, const Config& config, int) { return no_trees(p, config.integer("block")); },
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      const std::int64_t block = config.number("block");
      return p.n / block + 1 + std::bit_width(static_cast<std::uint64_t>(block));  // a thread's sum, then the tree
    },
}};

}  // namespace
}  // namespace km
