// The judge's two heavy steps on the GPU, in fp64 whatever the points are. The points stay on the device, column-major, from one
// call to the next: a sweep judges many runs on the same points.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>
#include <type_traits>

#include "bench/device/cuda.cuh"
#include "bench/judge/judge_device.hpp"

namespace km {
namespace {

constexpr int threads = 256;

// ---- points on the device -------------------------------------------------------------------------------------------------

/// 4096 of the values, evenly spaced, and the ends: tells other points at the same address from these.
template <class T>
std::uint64_t fingerprint(std::span<const T> points) {
  std::uint64_t hash = 0xcbf29ce484222325;
  const std::size_t step = std::max<std::size_t>(1, points.size() / 4096);
  const auto add = [&](T value) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof value);
    hash = (hash ^ bits) * 0x100000001b3;
  };
  for (std::size_t at = 0; at < points.size(); at += step) add(points[at]);
  if (!points.empty()) add(points.back());
  return hash;
}

template <class T>
struct CachedPoints {
  const T* from;
  std::size_t size;
  int d;
  std::uint64_t hash;
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

template <class T>
const T* columns_of(std::span<const T> points, const ProblemShape& shape, cudaStream_t stream) {
  auto& cached = cache<T>();
  const auto hash = fingerprint(points);
  if (!cached || cached->from != points.data() || cached->size != points.size() || cached->d != shape.d || cached->hash != hash) {
    release_caches();
    const auto size = static_cast<std::int64_t>(points.size());
    cuda::Buffer<T> rows(size), columns(size);
    cuda::upload(rows, points, stream);
    cuda::transpose(rows.data(), shape.n, shape.d, columns.data(), stream);
    cuda::check(cudaStreamSynchronize(stream));
    cached.emplace(points.data(), points.size(), shape.d, hash, std::move(columns));
  }
  return cached->columns.data();
}

/// While the judge works its points stay; afterwards they go first when memory is short.
struct Release {
  Release() { cuda::set_release_caches(nullptr); }
  ~Release() { cuda::set_release_caches(release_caches); }
};

template <class T>
cuda::Buffer<double> doubles(std::span<const T> values, cudaStream_t stream) {
  const std::vector<double> converted(values.begin(), values.end());
  cuda::Buffer<double> buffer(static_cast<std::int64_t>(converted.size()));
  cuda::upload(buffer, std::span<const double>(converted), stream);
  return buffer;
}

/// Run f on the device; false where there is none or its memory does not suffice.
template <class F>
bool on_device(F f) {
  if (!device::available()) return false;
  try {
    const Release release;
    f();
    return true;
  } catch (const device::Error& error) {
    if (!error.out_of_memory) throw;
    release_caches();
    return false;
  }
}

// ---- labels ---------------------------------------------------------------------------------------------------------------

struct LabelCounts {
  unsigned long long wrong, out_of_bound, first_bad;
};

constexpr int centroids_at_once = 8;

/// A thread takes a point and goes through the centroids eight at a time, so that it reads its values k / 8 times.
/// centroids: k x d in fp64. unit: the share of magnitude that rounding explains.
template <class T>
__global__ void check_labels(const T* __restrict__ points, const double* __restrict__ centroids,
                             const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k, bool expansion, double unit,
                             LabelCounts* counts) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  bool wrong = false, bad = false;
  if (i < n) {
    const std::int32_t label = labels[i];
    const bool labelled = label >= 0 && label < k;
    double best_dist = cuda::infinity<double>, label_dist = cuda::infinity<double>;
    int best = 0;
    for (int c0 = 0; c0 < k; c0 += centroids_at_once) {
      double dist[centroids_at_once] = {};
      for (int j = 0; j < d; ++j) {
        const double x = points[j * n + i];
#pragma unroll
        for (int u = 0; u < centroids_at_once; ++u) {
          const int c = c0 + u < k ? c0 + u : k - 1;  // the last one over again, unused
          const double diff = x - centroids[std::int64_t(c) * d + j];
          dist[u] += diff * diff;
        }
      }
#pragma unroll
      for (int u = 0; u < centroids_at_once; ++u) {
        if (c0 + u >= k) break;
        if (dist[u] < best_dist) best_dist = dist[u], best = c0 + u;
        if (c0 + u == label) label_dist = dist[u];
      }
    }
    wrong = !labelled || !(label_dist <= best_dist);  // NaN is wrong
    if (wrong) {
      bad = !labelled;
      if (labelled) {
        double magnitude = label_dist + best_dist;
        if (expansion) {
          magnitude = 0;
          for (int j = 0; j < d; ++j) {
            const double x = points[j * n + i], own = centroids[std::int64_t(label) * d + j],
                         other = centroids[std::int64_t(best) * d + j];
            magnitude += 2 * x * x + own * own + other * other;
          }
        }
        bad = !(label_dist - best_dist <= unit * magnitude);
      }
    }
    if (bad) atomicMin(&counts->first_bad, static_cast<unsigned long long>(i));
  }
  const int wrong_here = __syncthreads_count(wrong), bad_here = __syncthreads_count(bad);
  if (threadIdx.x == 0 && wrong_here > 0) atomicAdd(&counts->wrong, wrong_here);
  if (threadIdx.x == 0 && bad_here > 0) atomicAdd(&counts->out_of_bound, bad_here);
}

