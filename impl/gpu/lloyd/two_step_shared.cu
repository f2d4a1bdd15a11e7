// he2021's two-step update with its first improvement, shared memory (Section 3.3.2, Listing 5's child kernel). A block sums a tile of points in
// shared memory. Global memory then sees one atomicAdd per cluster, dimension and tile instead of one per value. Packages of points are summed
// separately and then added, so that no long sum swallows small terms. The host launches one kernel per package. Assign: Listing 2.
// Cost of an iteration: points and labels read twice, up to n d min(k, bsxp) / bsxp atomicAdds, 2 launches per package.
// Differences from the paper's code: counts are per package; sums of different packages and dimensions lie in different cache lines, for atomicAdds.
#include "impl/gpu/lloyd/two_step_kernels.cuh"

namespace km {
namespace {

using two_step::Package;

template <class T>
struct TwoStepShared : two_step::State<T> {
  using two_step::State<T>::State;
  void update() override {
    const auto [n, d, k, max_iters, tolerance] = this->lloyd.shape();
    const cudaStream_t stream = this->lloyd.stream();
    this->clear();
    two_step::with_rows(this->bsyd, [&](auto BSYD) {
      for (int index = 0; index < this->packages; ++index) {
        const Package package = two_step::package_at(n, this->packages, index);
        if (package.length == 0) continue;
        const dim3 grid(cuda::blocks(package.length, std::int64_t(this->bsxp) * this->tiles), cuda::blocks(d, this->bsyd));
        two_step::sum_package<T, decltype(BSYD)::value>
            <<<grid, this->block1(), this->shared_bytes(), stream>>>(this->points.data(), this->lloyd.labels(), n, d, k, package, index, this->tiles,
                                                                     this->of_packages());
        cuda::check_launch();
      }
    });
    for (int index = 0; index < this->packages; ++index) {
      two_step::add_package<<<cuda::blocks(this->sums.size(), this->block2), this->block2, 0, stream>>>(this->of_packages(), index, d, k,
                                                                                                        this->sums.data(), this->counts.data());
      cuda::check_launch();
    }
    this->average();
  }
};

const Register<TwoStepShared> registration{two_step::description("packages summed in shared memory, one launch a package from the host")};

}  // namespace
}  // namespace km
