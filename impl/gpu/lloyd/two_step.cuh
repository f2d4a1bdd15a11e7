// Host side of he2021's two-step ladder: parameters, limits, packages, data, means. Shared kernels: two_step_kernels.cuh; each step's own: its file.
#pragma once

#include <curand_kernel.h>

#include <algorithm>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/two_step_assign.cuh"
#include "impl/gpu/registration.hpp"

namespace km::two_step {

/// Points first, ..., first + length - 1. Lengths differ by at most one (Listing 3); with more packages than points some are 0.
struct Package {
  std::int64_t first, length;
};
__host__ __device__ inline Package package_at(std::int64_t n, int packages, int index) {
  const std::int64_t quotient = n / packages, remainder = n % packages;
  return {index * quotient + (index < remainder ? index : remainder), quotient + (index < remainder)};
}

/// Result of step 1: sums [d][packages][pitch] and counts [packages][pitch]. The pitch is k rounded up to 32 values, so that atomicAdds of different
/// packages and dimensions use different lines of the L2 cache. A line serializes them.
template <class T>
struct PackageSums {
  T* sums;
  unsigned* counts;
  int packages, pitch;
};

/// Four values of one dimension, in one or two 16-byte reads.
template <class T>
struct alignas(16) Four {
  T at[4];
};

/// Divides sums (d x k) by counts in place. An empty cluster keeps its centroid (k x d); in the paper's own code it became zero.
template <class T>
__global__ void average(T* sums, const unsigned* counts, const T* centroids, int d, int k) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at >= k * d) return;
  const int j = at / k, c = at % k;
  sums[at] = counts[c] > 0 ? sums[at] / static_cast<T>(counts[c]) : centroids[c * d + j];
}

/// The paper's own start (Section 4.1): each of k threads draws a point by cuRAND. points: d x n, starts: k x d.
template <class T>
__global__ void choose_starts(const T* points, std::int64_t n, int d, int k, T* starts) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= k) return;
  curandState state;
  curand_init(1, c, 0, &state);
  const auto high = static_cast<std::uint64_t>(curand(&state));  // two draws of 32 bits: n may be larger than one
  const auto i = static_cast<std::int64_t>((high << 32 | curand(&state)) % static_cast<std::uint64_t>(n));
  for (int j = 0; j < d; ++j) starts[c * d + j] = points[j * n + i];
}

/// Calls f with bsyd as a compile-time constant if it is a usual one, else with 0.
template <class F>
void with_rows(int bsyd, F&& f) {
  with_dimension<1, 2, 4, 8>(bsyd, std::forward<F>(f));
}

/// Data and parameters of a run, and its iteration of three phases.
template <class T>
struct State {
  State(const Problem<T>& problem, const Config& config, Trace& trace)
      : lloyd(problem, trace), points(cuda::upload_columns(problem, trace, lloyd.stream())), bsxn(config.integer("bsxn")),
        bsxp(config.integer("bsxp")), bsyd(config.integer("bsyd")), tiles(config.integer("tiles")), block2(config.integer("block2")),
        packages(config.integer("packages")), pitch((problem.k + 31) / 32 * 32), package_sums(std::int64_t(problem.d) * packages * pitch),
        sums(std::int64_t(problem.d) * problem.k), package_counts(std::int64_t(packages) * pitch), counts(problem.k) {
    const cuda::Phase phase(trace, "choose_starts", lloyd.stream());  // timed alone: every run takes the problem's start
    choose_starts<<<cuda::blocks(problem.k, 128), 128, 0, lloyd.stream()>>>(points.data(), problem.n, problem.d, problem.k, lloyd.next());
    cuda::check_launch();
  }

  virtual ~State() = default;

  void reset() { lloyd.reset(); }
  int iterate(Trace& trace) {
    return lloyd.run(trace, {{"assign", [this] { assign(); }}, {"update", [this] { update(); }}, {"transpose", [this] { transpose(); }}});
  }
  Solution<T> download() { return lloyd.download(); }

  virtual void assign() { enqueue_assign(lloyd, points.data(), bsxn); }
  virtual void update() = 0;

  dim3 block1() const { return dim3(bsxp, bsyd); }
  /// The tile of step 1 and its labels; its width is rounded up to four points.
  std::size_t shared_bytes() const { return (bsyd * sizeof(T) + sizeof(int)) * ((bsxp + 3) / 4 * 4); }
  PackageSums<T> of_packages() { return {package_sums.data(), package_counts.data(), packages, pitch}; }

  /// Listing 4: clears sums and counts.
  void clear() { cuda::clear(lloyd.stream(), package_sums, package_counts, sums, counts); }
  /// Turns sums into means, in place.
  void average() {
    const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
    two_step::average<<<cuda::blocks(sums.size(), 256), 256, 0, lloyd.stream()>>>(sums.data(), counts.data(), lloyd.assigned(), d, k);
    cuda::check_launch();
  }
  /// Transposes the means to centroids for assign: k x d.
  void transpose() { cuda::transpose(sums.data(), lloyd.shape().d, lloyd.shape().k, lloyd.next(), lloyd.stream()); }