template <class T>
double distance_on_host(const T* x, const T* c, int d) {
  double dist = 0;
  for (int j = 0; j < d; ++j) dist += (double(x[j]) - double(c[j])) * (double(x[j]) - double(c[j]));
  return dist;
}

// ---- sums -----------------------------------------------------------------------------------------------------------------

constexpr int clusters_at_once = 8;

__device__ double warp_sum(double value) {
  for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(0xFFFFFFFF, value, offset);
  return value;
}

/// blockIdx.y: a dimension; blockIdx.z: eight clusters, summed in registers; blockIdx.x shares out the points.
template <class T>
__global__ void sum_clusters(const T* __restrict__ points, const std::int32_t* __restrict__ labels, std::int64_t n, int d, int k,
                             double* sums, double* abs_sums, unsigned long long* counts) {
  const int j = blockIdx.y, c0 = blockIdx.z * clusters_at_once;
  double sum[clusters_at_once] = {}, abs_sum[clusters_at_once] = {};
  unsigned long long count[clusters_at_once] = {};
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const int label = labels[i] - c0;
    if (label < 0 || label >= clusters_at_once) continue;
    const double x = points[j * n + i];
#pragma unroll
    for (int u = 0; u < clusters_at_once; ++u) {
      if (label != u) continue;
      sum[u] += x;
      abs_sum[u] += fabs(x);
      ++count[u];
    }
  }
#pragma unroll
  for (int u = 0; u < clusters_at_once; ++u) {
    const double total = warp_sum(sum[u]), abs_total = warp_sum(abs_sum[u]);
    for (int offset = 16; offset > 0; offset /= 2) count[u] += __shfl_down_sync(0xFFFFFFFF, count[u], offset);
    if (threadIdx.x % 32 != 0 || c0 + u >= k || count[u] == 0) continue;
    const std::int64_t at = std::int64_t(c0 + u) * d + j;
    atomicAdd(&sums[at], total);
    atomicAdd(&abs_sums[at], abs_total);
    if (j == 0) atomicAdd(&counts[c0 + u], count[u]);
  }
}

/// Each block's part of the inertia, apart, so that the host adds them in one order and gets the same sum every time.
template <class T>
__global__ void add_inertia(const T* __restrict__ points, const double* __restrict__ centroids,
                            const std::int32_t* __restrict__ labels, std::int64_t n, int d, double* inertia_of_block) {
  __shared__ double warps[threads / 32];
  double sum = 0;
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double* const c = centroids + std::int64_t(labels[i]) * d;
    for (int j = 0; j < d; ++j) {
      const double diff = points[j * n + i] - c[j];
      sum += diff * diff;
    }
  }
  sum = warp_sum(sum);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < threads / 32; ++warp) sum += warps[warp];
    inertia_of_block[blockIdx.x] = sum;
  }
}

template <class V>
std::vector<V> fetched(const cuda::Buffer<V>& buffer, cudaStream_t stream) {
  std::vector<V> values(static_cast<std::size_t>(buffer.size()));
  cuda::download(values.data(), buffer.data(), buffer.bytes(), stream);
  return values;
}

template <class V>
cuda::Buffer<V> zeros(std::int64_t size, cudaStream_t stream) {
  cuda::Buffer<V> buffer(size);
  cuda::check(cudaMemsetAsync(buffer.data(), 0, buffer.bytes(), stream));
  return buffer;
}

}  // namespace

