// benedetti2025's first version of the update, which the appendix compares with Section 3.6's (Listing 6): k blocks of d threads, each going through
// all points. Only d threads per block read at once, so the card is nearly idle, and sums grow value by value. Assign is soa_constant's.
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

/// Listing 6: block c, thread j. A thread adds and counts dimension j of all points of cluster c. An empty cluster keeps its centroid.
template <class T>
__global__ void update_serially(const T* __restrict__ points, const std::int32_t* __restrict__ labels, const T* __restrict__ centroids,
                                std::int64_t n, int k, T* next) {
  const int c = blockIdx.x, j = threadIdx.x;
  T sum = 0;
  unsigned count = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    if (labels[i] == c) {
      sum += points[j * n + i];
      ++count;
    }
  }
  const std::int64_t at = std::int64_t(j) * k + c;
  next[at] = count > 0 ? sum / static_cast<T>(count) : centroids[at];
}

struct ThreadPerValue {
  explicit ThreadPerValue(const Config&) {}
  template <class, class T>
  static void update(cuda::Lloyd<T>& lloyd, const T* points) {
    const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
    update_serially<<<k, d, 0, lloyd.stream()>>>(points, lloyd.labels(), lloyd.assigned(), n, k, lloyd.next());
  }
};

template <class T>
using SoaSerialUpdate = Benedetti<T, Columns, ConstantMemory, ThreadPerValue>;

const Register<SoaSerialUpdate> registration{{
    .summary = "soa_constant with a single thread a centroid value in the update",
    .paper = "benedetti2025",
    .device = Device::gpu,
    .parameters = {assign_block},
    .unsupported = [](const ProblemShape& p, const Config&, int value_bytes) -> std::string {
      if (!ConstantMemory::fits(p, value_bytes)) return "k d values exceed 64 KiB of constant memory";
      if (p.d > 1024) return "d exceeds the 1024 threads of a block";
      return counts_overflow(p);
    },
}};

}  // namespace
}  // namespace km
