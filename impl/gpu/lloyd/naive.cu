// he2021's starting point on the GPU (Section 4.1, Figure 3: "our naive implementation with many atomicAdd"). It has one thread per point, and one
// atomicAdd per value in the update. All threads contend for k * d addresses, and sums grow value by value: worst speed and rounding of the ladder.
// Cost of an iteration: points and labels read twice, n d atomicAdds.
#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/lloyd/two_step_assign.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

/// One thread per value of the centroids. An empty cluster keeps its centroid.
template <class T>
__global__ void average(const T* sums, const unsigned* counts, const T* centroids, int d, int k, T* next) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at >= std::int64_t(k) * d) return;
  const int c = static_cast<int>(at / d), j = static_cast<int>(at % d);
  next[at] = counts[c] > 0 ? sums[std::int64_t(j) * k + c] / static_cast<T>(counts[c]) : centroids[at];
}

template <class T>
class Naive : public cuda::TwoSteps<T> {
 public:
  Naive(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::TwoSteps<T>(problem, trace, cuda::Layout::columns), sums_(std::int64_t(problem.k) * problem.d), counts_(problem.k),
        block_(config.integer("block")) {}

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() override { two_step::enqueue_assign(lloyd_, points_.data(), block_); }
  void update() override {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    const auto& stream = lloyd_.stream();
    cuda::clear(stream, sums_, counts_);
    add_points<<<cuda::blocks(n, block_), block_, 0, stream>>>(points_.data(), lloyd_.labels(), n, d, k, sums_.data(), counts_.data());
    cuda::check_launch();
    average<<<cuda::blocks(sums_.size(), 256), 256, 0, stream>>>(sums_.data(), counts_.data(), lloyd_.assigned(), d, k, lloyd_.next());
    cuda::check_launch();
  }

  cuda::Buffer<T> sums_;
  cuda::Buffer<unsigned> counts_;
  int block_;
};

const Register<Naive> registration{{
    .summary = "a thread a point; the update is one atomicAdd a value",
    .paper = "he2021",
    .device = Device::gpu,
    .parameters = {tunable("block", 128, {32, 64, 128, 256}, "threads of a block")},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return counts_overflow(p); },
}};

}  // namespace
}  // namespace km