template <class T>
bool judge_labels_on_device(std::span<const T> points, const ProblemShape& shape, std::span<const std::int32_t> labels,
                            std::span<const T> assigned_centroids, Distance distance, LabelCheck& out) {
  return on_device([&] {
    const cuda::Stream stream;
    const T* const columns = columns_of(points, shape, stream);
    const auto centroids = doubles(assigned_centroids, stream);
    cuda::Buffer<std::int32_t> device_labels(shape.n);
    cuda::upload(device_labels, labels, stream);
    const LabelCounts none{0, 0, ~0ull};
    cuda::Buffer<LabelCounts> counts(1);
    cuda::upload(counts, std::span<const LabelCounts>(&none, 1), stream);
    const double unit = rounding_factor(shape.d) * (std::is_same_v<T, float> ? 0x1p-24 : 0x1p-53);
    check_labels<<<cuda::blocks(shape.n, threads), threads, 0, stream>>>(columns, centroids.data(), device_labels.data(), shape.n,
                                                                         shape.d, shape.k, distance == Distance::expansion, unit,
                                                                         counts.data());
    cuda::check_launch();
    const LabelCounts found = fetched(counts, stream)[0];

    LabelCheck check;
    check.judged = shape.n;
    check.wrong_labels = static_cast<std::int64_t>(found.wrong);
    check.out_of_bound = static_cast<std::int64_t>(found.out_of_bound);
    if (found.out_of_bound > 0) {
      const auto i = static_cast<std::int64_t>(found.first_bad);
      const T* const x = points.data() + i * shape.d;
      const auto to = [&](int c) { return distance_on_host(x, assigned_centroids.data() + std::int64_t(c) * shape.d, shape.d); };
      check.first_bad = i;
      check.first_best = 0;
      check.first_best_dist = to(0);
      for (int c = 1; c < shape.k; ++c)
        if (const double dist = to(c); !(dist >= check.first_best_dist)) check.first_best_dist = dist, check.first_best = c;
      const auto label = labels[static_cast<std::size_t>(i)];
      check.first_bad_dist = label >= 0 && label < shape.k ? to(label) : std::nan("");
    }
    out = check;
  });
}

template <class T>
bool sums_on_device(std::span<const T> points, const ProblemShape& shape, std::span<const std::int32_t> labels,
                    std::span<const T> centroids, ClusterSums& out) {
  if (shape.d > 65535 || shape.k > 65535 * clusters_at_once) return false;  // beyond the grid
  return on_device([&] {
    const cuda::Stream stream;
    const T* const columns = columns_of(points, shape, stream);
    const auto device_centroids = doubles(centroids, stream);
    cuda::Buffer<std::int32_t> device_labels(shape.n);
    cuda::upload(device_labels, labels, stream);
    const std::int64_t cells = std::int64_t(shape.k) * shape.d;
    auto sums = zeros<double>(cells, stream), abs_sums = zeros<double>(cells, stream);
    auto counts = zeros<unsigned long long>(shape.k, stream);
    const unsigned parts = std::min(cuda::blocks(shape.n, 4 * threads), 512u);
    const dim3 grid(parts, static_cast<unsigned>(shape.d), cuda::blocks(shape.k, clusters_at_once));
    sum_clusters<<<grid, threads, 0, stream>>>(columns, device_labels.data(), shape.n, shape.d, shape.k, sums.data(),
                                               abs_sums.data(), counts.data());
    cuda::check_launch();
    cuda::Buffer<double> inertia(parts);
    add_inertia<<<parts, threads, 0, stream>>>(columns, device_centroids.data(), device_labels.data(), shape.n, shape.d,
                                               inertia.data());
    cuda::check_launch();

    ClusterSums result;
    result.sums = fetched(sums, stream);
    result.abs_sums = fetched(abs_sums, stream);
    const auto found = fetched(counts, stream);
    result.counts.assign(found.begin(), found.end());
    for (const double part : fetched(inertia, stream)) result.inertia += part;
    out = std::move(result);
  });
}

template bool judge_labels_on_device<float>(std::span<const float>, const ProblemShape&, std::span<const std::int32_t>,
                                            std::span<const float>, Distance, LabelCheck&);
template bool judge_labels_on_device<double>(std::span<const double>, const ProblemShape&, std::span<const std::int32_t>,
                                             std::span<const double>, Distance, LabelCheck&);
template bool sums_on_device<float>(std::span<const float>, const ProblemShape&, std::span<const std::int32_t>,
                                    std::span<const float>, ClusterSums&);
template bool sums_on_device<double>(std::span<const double>, const ProblemShape&, std::span<const std::int32_t>,
                                     std::span<const double>, ClusterSums&);

}  // namespace km