  cuda::Lloyd<T> lloyd;
  cuda::Buffer<T> points;  // d x n
  int bsxn, bsxp, bsyd, tiles, block2, packages, pitch;
  cuda::Buffer<T> package_sums, sums;  // sums: d x k, of all packages
  cuda::Buffer<unsigned> package_counts, counts;
};

/// Sets the limit of pending device-side launches (default 2048; more fail). The destructor restores it.
class PendingLaunches {
 public:
  explicit PendingLaunches(std::size_t wanted) {
    cuda::check(cudaDeviceGetLimit(&before_, cudaLimitDevRuntimePendingLaunchCount));
    raised_ = wanted > before_;
    if (raised_) cuda::check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, wanted));
  }
  ~PendingLaunches() {
    if (raised_) static_cast<void>(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, before_));
  }
  PendingLaunches(const PendingLaunches&) = delete;
  PendingLaunches& operator=(const PendingLaunches&) = delete;

 private:
  std::size_t before_ = 0;
  bool raised_ = false;
};

/// State of the steps whose kernels are launched by the device.
template <class T>
struct NestedState : State<T> {
  NestedState(const Problem<T>& problem, const Config& config, Trace& trace)
      : State<T>(problem, config, trace), pending(2048 + 2 * static_cast<std::size_t>(this->packages)), failure(1) {}

  int iterate(Trace& trace) {
    cuda::clear(this->lloyd.stream(), failure);
    return State<T>::iterate(trace);
  }
  /// Both steps by parent kernels of one block. sum_packages(rows) returns step 1's for a compile-time number of rows.
  template <class SumPackages, class AddPackages>
  void enqueue(int threads1, SumPackages sum_packages, int threads2, AddPackages add_packages) {
    const auto [n, d, k, max_iters, tolerance] = this->lloyd.shape();
    const cudaStream_t stream = this->lloyd.stream();
    this->clear();
    with_rows(this->bsyd, [&](auto rows) {
      const auto kernel = sum_packages(rows);
      kernel<<<1, threads1, 0, stream>>>(this->points.data(), this->lloyd.labels(), n, d, k, this->block1(), static_cast<int>(this->shared_bytes()),
                                         this->tiles, this->of_packages(), failure.data());
    });
    cuda::check_launch();
    add_packages<<<1, threads2, 0, stream>>>(this->of_packages(), d, k, this->block2, this->sums.data(), this->counts.data(), failure.data());
    cuda::check_launch();
    this->average();
  }
  /// Throws if a kernel could not be launched on the device.
  Solution<T> download() {
    cuda::check(static_cast<cudaError_t>(cuda::fetched(failure, this->lloyd.stream())[0]));
    return this->lloyd.download();
  }

  PendingLaunches pending;
  cuda::Buffer<int> failure;  // cudaError_t of a launch on the device
};

inline std::vector<Parameter> parameters(std::initializer_list<Parameter> further) {
  std::vector<Parameter> all = {{.name = "packages", .fallback = 100, .range = {1, 10, 100, 1000, 10000}, .help = "sums added in the second step"},
                                tunable("bsxn", 128, {32, 64, 128, 256}, "assign: threads of a block"),
                                tunable("bsxp", 32, {8, 16, 32, 64, 128, 256, 512, 1024}, "step 1: points of a block's tile"),
                                tunable("bsyd", 4, {1, 2, 4, 8, 16, 32}, "step 1: dimensions of a block's tile"),
                                tunable("tiles", 1, {1, 2, 4, 8, 16, 32, 64}, "step 1: tiles a block sums before its atomicAdds; 1 in the paper"),
                                tunable("block2", 32, {32, 64, 128, 256, 512, 1024}, "step 2: threads of a block")};
  all.insert(all.end(), further);
  return all;
}

inline std::string unsupported(const ProblemShape& p, const Config& config, int) {
  const int threads = config.integer("bsxp") * config.integer("bsyd");
  if (threads > 1024) return "bsxp * bsyd exceeds the 1024 threads of a block";
  if (p.k > threads) return "k exceeds bsxp * bsyd: step 1 has a thread a cluster";
  return counts_overflow(p);
}

/// One or more tiles in a register, then a package's blocks, then the packages.
inline std::int64_t summation_depth(const ProblemShape& p, const Config& config) {
  const std::int64_t packages = config.number("packages"), block = config.number("bsxp") * config.number("tiles");
  const std::int64_t package = p.n / packages + 1;
  return std::min(block, package) + (package + block - 1) / block + packages;
}

inline Description description(std::string_view summary, std::initializer_list<Parameter> further = {}) {
  return {.summary = summary,
          .paper = "he2021",
          .device = Device::gpu,
          .parameters = parameters(further),
          .unsupported = unsupported,
          .summation_depth = summation_depth};
}

}  // namespace km::two_step
