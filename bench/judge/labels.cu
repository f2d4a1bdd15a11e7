// Checks every label in fp64 on the GPU. The host decides the few near ties exactly.
#include "bench/judge/device_points.cuh"

namespace km {
namespace {

using namespace judging;

constexpr int centroids_at_once = 8;

/// One thread per point; eight centroids at a time, so that a point's values are read k / 8 times. centroids: k x d in fp64.
/// Lists points whose label is not the nearest in fp64, or whose two least distances² differ by no more than `doubt`. Sums the least distances² of
/// the others.
template <class T>
__global__ void look_at_labels(const T* __restrict__ points, const double* __restrict__ centroids, const std::int32_t* __restrict__ labels,
                               std::int64_t n, int d, int k, double doubt, unsigned long long* listed, std::int64_t* list, double* least_of_block) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  double least = 0;
  if (i < n) {
    double best_dist = cuda::infinity<double>, second_dist = cuda::infinity<double>;
    int best = 0;
    for (int c0 = 0; c0 < k; c0 += centroids_at_once) {
      double dist[centroids_at_once] = {};
      for (int j = 0; j < d; ++j) {
        const double x = points[j * n + i];
#pragma unroll
        for (int v = 0; v < centroids_at_once; ++v) {
          const int c = c0 + v < k ? c0 + v : k - 1;  // repeats the last centroid, unused
          const double diff = x - centroids[std::int64_t(c) * d + j];
          dist[v] += diff * diff;
        }
      }
#pragma unroll
      for (int v = 0; v < centroids_at_once; ++v) {
        if (c0 + v >= k) break;
        if (dist[v] < best_dist) second_dist = best_dist, best_dist = dist[v], best = c0 + v;
        else if (dist[v] < second_dist) second_dist = dist[v];
      }
    }
    if (labels[i] == best && (k == 1 || second_dist - best_dist > doubt * (best_dist + second_dist))) least = best_dist;
    else list[atomicAdd(listed, 1ull)] = i;
  }
  least = block_sum(least);
  if (threadIdx.x == 0) least_of_block[blockIdx.x] = least;
}

/// Decides the points first + open[...] exactly.
template <class T>
void settle(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, Distance form, std::int64_t first,
            const std::vector<std::int64_t>& open, LabelCheck& all) {
#pragma omp parallel
  {
    LabelCheck mine;
#pragma omp for schedule(dynamic, 64)
    for (std::size_t at = 0; at < open.size(); ++at) {
      const std::int64_t i = first + open[at];
      mine.add(check_label(p, i, labels[static_cast<std::size_t>(i)], centroids, form));
    }
#pragma omp critical(km_judge_labels)
    all.add(mine);
  }
}

}  // namespace

void set_judge_budget(std::int64_t bytes) {
  release_caches();
  budget = bytes;
}

template <class T>
bool check_labels_on_device(const Problem<T>& p, std::span<const std::int32_t> labels, std::span<const T> centroids, Distance form, LabelCheck& out) {
  return on_device([&] {
    const cuda::Stream stream;
    const auto device_centroids = doubles(centroids, stream);
    LabelCheck all;
    for_columns(p, stream, [&](const T* columns, std::int64_t first, std::int64_t n) {
      cuda::Buffer<std::int32_t> device_labels(n);
      cuda::upload(device_labels, labels.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(n)), stream);
      auto listed = zeros<unsigned long long>(1, stream);
      cuda::Buffer<std::int64_t> list(n);
      const unsigned blocks = cuda::blocks(n, threads);
      cuda::Buffer<double> least(blocks);
      look_at_labels<<<blocks, threads, 0, stream>>>(columns, device_centroids.data(), device_labels.data(), n, p.d, p.k, fp64_doubt(p.d),
                                                     listed.data(), list.data(), least.data());
      cuda::check_launch();
      const auto doubtful = static_cast<std::int64_t>(fetched(listed, stream)[0]);
      all.judged += n - doubtful;
      for (const double part : fetched(least, stream)) all.least += part;
      settle(p, labels, centroids, form, first, fetched(list, stream, doubtful), all);
    });
    out = all;
  });
}

template bool check_labels_on_device(const Problem<float>&, std::span<const std::int32_t>, std::span<const float>, Distance, LabelCheck&);
template bool check_labels_on_device(const Problem<double>&, std::span<const std::int32_t>, std::span<const double>, Distance, LabelCheck&);

}  // namespace km
