// wu2011's reinforced k-means with ICD, RID and update on the card, the paper's future work (Section VI). In epoch 2 the points are sorted by label
// and then by decreasing M, so that most warps have one label and equal work. A warp takes 64 points, two per thread. For each label among them it
// goes through the ranked centroids, two at a time, for all its points, until none is below its cut-off. Every load serves 128 distances, and
// threads do not diverge. Centroids beyond a point's own cut-off cost time and change nothing. If a warp's labels would need more than k centroids,
// it takes all k in order, and so is never slower than the standard kernel. Only two counters per iteration are copied, in epoch 1.
// Cost of an iteration: n k' distances of 2 d instructions; points and labels read once, the points again by the update (sorted_sums); ranking
// (device_ranks.cuh). Floor: n k' d 2 instructions.
// Limit: 8192 clusters, whose ranks fill shared memory. With few points per label, few warps have a single label.
#include <algorithm>
#include <bit>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/sorted_sums.cuh"
#include "impl/gpu/registration.hpp"
#include "impl/gpu/triangle/cutoff.hpp"
#include "impl/gpu/triangle/device_ranks.cuh"
#include "impl/gpu/triangle/order.cuh"
#include "impl/triangle/work.hpp"

namespace km {
namespace {

using triangle::Cutoff, triangle::Ranked;

constexpr int block = 128;

/// Counters of one labeling, optional.
struct Work {
  unsigned long long distances, in_step;  // M; M if every warp of 32 points waited for its slowest
};

/// P points of a thread, 32 apart, in registers if D is known.
template <class T, int D, int P>
struct Points {
  T x[P][D > 0 ? D : 1];
  const T* row[P];
  int d;
  __device__ void load() {
    if constexpr (D > 0) {
      constexpr int width = cuda::Pack<T>::size;
#pragma unroll
      for (int p = 0; p < P; ++p)
#pragma unroll
        for (int j = 0; j < D; j += width) {
          const auto values = *reinterpret_cast<const cuda::Pack<T>*>(row[p] + j);
#pragma unroll
          for (int u = 0; u < width; ++u) x[p][j + u] = values.at[u];
        }
    }
  }
  /// Distances² to two centroids, each summed in order of dimensions as in distance().
  __device__ __forceinline__ void distances(const T* __restrict__ a, const T* __restrict__ b, T (&to_a)[P], T (&to_b)[P]) const {
#pragma unroll
    for (int p = 0; p < P; ++p) to_a[p] = to_b[p] = 0;
    if constexpr (D > 0) {
      constexpr int width = cuda::Pack<T>::size;
#pragma unroll
      for (int j = 0; j < D; j += width) {
        const auto of_a = *reinterpret_cast<const cuda::Pack<T>*>(a + j), of_b = *reinterpret_cast<const cuda::Pack<T>*>(b + j);
#pragma unroll
        for (int u = 0; u < width; ++u)
#pragma unroll
          for (int p = 0; p < P; ++p) {
            const T diff_a = x[p][j + u] - of_a.at[u], diff_b = x[p][j + u] - of_b.at[u];
            to_a[p] += diff_a * diff_a;
            to_b[p] += diff_b * diff_b;
          }
      }
    } else {
#pragma unroll
      for (int p = 0; p < P; ++p) to_a[p] = distance(p, a), to_b[p] = distance(p, b);
    }
  }
  __device__ T distance(int p, const T* __restrict__ centroid) const {
    if constexpr (D > 0) {
      return cuda::distance<D>(x[p], centroid);
    } else {
      return cuda::squares<T>(d, [&](int j) { return row[p][j] - centroid[j]; });
    }
  }
};

/// Returns how many centroids of a row are within a cut-off, itself included.
template <class T>
__device__ int reach(const Ranked<T>* row, int k, T limit) {
  int below = 1;
  for (int above = k; below < above;) {
    const int middle = (below + above) / 2;
    if (row[middle].dist > limit) above = middle;
    else below = middle + 1;
  }
  return below;
}

/// points: n x d in processing order, as are labels and m. ranks: k x k. m, work: optional.
template <class T, int D, int P>
__global__ void __launch_bounds__(block)
    label(const T* __restrict__ points, const T* __restrict__ centroids, const Ranked<T>* __restrict__ ranks, std::int64_t n, int d, int k,
          Cutoff<T> cutoff, std::int32_t* labels, unsigned long long* changed, unsigned* m, Work* work) {
  constexpr unsigned all = 0xFFFFFFFF;
  const int lane = threadIdx.x % 32;
  const std::int64_t first = (std::int64_t(blockIdx.x) * (block / 32) + threadIdx.x / 32) * 32 * P + lane;
  if (first - lane >= n) return;
  Points<T, D, P> x;
  x.d = d;
  std::int32_t old[P], own[P], best[P];
  T best_dist[P], limit[P];
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const std::int64_t i = min(first + 32 * p, n - 1);  // beyond the end: repeats the last point
    x.row[p] = points + i * d;
    old[p] = labels[i];
    best[p] = own[p] = max(old[p], 0);  // a point without a label starts with centroid 0
  }
  x.load();
#pragma unroll
  for (int p = 0; p < P; ++p) {
    best_dist[p] = x.distance(p, centroids + std::int64_t(own[p]) * d);
    limit[p] = cutoff(best_dist[p]);
  }

