// taylor2021's GPU-Lloyd: one thread per point compares it with every centroid. The two-part update is that of their Yinyang (means.cuh): n threads
// add moved points atomically, then sums become means. No filters, no bounds.
// Cost of an iteration: n k d differences and FMAs; a point's values read k / 16 times, from cache after the first; moved points once more.
#include "impl/gpu/yinyang/means.cuh"
#include "impl/gpu/yinyang/scan.cuh"

namespace km {
namespace {

template <class T>
__global__ void __launch_bounds__(yinyang::block)
    assign(const T* __restrict__ points, std::int64_t n, int d, yinyang::GroupedView<T> all, std::int32_t* labels, unsigned long long* changed) {
  const std::int64_t i = std::int64_t(blockIdx.x) * yinyang::block + threadIdx.x;
  bool moved = false;
  if (i < n) {
    const int nearest = yinyang::scan(points + i, n, d, all, all.stretches[0]).at, best = nearest == yinyang::nobody ? 0 : nearest;
    moved = labels[i] != best;
    if (moved) labels[i] = best;
  }
  cuda::add_of_block(changed, moved);
}

template <class T>
class Atomic : public cuda::OnLloyd<T> {
 public:
  Atomic(const Problem<T>& problem, const Config&, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::columns), all_(problem.d, problem.k, 1), means_(problem, points_, lloyd_.stream()) {
    all_.arrange(std::vector<int>(problem.k), lloyd_.stream());
  }

  int iterate(Trace& trace) {
    means_.clear(lloyd_.stream());
    first_ = true;
    return lloyd_.run(trace, {{"assign", [this] { launch_assign(); }}, {"update", [this, &trace] { launch_update(trace); }}});
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void launch_assign() {
    const auto [n, d, k, max_iters, tolerance] = lloyd_.shape();
    if (std::exchange(first_, false)) all_.enqueue_turn(lloyd_.assigned(), lloyd_.stream());
    assign<<<cuda::blocks(n, yinyang::block), yinyang::block, 0, lloyd_.stream()>>>(points_.data(), n, d, all_.view(), lloyd_.labels(),
                                                                                    lloyd_.changed());
    cuda::check_launch();
  }
  void launch_update(Trace& trace) { means_.enqueue(trace, lloyd_.labels(), lloyd_.assigned(), lloyd_.next(), all_.view(), lloyd_.stream()); }

  yinyang::Grouped<T> all_;
  yinyang::Means<T> means_;
  bool first_ = true;
};

const Register<Atomic> registration{{
    .summary = "a thread a point; what moved is added to sums in global memory, which a second kernel makes means",
    .paper = "taylor2021",
    .device = Device::gpu,
    .unsupported = [](const ProblemShape& p, const Config&, int) { return yinyang::too_many_points(p); },
    .fixed_point = true,
}};

}  // namespace
}  // namespace km
