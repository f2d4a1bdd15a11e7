// All three filters of Yinyang and an update with one thread per centroid, as in KMCUDA, with which taylor2021 compares (Table IV). Local filter: in
// a group that passed, the group's bound is loosened by a centroid's own drift. If it exceeds the distance to the nearest so far, the centroid is
// skipped. Update: each thread goes through all labels and adds what joined its centroid.
// Additional cost beside gpu/yinyang/group: each lane has its own centroids, one by one, and k threads update n points.
#include "impl/gpu/yinyang/yinyang.cuh"

namespace km {
namespace {

using namespace yinyang;

struct LocalFilter {
  static constexpr bool local = true;
  template <class T>
  static __device__ __forceinline__ Compared<T> compare(const Filters<T>& f, const T* x, int g, T bound, const Two<T>& best, int old, T old_dist) {
    Compared<T> found;
    T least = best.first, cut = f.widening.at_most(least);
    const Stretch stretch = f.all.stretches[g];
    for (int position = stretch.begin; position < stretch.begin + stretch.size; ++position) {
      const int c = f.all.centroid_at[position];
      if (c == old) {  // known, and not covered by the bound
        found.nearest.add(old_dist, c);
        continue;
      }
      if (!f.first) {
        const T own = sum_down(bound, sum_down(f.all.group_drift[g], -f.all.drift[c]));
        if (own > cut) {
          found.skipped = min(found.skipped, own);
          continue;
        }
      }
      const T dist = distance_to(x, f.n, f.all.transposed + position, f.all.pitch, f.d);
      found.nearest.add(dist, c);
      ++found.distances;
      if (dist < least) least = dist, cut = f.widening.at_most(least);
    }
    return found;
  }
};

constexpr int chunk = 1024, update_block = 128;

/// One thread per centroid. A block lists the moved points of a chunk, and each thread picks its own.
template <class T>
__global__ void __launch_bounds__(update_block) gather_moved(const __grid_constant__ MovedSums<T> s) {
  __shared__ int points[chunk], nows[chunk], olds[chunk], size;
  const int c = blockIdx.x * update_block + threadIdx.x;
  int joined = 0;
  for (std::int64_t first = 0; first < s.n; first += chunk) {
    if (threadIdx.x == 0) size = 0;
    __syncthreads();
#pragma unroll
    for (int step = threadIdx.x; step < chunk; step += update_block) {
      const std::int64_t i = first + step;
      const int now = i < s.n ? s.labels[i] : 0, old = i < s.n ? s.before[i] : 0;
      if (now == old) continue;
      const int at = atomicAdd(&size, 1);
      points[at] = step, nows[at] = now, olds[at] = old;
    }
    __syncthreads();
    for (int at = 0; at < size; ++at) {
      const int sign = nows[at] == c ? 1 : olds[at] == c ? -1 : 0;
      if (sign == 0) continue;
      joined += sign;
#pragma unroll 4
      for (int j = 0; j < s.d; ++j) s.add(c, j, sign * double(s.points[j * s.n + first + points[at]]));
    }
    __syncthreads();  // before the list is overwritten
  }
  if (c < s.k) s.counts[c] += joined;
}

struct ByCentroid {
  template <class T>
  static void add(const MovedSums<T>& sums, cudaStream_t stream) {
    gather_moved<<<cuda::blocks(sums.k, update_block), update_block, 0, stream>>>(sums);
    cuda::check_launch();
    cuda::check(cudaMemcpyAsync(sums.before, sums.labels, sums.n * sizeof(std::int32_t), cudaMemcpyDeviceToDevice, stream));
  }
};

template <class T>
struct Local : Yinyang<T, LocalFilter, ByCentroid> {
  Local(const Problem<T>& problem, const Config& config, Trace& trace)
      : Yinyang<T, LocalFilter, ByCentroid>(problem, trace, groups_of(problem, config), is_incremental(config)) {}
};

const Register<Local> registration{description("Yinyang: global, group and local filter, a thread a centroid in the update", true)};

}  // namespace
}  // namespace km
