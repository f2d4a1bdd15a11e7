// The kernels of pass.cuh. Cost of an iteration on each of R cards: n / R (d s + 1) bytes read; sums of all blocks to L2. A meeting: R stores of the
// sums over NVLink, one flag each way, and R loads from the card's own memory.
#include "impl/gpu/many/pass.cuh"

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/last_block.cuh"

namespace km::many {
namespace {

using namespace register_tiles;

/// Replaces this card's sums by those of all cards, added in order of ranks. One block of each card calls it.
__device__ void meet(const Meeting& m, Bits* sums, int size) {
  __shared__ Bits epoch;
  const int t = threadIdx.x, block = blockDim.x;
  if (t == 0) epoch = ++*m.epoch;
  __syncthreads();
  m.send(epoch, sums, size);
  m.wait(epoch);
  for (int at = t; at < size; at += block) sums[at] = m.sum(epoch, size, at);
  __syncthreads();
}

/// Adds the reduced sums to the totals, makes means of these, and clears the sums. One block. An empty cluster keeps its centroid.
template <class T>
__device__ void make_means(const Run<T>& r, const Turn<T>& turn, int width, Bits* sums) {
  const int t = threadIdx.x, block = blockDim.x, cells = r.k * width, summed = (words<T> + 1) * cells + r.k;
  for (int at = t; at < summed; at += block) turn.totals[at] = (turn.fresh ? 0 : turn.totals[at]) + __ldcg(sums + at);
  if (t == 0) *turn.changed = __ldcg(sums + summed + changed_at);
  __syncthreads();
  for (int at = t; at < r.k * r.d; at += block) {
    const int c = at / r.d, j = at % r.d, cell = c * width + j;
    r.limb_format.carry(turn.totals[cell], turn.totals[words<T> * cells + cell]);
    double sum = double((long long)(turn.totals[words<T> * cells + cell])) * r.limb_format.rest[j];
#pragma unroll
    for (int w = words<T> - 1; w >= 0; --w) sum += double((long long)(turn.totals[w * cells + cell])) * r.limb_format.unit[w][j];
    const long long count = turn.totals[(words<T> + 1) * cells + c];
    turn.next[at] = count > 0 ? static_cast<T>(double(r.origin[j]) + sum / double(count)) : turn.assigned[at];
  }
  for (int at = t; at < summed + counters; at += block) sums[at] = 0;
}

/// P: points per lane. Group: rows per key. Threads: at most.
template <class T, int D, int P, int Group, class Label, int Threads>
__global__ void __launch_bounds__(Threads, 1)
    label_and_sum(const __grid_constant__ Run<T> r, const __grid_constant__ Turn<T> turn, const __grid_constant__ Meeting meeting) {
  extern __shared__ __align__(16) unsigned char shared[];
  const BlockCounts here = counts_of_block();
  const int cells = r.k * D;
  Block<T, D, Group, false> b(r, shared);
  Table<T, D> table = b.table(here);
  table.rest = r.changes + words<T> * cells;
  b.begin(turn.assigned, table, here);
  b.template label<P, 0, Label>(table, r.changes, here, turn.fresh, turn.forward, turn.last);
  if (threadIdx.x == 0 && here.moved > 0) atomicAdd(r.changes + (words<T> + 1) * cells + r.k + changed_at, Bits(here.moved));
  if (meeting.size == 0 || !cuda::is_last_block(turn.done)) return;
  meet(meeting, r.changes, sums_of<T>(cells, r.k));
  make_means(r, turn, D, r.changes);
}

template <class T>
__global__ void means_of_all(const __grid_constant__ Run<T> r, const __grid_constant__ Turn<T> turn, int width) {
  make_means(r, turn, width, r.changes);
}

template <class Label>
__global__ void widen_labels(const Label* from, std::int64_t n, std::int32_t* to) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < n) to[at] = from[at];
}

}  // namespace

template <class T>
Kernel pass_kernel(int d, int k) {
  return kernel_of_width<T>(d, k, [](auto width, auto group) {
    constexpr int D = decltype(width)::value, Group = decltype(group)::value;
    constexpr auto launch = launch_of<T>(D, Group);
    return describe<T, D, Group, LabelOf<T>, SharedLayout<T, D, Group, false>>(label_and_sum<T, D, launch.points, Group, LabelOf<T>, launch.threads>);
  });
}

template <class T>
void enqueue_means(const Run<T>& run, const Turn<T>& turn, int width, cudaStream_t stream) {
  means_of_all<<<1, 512, 0, stream>>>(run, turn, width);
  cuda::check_launch();
}

template <class T>
void enqueue_labels(const Run<T>& run, int label_bytes, cudaStream_t stream) {
  if (run.n == 0) return;
  const unsigned grid = cuda::blocks(run.n, 256);
  if (label_bytes == 1) widen_labels<<<grid, 256, 0, stream>>>(static_cast<const std::uint8_t*>(run.labels), run.n, run.labels_out);
  else widen_labels<<<grid, 256, 0, stream>>>(static_cast<const std::uint16_t*>(run.labels), run.n, run.labels_out);
  cuda::check_launch();
}

void load_kernels(const Kernel& kernel, std::size_t shared_bytes) {
  cudaFuncAttributes unused{};
  cuda::check(cudaFuncGetAttributes(&unused, means_of_all<float>));
  cuda::check(cudaFuncGetAttributes(&unused, means_of_all<double>));
  cuda::check(cudaFuncGetAttributes(&unused, widen_labels<std::uint8_t>));
  cuda::check(cudaFuncGetAttributes(&unused, widen_labels<std::uint16_t>));
  cuda::allow_shared(kernel.entry, std::int64_t(shared_bytes));
  cuda::check(cudaFuncGetAttributes(&unused, kernel.entry));
}

#define KM_INSTANTIATE(T)                                                           \
  template Kernel pass_kernel<T>(int, int);                                         \
  template void enqueue_means<T>(const Run<T>&, const Turn<T>&, int, cudaStream_t); \
  template void enqueue_labels<T>(const Run<T>&, int, cudaStream_t);
KM_INSTANTIATE(float)
KM_INSTANTIATE(double)
#undef KM_INSTANTIATE

}  // namespace km::many
