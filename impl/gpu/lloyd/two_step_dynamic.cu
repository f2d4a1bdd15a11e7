// he2021's two-step update with its second improvement, dynamic parallelism (Section 3.3.2, Listing 5). A parent kernel per step launches one kernel
// per package, as the host does in two_step_shared. All children use the default stream of their parent's block and run one after the other: with
// many small packages most of the card idles. The work per package and its kernels are two_step_shared's (two_step_kernels.cuh).
// Needs relocatable device code (-rdc=true, cudadevrt).
#include "impl/gpu/lloyd/two_step_kernels.cuh"

namespace km::two_step_dynamic {  // named, for relocatable device code

using two_step::PackageSums;

constexpr int parent_threads = 32;

/// Step 1's parent, on the block's default stream.
template <class T, int BSYD>
__global__ void sum_packages(const T* points, const std::int32_t* labels, std::int64_t n, int d, int k, dim3 block, int shared, int tiles,
                             PackageSums<T> out, int* failure) {
  two_step::launch_sums<T, BSYD>(points, labels, n, d, k, block, shared, tiles, out, failure, nullptr);
}

/// Step 2's parent.
template <class T>
__global__ void add_packages(PackageSums<T> package_sums, int d, int k, int block, T* sums, unsigned* counts, int* failure) {
  two_step::launch_additions(package_sums, d, k, block, sums, counts, failure, nullptr);
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
