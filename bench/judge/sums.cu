// Cluster sums on the GPU: fp64 with compensation, so that means are accurate in fp64.
#include "bench/judge/device_points.cuh"

namespace km {
namespace {

using namespace judging;

constexpr int clusters_at_once = 8;

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
    const double abs_total = warp_sum(abs_sum[v]);
    if (threadIdx.x % 32 != 0 || c0 + v >= k || count[v] == 0) continue;
    const std::int64_t at = std::int64_t(c0 + v) * d + j;
    add_exactly_shared(&sums[at], &remainders[at], sum[v], remainder[v]);
    atomicAdd(&abs_sums[at], abs_total);
    if (j == 0) atomicAdd(&counts[c0 + v], count[v]);
  }
}

/// Stores each block's part of the inertia, so that the host adds them in a fixed order.
template <class T>
__global__ void add_inertia(const T* __restrict__ points, const double* __restrict__ centroids, const std::int32_t* __restrict__ labels,
                            std::int64_t n, int d, double* inertia_of_block) {
  double sum = 0;
  const std::int64_t stride = std::int64_t(gridDim.x) * blockDim.x;
  for (std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += stride) {
    const double* const c = centroids + std::int64_t(labels[i]) * d;
    for (int j = 0; j < d; ++j) {
      const double diff = points[j * n + i] - c[j];
      sum += diff * diff;
    }
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) inertia_of_block[blockIdx.x] = sum;
}

}  // namespace

template <class T>
bool sums_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, ClusterSums& out) {
  if (p.d > 65535 || p.k > 65535 * clusters_at_once) return false;  // exceeds the grid
  return on_device([&] {
    const cuda::Stream stream;
    const auto device_centroids = doubles(centroids, stream);
    const std::int64_t cells = std::int64_t(p.k) * p.d;
    auto sums = zeros<double>(cells, stream), remainders = zeros<double>(cells, stream), abs_sums = zeros<double>(cells, stream);
    auto counts = zeros<unsigned long long>(p.k, stream);
    double whole_inertia = 0;
    for_columns(p, stream, [&](const T* columns, std::int64_t first, std::int64_t n) {
      cuda::Buffer<std::int32_t> device_labels(n);
      cuda::upload(device_labels, labels.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n)), stream);
      const unsigned parts = std::min(cuda::blocks(n, 4 * threads), 512u);
      const dim3 grid(parts, static_cast<unsigned>(p.d), cuda::blocks(p.k, clusters_at_once));
      sum_clusters<<<grid, threads, 0, stream>>>(columns, device_labels.data(), n, p.d, p.k, sums.data(), remainders.data(), abs_sums.data(),
                                                 counts.data());
      cuda::check_launch();
      cuda::Buffer<double> inertia(parts);
      add_inertia<<<parts, threads, 0, stream>>>(columns, device_centroids.data(), device_labels.data(), n, p.d, inertia.data());
      cuda::check_launch();
      for (const double part : fetched(inertia, stream)) whole_inertia += part;
    });

    ClusterSums result{fetched(sums, stream), fetched(remainders, stream), fetched(abs_sums, stream), {}, whole_inertia};
    const auto found = fetched(counts, stream);
    result.counts.assign(found.begin(), found.end());
    out = std::move(result);
  });
}

template bool sums_on_device(const Problem<float>&, std::span<const std::int32_t>, std::span<const float>, ClusterSums&);
template bool sums_on_device(const Problem<double>&, std::span<const std::int32_t>, std::span<const double>, ClusterSums&);

}  // namespace km
