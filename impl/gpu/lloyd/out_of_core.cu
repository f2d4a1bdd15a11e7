// lutz2018, Section 5: points that exceed the GPU's memory, in chunks. One chunk is copied into page-locked memory, another is on the bus, and a
// third is labelled and summed. Sums and counts stay on the device. Points are sent again in every iteration, as in Section 6.2.7, except chunks that
// `resident` keeps on the device. The CPU may process some chunks in place; its sums are added to the GPU's.
// Cost of an iteration: the points over the bus once. Limit: the bus, or with staged copies the host's memory.
#include <future>

#include "impl/cpu/lloyd/out_of_core.hpp"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/lloyd/out_of_core_card.cuh"

namespace km {
namespace {

using out_of_core::fetched, out_of_core::Sums;

__global__ void add(double* sums, const double* more_sums, std::int64_t cells, unsigned long long* counts, const std::int64_t* more_counts, int k) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < cells) sums[at] += more_sums[at];
  if (at < k) counts[at] += static_cast<unsigned long long>(more_counts[at]);
}

template <class T>
class OutOfCore {
 public:
  OutOfCore(const Problem<T>& problem, const Config& config, Trace& trace)
      : p_(problem), chunking_(problem, config, sizeof(T), config.number("cpu_share")), cells_(std::int64_t(problem.k) * problem.d),
        threads_(out_of_core::threads_of(config)), card_(problem, 0, chunking_, config, threads_, trace), initial_(cells_), assigned_(cells_),
        next_(cells_), cpu_labels_(static_cast<std::size_t>(p_.n - chunking_.n)) {
    locked_ = out_of_core::locked(card_.sent(), config);
  }

  void reset() {
    cuda::upload(initial_, p_.initial_centroids, stream());
    card_.reset();
    std::fill(cpu_labels_.begin(), cpu_labels_.end(), no_label - 1);
    cuda::poison(stream(), assigned_, next_);
    stream().synchronize();
  }

  int iterate(Trace& trace) {
    cuda::check(cudaMemcpyAsync(next_.data(), initial_.data(), initial_.bytes(), cudaMemcpyDeviceToDevice, stream()));
    card_.begin();
    std::fill(cpu_labels_.begin(), cpu_labels_.end(), no_label);  // every point changes at first
    typename out_of_core::Card<T>::Pass pass(card_.uploads(), trace);
    for (iters_ = 1;; ++iters_) {
      std::swap(assigned_, next_);
      trace.begin_iteration();
      auto cpu = begin_cpu();
      card_.process(pass, trace, assigned_.data());
      const std::int64_t cpu_changed = cpu.valid() ? add_cpu(cpu.get()) : 0;
      enqueue_average(card_.sums(), card_.counts(), assigned_.data(), p_.d, next_.data(), stream());
      if (iters_ == p_.max_iters) break;
      if (p_.tolerance >= 0 && p_.converged(card_.changed() + cpu_changed)) break;
    }
    card_.finish();
    return iters_;
  }

  Solution<T> download() {
    Solution<T> out;
    out.labels.resize(static_cast<std::size_t>(p_.n));
    card_.download_labels(out.labels.data());
    std::copy(cpu_labels_.begin(), cpu_labels_.end(), out.labels.begin() + chunking_.n);
    out.assigned_centroids = fetched(assigned_, stream());
    out.centroids = fetched(next_, stream());
    out.iters = iters_;
    return out;
  }

 private:
  const cuda::Stream& stream() const { return card_.stream(); }

  /// Starts the CPU's chunks on other threads.
  std::future<Sums> begin_cpu() {
    if (cpu_labels_.empty()) return {};
    return std::async(std::launch::async, [this, centroids = fetched(assigned_, stream())] {
      Sums out{std::vector<double>(static_cast<std::size_t>(cells_)), std::vector<std::int64_t>(static_cast<std::size_t>(p_.k))};
      out.changed = label_and_sum(p_.points.data() + chunking_.n * p_.d, p_.n - chunking_.n, p_.d, p_.k, centroids.data(), cpu_labels_.data(),
                                  out.sums.data(), out.counts.data(), threads_);
      return out;
    });
  }

  /// Returns the number of labels changed on the CPU.
  std::int64_t add_cpu(const Sums& cpu) {
    cuda::Buffer<double> sums(cells_);
    cuda::Buffer<std::int64_t> counts(p_.k);
    cuda::upload(sums, std::span(cpu.sums), stream());
    cuda::upload(counts, std::span(cpu.counts), stream());
    add<<<cuda::blocks(cells_, 256), 256, 0, stream()>>>(card_.sums().data(), sums.data(), cells_, card_.counts().data(), counts.data(), p_.k);
    cuda::check_launch();
    stream().synchronize();
    return cpu.changed;
  }

  Problem<T> p_;  // views
  out_of_core::Chunking chunking_;
  std::int64_t cells_;
  int threads_, iters_ = 0;
  std::optional<cuda::PageLock> locked_;
  out_of_core::Card<T> card_;
  cuda::Buffer<T> initial_, assigned_, next_;
  std::vector<std::int32_t> cpu_labels_;
};

const Register<OutOfCore> registration{{
    .summary = "points sent in chunks anew every iteration, while the chunk before is labelled and summed",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters =
        [] {
          auto all = out_of_core::parameters();
          all.push_back({.name = "cpu_share", .fallback = 0, .range = {0, 25, 100}, .help = "percentage of chunks for the CPU"});
          return all;
        }(),
    .unsupported = out_of_core::refusal,
    .summation_depth = out_of_core::summation_depth,
}};

}  // namespace
}  // namespace km
