// Cross-processing (lutz2018, Figure 1 and Section 6.2.3: common before it). The GPU assigns points and downloads the labels; the CPU updates from
// its own copy of the points and uploads the centroids. The paper's other strategies avoid the transfer of labels and the update on the CPU.
// Cost of an iteration: points read once by each device; 4 n bytes down the bus, k d values up.
#include <vector>

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

  /// Sums per thread in double, then computes means. An empty cluster keeps its centroid.
  void update() {
    const std::int64_t cells = next_.size();
    const T* const points = p_.points.data();
    const std::int32_t* const labels = labels_.data();
    std::vector<double> sums(cells);
    std::vector<std::int64_t> counts(p_.k);
#pragma omp parallel
    {
      std::vector<double> own_sums(cells);
      std::vector<std::int64_t> own_counts(p_.k);
#pragma omp for schedule(static) nowait
      for (std::int64_t i = 0; i < p_.n; ++i) {
        const std::int32_t c = labels[i];
        ++own_counts[c];
        double* const sum = own_sums.data() + std::int64_t(c) * p_.d;
        for (int j = 0; j < p_.d; ++j) sum[j] += points[i * p_.d + j];
      }
#pragma omp critical
      {
        for (std::int64_t at = 0; at < cells; ++at) sums[at] += own_sums[at];
        for (int c = 0; c < p_.k; ++c) counts[c] += own_counts[c];
      }
    }
    for (std::int64_t at = 0; at < cells; ++at) {
      const std::int64_t count = counts[at / p_.d];
      next_[at] = count > 0 ? static_cast<T>(sums[at] / double(count)) : before_[at];
    }
  }

  void send() { cuda::check(cudaMemcpyAsync(lloyd_.next(), next_.data(), next_.size() * sizeof(T), cudaMemcpyHostToDevice, lloyd_.stream())); }

  Problem<T> p_;  // views
  int block_;
  cuda::PinnedBuffer<std::int32_t> labels_;
  cuda::PinnedBuffer<T> before_, next_;
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
