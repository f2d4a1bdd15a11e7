// Cross-processing (lutz2018, Figure 1 and Section 6.2.3: common before it). The GPU assigns points and downloads the labels; the CPU updates from
// its own copy of the points and uploads the centroids. The paper's other strategies avoid the transfer of labels and the update on the CPU.
// Cost of an iteration: points read once by each device; 4 n bytes down the bus, k d values up.
#include "impl/gpu/host_means.hpp"
#include "impl/gpu/lloyd/column_assign.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

template <class T>
class CrossProcessing : public cuda::OnLloyd<T> {
 public:
  CrossProcessing(const Problem<T>& problem, const Config& config, Trace& trace)
      : cuda::OnLloyd<T>(problem, trace, cuda::Layout::columns), p_(problem), block_(config.integer("block")), labels_(problem.n),
        before_(std::int64_t(problem.k) * problem.d), next_(std::int64_t(problem.k) * problem.d) {}

  int iterate(Trace& trace) {
    return lloyd_.run(
        trace,
        {{"assign", [this] { assign(); }}, {"transfer", [this] { fetch(); }}, {"update", [this] { update(); }}, {"transfer", [this] { send(); }}});
  }

 private:
  using cuda::OnLloyd<T>::lloyd_, cuda::OnLloyd<T>::points_;

  void assign() { lutz::assign(points_.data(), lloyd_.assigned(), p_.n, p_.d, p_.k, block_, lloyd_.labels(), lloyd_.changed(), lloyd_.stream()); }

  void fetch() {
    cuda::check(cudaMemcpyAsync(labels_.data(), lloyd_.labels(), p_.n * sizeof(std::int32_t), cudaMemcpyDeviceToHost, lloyd_.stream()));
    cuda::check(cudaMemcpyAsync(before_.data(), lloyd_.assigned(), before_.size() * sizeof(T), cudaMemcpyDeviceToHost, lloyd_.stream()));
    lloyd_.stream().synchronize();
  }

  void update() { means_.update(p_, labels_.data(), before_.data(), next_.data(), omp_get_max_threads()); }

  void send() { cuda::check(cudaMemcpyAsync(lloyd_.next(), next_.data(), next_.size() * sizeof(T), cudaMemcpyHostToDevice, lloyd_.stream())); }

  Problem<T> p_;  // views
  int block_;
  cuda::PinnedBuffer<std::int32_t> labels_;
  cuda::PinnedBuffer<T> before_, next_;
  HostMeans<T> means_;
};

const Register<CrossProcessing> registration{{
    .summary = "assigned on the GPU, labels over the bus, updated on the CPU",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters = {tunable("block", 128, {32, 64, 128, 256}, "threads of a block, a multiple of 32")},
    .unsupported = [](const ProblemShape&, const Config& config, int) -> std::string {
      return config.integer("block") % 32 != 0 ? "block is not a multiple of 32" : "";
    },
}};

}  // namespace
}  // namespace km
