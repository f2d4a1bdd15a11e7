// he2021's final GPU version (Section 3.3.2, Listings 4 and 5). Each thread of the parent kernel launches its share of the packages on its own
// stream. Children of different threads thus run concurrently: streams1 threads in step 1, streams2 in step 2. Streams are non-blocking, as CUDA
// now requires of streams created by kernels. The work per package and its kernels are two_step_shared's (two_step_kernels.cuh).
// Needs relocatable device code (-rdc=true, cudadevrt).
#include "impl/gpu/lloyd/two_step_kernels.cuh"

namespace km::two_step_streams {  // named, for relocatable device code

using two_step::PackageSums;

/// two_step::assign with P points per thread, blockDim.x apart: 1 in the paper. All threads of a warp read the same centroid. 16 bytes for each of 32
/// threads occupy the L1 cache's port longer than their arithmetic takes; with P = 2 a value serves twice.
template <class T, int D, int P>
__global__ void assign(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels,
                       unsigned long long* changed) {
  const std::int64_t first = std::int64_t(blockIdx.x) * blockDim.x * P + threadIdx.x;
  int moved = 0;
  if constexpr (cuda::fits_registers<T, D * P>) {
    T x[P][D], best_dist[P];
    std::int32_t best[P] = {};
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const std::int64_t i = min(first + p * blockDim.x, n - 1);  // beyond the end: repeats the last point, not stored
      best_dist[p] = cuda::infinity<T>;
#pragma unroll
      for (int j = 0; j < D; ++j) x[p][j] = points[j * n + i];
    }
    for (int c = 0; c < k; ++c) {
      T dist[P];
      cuda::distances(x, centroids + c * D, dist);
#pragma unroll
      for (int p = 0; p < P; ++p)
        if (dist[p] < best_dist[p]) best_dist[p] = dist[p], best[p] = c;  // strict: the lowest index wins a tie
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      const std::int64_t i = first + p * blockDim.x;
      if (i < n && labels[i] != best[p]) labels[i] = best[p], ++moved;
    }
  } else {
    for (std::int64_t i = first; i < n && i < first + std::int64_t(P) * blockDim.x; i += blockDim.x) {
      const std::int32_t best =
          cuda::nearest_of<T>(k, [&](int c) { return cuda::squares<T>(d, [&](int j) { return points[j * n + i] - centroids[c * d + j]; }); });
      if (labels[i] != best) labels[i] = best, ++moved;
    }
  }
  int count = __syncthreads_count(moved > 0);  // counts the block's changes in one or two instructions
  if constexpr (P == 2) count += __syncthreads_count(moved > 1);
  if (threadIdx.x == 0 && count > 0) atomicAdd(changed, count);
}

/// Step 1's parent: each thread has its own stream.
template <class T, int BSYD>
__global__ void sum_packages(const T* points, const std::int32_t* labels, std::int64_t n, int d, int k, dim3 block, int shared, int tiles,
                             PackageSums<T> out, int* failure) {
  cudaStream_t stream;
  if (const auto code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); code != cudaSuccess) {
    *failure = code;
    return;
  }
  two_step::launch_sums<T, BSYD>(points, labels, n, d, k, block, shared, tiles, out, failure, stream);
  cudaStreamDestroy(stream);  // takes effect after the children
}

/// Step 2's parent.
template <class T>
__global__ void add_packages(PackageSums<T> package_sums, int d, int k, int block, T* sums, unsigned* counts, int* failure) {
  cudaStream_t stream;
  if (const auto code = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); code != cudaSuccess) {
    *failure = code;
    return;
  }
  two_step::launch_additions(package_sums, d, k, block, sums, counts, failure, stream);
  cudaStreamDestroy(stream);  // takes effect after the children
}

namespace {

template <class T>
class TwoStepStreams : public two_step::NestedState<T> {
 public:
  TwoStepStreams(const Problem<T>& problem, const Config& config, Trace& trace)
      : two_step::NestedState<T>(problem, config, trace), each_(config.integer("each")), streams1_(config.integer("streams1")),
        streams2_(config.integer("streams2")) {}

 private:
  void assign() override {
    const auto [n, d, k, max_iters, tolerance] = this->lloyd.shape();
    cuda::with_paper_dimension(d, [&](auto D) {
      const auto kernel = each_ == 2 ? two_step_streams::assign<T, decltype(D)::value, 2> : two_step_streams::assign<T, decltype(D)::value, 1>;
      kernel<<<cuda::blocks(n, std::int64_t(this->bsxn) * each_), this->bsxn, 0, this->lloyd.stream()>>>(this->points.data(), this->lloyd.assigned(),
                                                                                                         n, d, k, this->lloyd.labels(),
                                                                                                         this->lloyd.changed());
    });
    cuda::check_launch();
  }

  void update() override {
    this->enqueue(
        streams1_, [](auto rows) { return sum_packages<T, decltype(rows)::value>; }, streams2_, add_packages<T>);
  }

  int each_, streams1_, streams2_;
};

const Register<TwoStepStreams> registration{
    two_step::description("two_step_dynamic with a stream for each launching thread: the final version of the paper",
                          {tunable("each", 1, {1, 2}, "assign: points of a thread; 1 in the paper"),
                           tunable("streams1", 16, {1, 2, 4, 8, 16, 32, 64, 128}, "step 1: launching threads, each with its stream"),
                           tunable("streams2", 32, {1, 2, 4, 8, 16, 32, 64, 128}, "step 2: launching threads, each with its stream")})};

}  // namespace
}  // namespace km::two_step_streams