  // Calls f with each of the warp's labels and the largest cut-off of its points, until f returns true.
  const auto for_labels = [&](auto f) {
    unsigned done = 0;  // one bit per point
    while (const unsigned waiting = __ballot_sync(all, done != (1u << P) - 1)) {
      std::int32_t mine = own[0];
#pragma unroll
      for (int p = 1; p < P; ++p)
        if (done & (1u << (p - 1)) && !(done & (1u << p))) mine = own[p];
      const std::int32_t c = __shfl_sync(all, mine, __ffs(waiting) - 1);
      T most = 0;
#pragma unroll
      for (int p = 0; p < P; ++p)
        if (own[p] == c) most = max(most, limit[p]), done |= 1u << p;
      if (f(c, cuda::max_over_warp(most))) return;
    }
  };
  const auto try_two = [&](int a, int b) {
    T to_a[P], to_b[P];
    x.distances(centroids + std::int64_t(a) * d, centroids + std::int64_t(b) * d, to_a, to_b);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      if (to_a[p] < best_dist[p] || (to_a[p] == best_dist[p] && a < best[p])) best_dist[p] = to_a[p], best[p] = a;
      if (to_b[p] < best_dist[p] || (to_b[p] == best_dist[p] && b < best[p])) best_dist[p] = to_b[p], best[p] = b;
    }
  };

  bool alike = true;
  const std::int32_t leader = __shfl_sync(all, own[0], 0);
#pragma unroll
  for (int p = 0; p < P; ++p) alike &= own[p] == leader;
  int length = 0;
  if (!__all_sync(all, alike)) for_labels([&](int c, T most) { return (length += reach(ranks + std::int64_t(c) * k, k, most)) >= k; });
  if (length < k) {
    for_labels([&](int c, T most) {
      const Ranked<T>* const row = ranks + std::int64_t(c) * k;
      Ranked<T> a = row[min(1, k - 1)], b = row[min(2, k - 1)];
      for (int rank = 1; rank < k && !(a.dist > most); rank += 2) {
        const Ranked<T> next_a = row[min(rank + 2, k - 1)], next_b = row[min(rank + 3, k - 1)];
        try_two(a.c, b.c);
        a = next_a, b = next_b;
      }
      return false;
    });
  } else {
    for (int c = 0; c < k; c += 2) try_two(c, min(c + 1, k - 1));
  }

  unsigned moved = 0;
#pragma unroll
  for (int p = 0; p < P; ++p) {
    const std::int64_t i = first + 32 * p;
    const bool inside = i < n;
    if (inside && old[p] != best[p]) labels[i] = best[p], ++moved;
    if (work) {
      const unsigned made = inside ? reach(ranks + std::int64_t(own[p]) * k, k, limit[p]) : 0;
      if (inside) m[i] = made;
      const unsigned sum = __reduce_add_sync(all, made), slowest = __reduce_max_sync(all, made);
      const int inside_here = __popc(__ballot_sync(all, inside));
      if (lane == 0 && inside) atomicAdd(&work->distances, sum), atomicAdd(&work->in_step, std::uint64_t(slowest) * inside_here);
    }
  }
  cuda::add_of_warp(changed, moved);
}

/// Sort key: labels together, decreasing work within a label.
__global__ void label_and_work(const std::int32_t* __restrict__ labels, std::int64_t n, int k, unsigned* m) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) m[i] += unsigned(labels[i]) * (k + 1u);
}

template <class T>
class ReinforcedDevice {
 public:
  ReinforcedDevice(const Problem<T>& problem, const Config& config, Trace& trace)
      : lloyd_(problem, trace), update_(problem, config.integer("grid")), ranks_(problem.d, problem.k), cutoff_(problem.d), m_(problem.n), work_(1),
        host_work_(1), two_epochs_(config.word("rearrange") == "two_epoch"), given_(cuda::upload_rows(problem, trace, lloyd_.stream())),
        order_(two_epochs_ ? problem.n : 0) {
    if (two_epochs_) arranged_ = cuda::Buffer<T>(problem.n * problem.d), arranged_labels_ = cuda::Buffer<std::int32_t>(problem.n);
  }

