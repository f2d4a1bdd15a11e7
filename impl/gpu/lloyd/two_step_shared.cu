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
class TwoStepShared {
 public:
  TwoStepShared(const Problem<T>& problem, const Config& config, Trace& trace) : s_(problem, config, trace) {}

  void reset() { s_.lloyd.reset(); }
  int iterate(Trace& trace) {
    return s_.lloyd.run(trace, {{"assign", [this] { two_step::enqueue_assign(s_.lloyd, s_.points.data(), s_.bsxn); }},
                                {"update", [this] { launch_update(); }},
                                {"transpose", [this] { s_.transpose(); }}});
  }
  Solution<T> download() { return s_.lloyd.download(); }

 private:
  void launch_update() {
    const auto [n, d, k, max_iters, tolerance] = s_.lloyd.shape();
    const cudaStream_t stream = s_.lloyd.stream();
    s_.clear();
    two_step::with_rows(s_.bsyd, [&](auto BSYD) {
      for (int index = 0; index < s_.packages; ++index) {
        const Package package = two_step::package_at(n, s_.packages, index);
        if (package.length == 0) continue;
        const dim3 grid(cuda::blocks(package.length, std::int64_t(s_.bsxp) * s_.tiles), cuda::blocks(d, s_.bsyd));
        two_step::sum_package<T, decltype(BSYD)::value><<<grid, s_.block1(), s_.shared_bytes(), stream>>>(s_.points.data(), s_.lloyd.labels(), n, d,
                                                                                                          k, package, index, s_.tiles,
                                                                                                          s_.of_packages());
        cuda::check_launch();
      }
    });
    for (int index = 0; index < s_.packages; ++index) {
      two_step::add_package<<<cuda::blocks(s_.sums.size(), s_.block2), s_.block2, 0, stream>>>(s_.of_packages(), index, d, k, s_.sums.data(),
                                                                                               s_.counts.data());
      cuda::check_launch();
    }
    s_.average();
  }

  two_step::State<T> s_;
};

const Register<TwoStepShared> registration{two_step::description("packages summed in shared memory, one launch a package from the host")};

}  // namespace
}  // namespace km
