// benedetti2025 as in its code: soa_constant with centroids in global memory, without a limit of k d. The code lacks the text's constant memory.
// Cost of an iteration: points read once by assign; labels read k d times.
#include "impl/gpu/lloyd/benedetti.cuh"

namespace km {
namespace {

template <class T, int D, class Layout>
__global__ void assign(const T* __restrict__ points, const T* __restrict__ centroids, std::int64_t n, int d, int k, std::int32_t* __restrict__ labels,
                       unsigned long long* changed) {
  assign_point<T, D, Layout>(points, centroids, n, d, k, labels, changed);
}

struct GlobalMemory {
  template <int D, class Layout, class T>
  static void assign(cuda::Lloyd<T>& lloyd, const T* points, int block) {
    const auto [n, d, k, max_iters, tolerance] = lloyd.shape();
    km::assign<T, D, Layout>
        <<<cuda::blocks(n, block), block, 0, lloyd.stream()>>>(points, lloyd.assigned(), n, d, k, lloyd.labels(), lloyd.changed());
  }
};

template <class T>
using SoaGlobal = Benedetti<T, Columns, GlobalMemory, BlockPerValue>;

const Register<SoaGlobal> registration{block_per_value("structure of arrays, centroids in global memory, an update block a centroid value", false)};

}  // namespace
}  // namespace km