  void reset() { lloyd_.reset(); }
  int iterate(Trace& trace) {
    points_ = given_.data(), labels_ = lloyd_.labels();
    first_epoch_ = two_epochs_;
    mean_before_ = iters_ = 0;
    const int iters = lloyd_.run(trace, {{"assign", [&] { assign(trace); }},
                                         {"update", [this] { update_.enqueue(points_, labels_, lloyd_.assigned(), lloyd_.next(), lloyd_.stream()); }},
                                         {"rearrange", [&] { end_iteration(trace); }},
                                         {"icd_rid", [this] { rank(); }}});
    if (labels_ == lloyd_.labels()) return iters;
    const auto& shape = lloyd_.shape();
    triangle::scatter<<<cuda::blocks(shape.n, 256), 256, 0, lloyd_.stream()>>>(labels_, order_.data(), shape.n, lloyd_.labels());
    cuda::check_launch();
    lloyd_.stream().synchronize();
    return iters;
  }
  Solution<T> download() { return lloyd_.download(); }

 private:
  void assign(const Trace& trace) {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const bool wanted = first_epoch_ || trace.active();
    if (wanted) cuda::clear(lloyd_.stream(), work_);
    if (++iters_ == 1) ranks_.enqueue(lloyd_.assigned(), lloyd_.stream());
    with_dimension<32>(d, [&](auto D) {
      constexpr int points = decltype(D)::value > 0 && sizeof(T) == 4 ? 2 : 1;
      label<T, decltype(D)::value, points>
          <<<cuda::blocks(n, block * points), block, 0, lloyd_.stream()>>>(points_, lloyd_.assigned(), ranks_.data(), n, d, k, cutoff_, labels_,
                                                                           lloyd_.changed(), m_.data(), wanted ? work_.data() : nullptr);
    });
    cuda::check_launch();
  }

  /// Counts, and ends epoch 1 when the mean M is steady.
  void end_iteration(Trace& trace) {
    if (!first_epoch_ && !trace.active()) return;
    const auto& [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const cudaStream_t stream = lloyd_.stream();
    cuda::check(cudaMemcpyAsync(host_work_.data(), work_.data(), work_.bytes(), cudaMemcpyDeviceToHost, stream));
    lloyd_.stream().synchronize();
    const double distances = double(host_work_[0].distances), mean = distances / double(n);
    trace.count("distances", distances);
    trace.count("mean_m", mean);
    trace.count("warp_imbalance", double(host_work_[0].in_step) / distances - 1);
    if (!first_epoch_) return;
    if (const double before = std::exchange(mean_before_, mean); std::abs(mean - before) >= triangle::steady * before) return;
    first_epoch_ = false;
    label_and_work<<<cuda::blocks(n, 256), 256, 0, stream>>>(labels_, n, k, m_.data());
    cuda::check_launch();
    order_.sort(m_.data(), stream);
    triangle::gather_rows<<<cuda::blocks(n * d, 1024), 256, 0, stream>>>(points_, order_.data(), n, d, arranged_.data());
    cuda::check_launch();
    triangle::gather_rows<<<cuda::blocks(n, 256), 256, 0, stream>>>(labels_, order_.data(), n, 1, arranged_labels_.data());
    cuda::check_launch();
    points_ = arranged_.data(), labels_ = arranged_labels_.data();
  }

  /// Ranks the next iteration's centroids.
  void rank() {
    if (iters_ < lloyd_.shape().max_iters) ranks_.enqueue(lloyd_.next(), lloyd_.stream());
  }

  cuda::Lloyd<T> lloyd_;
  sorted_sums::Update<T> update_;
  triangle::DeviceRanks<T> ranks_;
  Cutoff<T> cutoff_;
  cuda::Buffer<unsigned> m_;
  cuda::Buffer<Work> work_;
  cuda::PinnedBuffer<Work> host_work_;
  bool two_epochs_, first_epoch_ = false;
  int iters_ = 0;
  double mean_before_ = 0;
  cuda::Buffer<T> given_, arranged_;
  cuda::Buffer<std::int32_t> arranged_labels_;
  triangle::Order order_;
  const T* points_ = nullptr;       // in processing order
  std::int32_t* labels_ = nullptr;  // in processing order
};

const Register<ReinforcedDevice> registration{{
    .summary = "centroids by rank up to a cut-off, points by label and work; ranks and update on the card",
    .paper = "wu2011",
    .device = Device::gpu,
    .parameters = {tunable("grid", 132, {66, 132, 264, 528}, "blocks of the update; they share the points"),
                   tunable("rearrange", "two_epoch", {"none", "two_epoch"}, "two_epoch: points by label and decreasing M once the mean M is steady")},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.k > triangle::most_ranked) return "more than 8192 clusters: a row of ranked centroids exceeds 128 KiB of shared memory";
      if (p.n > std::numeric_limits<std::int32_t>::max()) return "more than 2^31 points: their order is kept in 32 bits";
      return sorted_sums::unsupported(p);
    },
    .summation_depth = [](const ProblemShape& p, const Config& config) { return sorted_sums::summation_depth(p, config.number("grid")); },
    .work = triangle::least_work,
}};

}  // namespace
}  // namespace km
