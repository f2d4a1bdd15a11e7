// he2021's two-step update with its second improvement, dynamic parallelism (Section 3.3.2, Listing 5). A parent kernel per step launches one kernel
// per package, as the host does in two_step_shared. All children use the default stream of their parent's block and run one after the other: with
// many small packages most of the card idles. The work per package and its kernels are two_step_shared's (two_step_kernels.cuh).
// Needs relocatable device code (-rdc=true, cudadevrt).
#include "impl/gpu/lloyd/two_step_kernels.cuh"

namespace km::two_step_dynamic {  // named, for relocatable device code

using two_step::Package, two_step::PackageSums;

constexpr int parent_threads = 32;

/// Step 1's parent (Listing 5). A thread launches every blockDim.x-th package on the block's default stream. failure: error of a failed launch.
template <class T, int BSYD>
__global__ void sum_packages(const T* points, const std::int32_t* labels, std::int64_t n, int d, int k, dim3 block, int shared, int tiles,
                             PackageSums<T> out, int* failure) {
  for (int index = threadIdx.x; index < out.packages; index += blockDim.x) {
    const Package package = two_step::package_at(n, out.packages, index);
    if (package.length == 0) continue;
    const dim3 grid(cuda::blocks(package.length, std::int64_t(block.x) * tiles), cuda::blocks(d, block.y));
    two_step::sum_package<T, BSYD><<<grid, block, shared>>>(points, labels, n, d, k, package, index, tiles, out);
    if (const auto code = cudaGetLastError(); code != cudaSuccess) *failure = code;
  }
}

/// Step 2's parent.
template <class T>
__global__ void add_packages(PackageSums<T> package_sums, int d, int k, int block, T* sums, unsigned* counts, int* failure) {
  for (int index = threadIdx.x; index < package_sums.packages; index += blockDim.x) {
    two_step::add_package<<<cuda::blocks(std::int64_t(k) * d, block), block>>>(package_sums, index, d, k, sums, counts);
    if (const auto code = cudaGetLastError(); code != cudaSuccess) *failure = code;
  }
}

namespace {

template <class T>
struct TwoStepDynamic : two_step::NestedState<T> {
  using two_step::NestedState<T>::NestedState;
  void update() override {
    this->enqueue(
        parent_threads, [](auto rows) { return sum_packages<T, decltype(rows)::value>; }, parent_threads, add_packages<T>);
  }
};

const Register<TwoStepDynamic> registration{two_step::description("two_step_shared with its kernels launched by the device, on one stream")};

}  // namespace
}  // namespace km::two_step_dynamic
