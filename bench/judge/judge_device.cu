// The judge on the GPU, in fp64. It keeps the points of a sweep on the device, column-major. Points that do not fit are uploaded in chunks.
#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "bench/base/bytes_hash.hpp"
#include "bench/device/cuda_host.cuh"
#include "bench/judge/errors.hpp"
#include "bench/judge/nearest_device.cuh"

namespace km {
namespace {

constexpr int threads = 256, clusters_at_once = 8;
constexpr std::int64_t points_of_block = std::int64_t{threads} * 4;  // whose labels it looks at
constexpr int few_clusters = 64;             // a guess: up to here, passes over the labels, one for each eight, cost less than atomics
constexpr std::int64_t few_in_doubt = 1000;  // with a thousandth of the points: if products leave more to the host, differences try
constexpr std::int64_t stretch = 64;         // points whose sums a warp adds up
constexpr std::int64_t chunk_bytes = std::int64_t{512} << 20;

template <class T>
struct CachedPoints {
  std::tuple<const T*, std::size_t, int, std::size_t> key;  // address, number of values, d, fingerprint
  cuda::Buffer<T> columns;
};

template <class T>
std::optional<CachedPoints<T>>& cache() {
  static std::optional<CachedPoints<T>> points;
  return points;
}

void release_caches() {
  cache<float>().reset();
  cache<double>().reset();
}

/// Bytes of GPU memory that the judge may use (set_judge_budget); 0: 90 % of free memory.
std::int64_t budget = 0;

std::int64_t budget_bytes() {
  if (budget > 0) return budget;
  std::size_t free = 0, total = 0;
  cuda::check(cudaMemGetInfo(&free, &total));
  return static_cast<std::int64_t>(free / 10 * 9);
}

/// Calls f(columns, first, n) for points first to first + n - 1, as d x n. One call if all points fit and stay, else one per chunk.
template <class T, class F>
void for_columns(const Problem<T>& p, cudaStream_t stream, F f) {
  auto& cached = cache<T>();
  const std::tuple key(p.points.data(), p.points.size(), p.d, fingerprint(p.points));
  if (cached && cached->key == key) {
    f(cached->columns.data(), std::int64_t{0}, p.n);
    return;
  }
  const bool much_smaller = cached && cached->columns.size() > 8 * static_cast<std::int64_t>(p.points.size());  // a sample of them: keep those
  if (!much_smaller) release_caches();
  const std::int64_t point_bytes = 2 * std::int64_t(p.d) * sizeof(T) + 16;  // rows and columns, labels and list
  const bool fits = !much_smaller && p.n <= budget_bytes() / point_bytes;
  const std::int64_t most = fits ? p.n : std::clamp<std::int64_t>(std::min(budget_bytes() / 2, chunk_bytes) / point_bytes, 1, p.n);
  cuda::Buffer<T> rows(most * p.d), columns(most * p.d);
  for (std::int64_t first = 0; first < p.n; first += most) {
    const std::int64_t n = std::min(most, p.n - first);
    const auto values = p.points.subspan(static_cast<std::size_t>(first * p.d), static_cast<std::size_t>(n * p.d));
    cuda::upload(rows.data(), values.data(), values.size_bytes(), stream);  // waits for all work on the stream
    cuda::transpose(rows.data(), n, p.d, columns.data(), stream);
    if (!fits) f(columns.data(), first, n);
  }
  cuda::check(cudaStreamSynchronize(stream));
  if (!fits) return;
  rows = {};
  f(cached.emplace(key, std::move(columns)).columns.data(), std::int64_t{0}, p.n);
}

/// Keeps the judge's points during its work. Afterwards they may be released when memory is short.
struct Release {
  Release() { cuda::set_release_caches(nullptr); }
  ~Release() { cuda::set_release_caches(release_caches); }
};

template <class V>
cuda::Buffer<V> zeros(std::int64_t size, cudaStream_t stream) {
  cuda::Buffer<V> buffer(size);
  cuda::clear(stream, buffer);
  return buffer;
}

/// Sums `value` over a block of `threads`; thread 0 gets the sum.
__device__ double block_sum(double value) {
  __shared__ double warps[threads / 32];
  cuda::sum_over_warp(value);
  __syncthreads();  // thread 0 has read the sum before
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int warp = 1; warp < threads / 32; ++warp) value += warps[warp];
  return value;
}

// ---- labels -------------------------------------------------------------------------------------------------------------

/// nearest: of Centroids::find(). Lists the points with another label, counted from `first`. Sums by block the distances² of the others
/// to their label in `centroids`, and of all in `last`, both k x d in fp64. The host adds them in a fixed order.
template <class T>
__global__ void look_at_labels(const T* __restrict__ points, const double* __restrict__ centroids, const double* __restrict__ last,
                               const std::int32_t* __restrict__ labels, const std::int32_t* __restrict__ nearest, std::int64_t first, std::int64_t n,
                               int d, unsigned long long* listed, std::int64_t* list, double* least_of_block, double* inertia_of_block) {
  double least = 0, inertia = 0;
  const std::int64_t begin = blockIdx.x * points_of_block + threadIdx.x, end = min((blockIdx.x + 1) * points_of_block, n);
  for (std::int64_t i = begin; i < end; i += threads) {
    const std::int64_t row = std::int64_t(labels[i]) * d;
    double dist = 0;
    for (int j = 0; j < d; ++j) {
      const double x = points[j * n + i], diff = x - centroids[row + j], diff_last = x - last[row + j];
      dist += diff * diff, inertia += diff_last * diff_last;
    }
    if (nearest[i] == labels[i]) least += dist;
    else list[atomicAdd(listed, 1ull)] = first + i;
  }
  least = block_sum(least), inertia = block_sum(inertia);
  if (threadIdx.x == 0) least_of_block[blockIdx.x] = least, inertia_of_block[blockIdx.x] = inertia;
}

// ---- means --------------------------------------------------------------------------------------------------------------

/// Adds value to sum + remainder without rounding (Knuth's TwoSum, in intrinsics that no compiler contracts or reassociates).
__device__ void add_exactly(double& sum, double& remainder, double value) {
  const double total = __dadd_rn(sum, value), of_value = __dsub_rn(total, sum);
  remainder = __dadd_rn(remainder, __dadd_rn(__dsub_rn(sum, __dsub_rn(total, of_value)), __dsub_rn(value, of_value)));
  sum = total;
}

/// The same for a shared sum: atomicAdd returns the old value, from which each thread computes its own rounding error.
__device__ void add_exactly_shared(double* sum, double* remainder, double value, double with) {
  double before = atomicAdd(sum, value), lost = with;
  add_exactly(before, lost, value);
  atomicAdd(remainder, lost);
}

/// blockIdx.x: a share of the points; blockIdx.y: a dimension; blockIdx.z: eight clusters, summed in registers.
template <class T>
__global__ void sum_clusters(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k, double* sums,
                             double* remainders, double* abs_sums, unsigned long long* counts) {
  const int j = blockIdx.y, c0 = blockIdx.z * clusters_at_once;
  double sum[clusters_at_once] = {}, remainder[clusters_at_once] = {}, abs_sum[clusters_at_once] = {};
  unsigned long long count[clusters_at_once] = {};
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int label = labels[i] - c0;
    if (label < 0 || label >= clusters_at_once) continue;
    const double x = points[j * n + i];
#pragma unroll
    for (int v = 0; v < clusters_at_once; ++v) {
      if (label != v) continue;
      add_exactly(sum[v], remainder[v], x);
      abs_sum[v] += fabs(x);
      ++count[v];
    }
  }
#pragma unroll
  for (int v = 0; v < clusters_at_once; ++v) {
    for (int offset = 16; offset > 0; offset /= 2) {
      const double other = __shfl_down_sync(0xFFFFFFFF, sum[v], offset), of_other = __shfl_down_sync(0xFFFFFFFF, remainder[v], offset);
      add_exactly(sum[v], remainder[v], other);
      remainder[v] += of_other;
      count[v] += __shfl_down_sync(0xFFFFFFFF, count[v], offset);
    }
    cuda::sum_over_warp(abs_sum[v]);
    if (threadIdx.x % 32 != 0 || c0 + v >= k || count[v] == 0) continue;
    const std::int64_t at = std::int64_t(c0 + v) * d + j;
    add_exactly_shared(&sums[at], &remainders[at], sum[v], remainder[v]);
    atomicAdd(&abs_sums[at], abs_sum[v]);
    if (j == 0) atomicAdd(&counts[c0 + v], count[v]);
  }
}

/// For many clusters: one warp adds up a stretch of points, each lane its dimensions, and passes a sum on where the label changes.
template <class T>
__global__ void add_points(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, double* sums,
                           double* remainders, double* abs_sums, unsigned long long* counts) {
  const int lane = threadIdx.x % 32;
  const std::int64_t begin = (std::int64_t(blockIdx.x) * (threads / 32) + threadIdx.x / 32) * stretch, end = min(begin + stretch, n);
  for (std::int64_t i = begin + lane; i < end; i += 32) atomicAdd(&counts[labels[i]], 1ull);
  for (int j = lane; j < d; j += 32) {
    double sum = 0, remainder = 0, abs_sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double x = points[j * n + i];
      add_exactly(sum, remainder, x);
      abs_sum += fabs(x);
      if (i + 1 < end && labels[i + 1] == labels[i]) continue;
      const std::int64_t at = std::int64_t(labels[i]) * d + j;
      add_exactly_shared(&sums[at], &remainders[at], sum, remainder);
      atomicAdd(&abs_sums[at], abs_sum);
      sum = remainder = abs_sum = 0;
    }
  }
}

}  // namespace

void set_judge_budget(std::int64_t bytes) {
  release_caches();
  budget = bytes;
}

template <class T>
bool judge_on_device(const Problem<T>& p, const Solution<T>& s, const Arithmetic& arithmetic, ClusterSums& out, LabelCheck* check) try {
  if (!device::available() || p.d > 65535 || p.k > 65535 * clusters_at_once) return false;  // exceeds the grid
  const Release release;
  const cuda::Stream stream;
  const nearest::Centroids assigned(std::span(s.assigned_centroids), p.k, p.d, stream);
  const auto last = nearest::uploaded({s.centroids.begin(), s.centroids.end()}, stream);
  const std::int64_t cells = std::int64_t(p.k) * p.d;
  auto sums = zeros<double>(cells, stream), remainders = zeros<double>(cells, stream), abs_sums = zeros<double>(cells, stream);
  auto counts = zeros<unsigned long long>(p.k, stream);
  out = {};
  if (check) *check = {};
  for_columns(p, stream, [&](const T* columns, std::int64_t first, std::int64_t n) {
    cuda::Buffer<std::int32_t> labels(n);
    cuda::upload(labels, std::span(s.labels).subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n)), stream);
    if (p.k > few_clusters) {
      add_points<<<cuda::blocks(n, threads / 32 * stretch), threads, 0, stream>>>(columns, labels.data(), n, p.d, sums.data(), remainders.data(),
                                                                                  abs_sums.data(), counts.data());
    } else {
      const dim3 grid(std::min(cuda::blocks(n, 4 * threads), 512u), static_cast<unsigned>(p.d), cuda::blocks(p.k, clusters_at_once));
      sum_clusters<<<grid, threads, 0, stream>>>(columns, labels.data(), n, p.d, p.k, sums.data(), remainders.data(), abs_sums.data(), counts.data());
    }
    cuda::check_launch();
    if (!check) return;
    cuda::Buffer<std::int32_t> proven(n);
    cuda::Buffer<std::int64_t> list(n);
    const unsigned blocks = cuda::blocks(n, points_of_block);
    cuda::Buffer<double> least(blocks), inertia(blocks);
    std::int64_t doubtful = std::numeric_limits<std::int64_t>::max();
    for (const bool products : {true, false}) {
      if (products ? !assigned.has_products() : doubtful <= few_in_doubt + n / 1000) continue;
      assigned.find(products, columns, n, fp64_doubt(p.d), proven.data());
      auto listed = zeros<unsigned long long>(1, stream);
      look_at_labels<<<blocks, threads, 0, stream>>>(columns, assigned.rows(), last.data(), labels.data(), proven.data(), first, n, p.d,
                                                     listed.data(), list.data(), least.data(), inertia.data());
      cuda::check_launch();
      doubtful = static_cast<std::int64_t>(fetched(listed, stream)[0]);
    }
    check->judged += n - doubtful;
    for (const double part : fetched(least, stream)) check->least += part;
    for (const double part : fetched(inertia, stream)) out.inertia += part;
    if (doubtful > 0) check->add(check_labels_on_host(p, s, arithmetic, fetched(list, stream, doubtful)));
  });
  const auto sizes = fetched(counts, stream);
  const auto of_cells = fetched(sums, stream), lost = fetched(remainders, stream), of_abs = fetched(abs_sums, stream);
  out.counts.assign(sizes.begin(), sizes.end());
  for (std::size_t cell = 0; cell < of_cells.size(); ++cell) out.cells.push_back({of_cells[cell], lost[cell], of_abs[cell]});
  return true;
} catch (const device::Error& error) {
  if (!error.out_of_memory) throw;
  release_caches();
  return false;
}

template bool judge_on_device(const Problem<float>&, const Solution<float>&, const Arithmetic&, ClusterSums&, LabelCheck*);
template bool judge_on_device(const Problem<double>&, const Solution<double>&, const Arithmetic&, ClusterSums&, LabelCheck*);

}  // namespace km
