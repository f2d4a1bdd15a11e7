// wu2011's Algorithms 1, 2 and 4 as in the paper: the GPU labels, the host does the rest. Each iteration uploads the centroids (with ICD and RID,
// computed on the host) and downloads all labels; the host computes the means. In epoch 1 the reinforced kernel records M, the distances computed
// per point. Epoch 2 starts when the mean M changes by less than 1 % between iterations: the points are sorted by decreasing M, or the standard
// kernel takes over. Labels are mapped back before the download, so that means are summed in a fixed order.
// Cost of an iteration: labeling, 12 k² bytes up, 4 n bytes down, n d fp64 additions by half of the host's threads: ranking needs a core.
#pragma once

#include <algorithm>
#include <cmath>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/host_means.hpp"
#include "impl/gpu/registration.hpp"
#include "impl/gpu/triangle/host_ranks.hpp"
#include "impl/gpu/triangle/labeling.cuh"
#include "impl/gpu/triangle/order.cuh"
#include "impl/triangle/work.hpp"

namespace km::triangle {

/// Plan of a run. worth: if M / k is above it, the standard kernel does epoch 2. settled: the change of the mean M that ends epoch 1.
struct Plan {
  bool reinforced = false, rearranged = false;
  double worth = std::numeric_limits<double>::infinity(), settled = steady;
  bool two_epochs() const { return reinforced && (rearranged || std::isfinite(worth)); }
};

struct Launch {
  unsigned grid, block;
};

/// The paper's grid and block are the defaults; a wide grid is another run.
inline std::vector<Parameter> launch_parameters() {
  return {tunable("grid", 30, {30, 132, 528}, "blocks of the labeling kernels; wu2011: 30"),
          tunable("block", 256, {128, 256, 512}, "threads of a block; wu2011: 256")};
}

inline Launch launch_of(const Config& config) { return {unsigned(config.integer("grid")), unsigned(config.integer("block"))}; }

inline std::string too_large(const ProblemShape& p) {
  if (p.k > 16'384) return "k over 16384: the distances between centroids and their ranks take 12 k² bytes on host and card";
  if (p.n > std::numeric_limits<std::int32_t>::max()) return "more than 2^31 points: their order is kept in 32 bits";
  return "";
}

inline Description description(std::string_view summary, std::vector<Parameter> parameters) {
  return {.summary = summary,
          .paper = "wu2011",
          .device = Device::gpu,
          .parameters = std::move(parameters),
          .unsupported = [](const ProblemShape& p, const Config&, int) { return too_large(p); }};
}
/// Of those that skip distances by ranks.
inline Description ranked_description(std::string_view summary, std::vector<Parameter> parameters) {
  Description made = description(summary, std::move(parameters));
  made.work = least_work;
  return made;
}

/// Upload of a labeling in one copy: zeroed counters, centroids, and with ranks ICD and RID. Host and device memory have one layout.
template <class T>
class Input {
 public:
  Input(std::int64_t d, std::int64_t k, bool ranks)
      : icd_at_(centroids_at + (k * d * sizeof(T) + 15) / 16 * 16), rid_at_(icd_at_ + k * k * sizeof(T)),
        host_(ranks ? rid_at_ + k * k * sizeof(int) : icd_at_), device_(host_.size()) {
    std::fill_n(host_.data(), host_.size(), char(0));
  }

  T* centroids() { return at<T>(host_.data(), centroids_at); }
  T* icd() { return at<T>(host_.data(), icd_at_); }
  int* rid() { return at<int>(host_.data(), rid_at_); }
  void upload(bool ranks, cudaStream_t stream) {
    cuda::check(cudaMemcpyAsync(device_.data(), host_.data(), ranks ? host_.size() : icd_at_, cudaMemcpyHostToDevice, stream));
  }
  unsigned long long* device_counters() { return at<unsigned long long>(device_.data(), 0); }
  const T* device_centroids() { return at<T>(device_.data(), centroids_at); }
  const T* device_icd() { return at<T>(device_.data(), icd_at_); }
  const int* device_rid() { return at<int>(device_.data(), rid_at_); }

 private:
  template <class V>
  static V* at(char* memory, std::int64_t offset) {
    return reinterpret_cast<V*>(memory + offset);
  }

  static constexpr std::int64_t centroids_at = 2 * sizeof(unsigned long long);  // allows 16-byte reads of rows
  std::int64_t icd_at_, rid_at_;
  cuda::PinnedBuffer<char> host_;
  cuda::Buffer<char> device_;
};

template <class T>
class HostDriven {
 public:
  /// kernels: those that the plan uses.
  HostDriven(const Problem<T>& problem, Trace& trace, Launch launch, Plan plan, Kernels<T> kernels, Cutoff<T> cutoff)
      : p_(problem), plan_(plan), launch_(launch), kernels_(kernels), cutoff_(cutoff), given_(cuda::upload_columns(problem, trace, stream_)),
        labels_(problem.n), input_(problem.d, problem.k, plan.reinforced), host_labels_(problem.n), host_counters_(2),
        m_(plan.reinforced ? problem.n : 0), order_(plan.rearranged ? problem.n : 0) {
    if (plan.rearranged) arranged_ = cuda::Buffer<T>(problem.n * problem.d), mapped_ = cuda::Buffer<std::int32_t>(problem.n);
  }

  void reset() {
    out_.poison(p_);
    std::fill_n(host_labels_.data(), p_.n, no_label - 1);
  }

  int iterate(Trace& trace) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    cuda::poison(stream_, labels_);  // every point changes at first
    reinforced_ = plan_.reinforced, arranged_now_ = false;
    bool first_epoch = plan_.two_epochs();
    double mean_before = 0;
    for (out_.iters = 1;; ++out_.iters) {
      trace.begin_iteration();
      out_.assigned_centroids = out_.centroids;
      if (reinforced_) rank(trace);
      {
        const auto phase = trace.phase("assign");
        label(first_epoch || trace.active());
      }
      if (trace.active()) count(trace);
      {
        const auto phase = trace.phase("update");
        means_.update(p_, host_labels_.data(), out_.centroids.data(), out_.centroids.data(), omp_get_max_threads() / 2);
      }
      if (out_.iters == p_.max_iters || p_.converged(std::int64_t(host_counters_[0]))) return out_.iters;
      if (!first_epoch) continue;
      const auto phase = trace.phase("rearrange");
      const double mean = double(host_counters_[1]) / double(p_.n);
      if (const double before = std::exchange(mean_before, mean); std::abs(mean - before) >= plan_.settled * before) continue;
      first_epoch = false;
      if (mean / p_.k > plan_.worth) reinforced_ = false;
      else if (plan_.rearranged) rearrange();
    }
  }

  Solution<T> download() {
    out_.labels.assign(host_labels_.data(), host_labels_.data() + p_.n);
    return out_;
  }

 private:
  void rank(Trace& trace) {
    const auto phase = trace.phase("icd_rid");
    {
      const auto part = trace.phase("icd");
      ranking_.measure(out_.centroids, p_.d, p_.k, input_.icd());
    }
    const auto part = trace.phase("rid");
    ranking_.rank(input_.icd(), p_.k, input_.rid());
  }

  /// Uploads centroids, ICD and RID, labels the points, and downloads the labels.
  void label(bool with_m) {
    std::ranges::copy(out_.centroids, input_.centroids());
    input_.upload(reinforced_, stream_);
    const Labeling<T> task{
        arranged_now_ ? arranged_.data() : given_.data(), input_.device_centroids(), p_.n, p_.d, p_.k, labels_.data(), input_.device_counters()};
    if (reinforced_) {
      const Ranks<T> ranks{input_.device_icd(), input_.device_rid(), with_m ? m_.data() : nullptr, cutoff_};
      kernels_.reinforced<<<launch_.grid, launch_.block, kernels_.shared_bytes, stream_>>>(task, ranks);
    } else {
      kernels_.standard<<<launch_.grid, launch_.block, kernels_.shared_bytes, stream_>>>(task);
    }
    cuda::check_launch();
    if (arranged_now_) {
      scatter<<<cuda::blocks(p_.n, 256), 256, 0, stream_>>>(labels_.data(), order_.data(), p_.n, mapped_.data());
      cuda::check_launch();
    }
    cuda::check(cudaMemcpyAsync(host_labels_.data(), (arranged_now_ ? mapped_ : labels_).data(), labels_.bytes(), cudaMemcpyDeviceToHost, stream_));
    cuda::check(cudaMemcpyAsync(&host_counters_[0], input_.device_counters(), 2 * sizeof(host_counters_[0]), cudaMemcpyDeviceToHost, stream_));
    stream_.synchronize();
  }

  /// Sorts points and labels by decreasing M.
  void rearrange() {
    order_.sort(m_.data(), stream_);
    const unsigned blocks = cuda::blocks(p_.n, 256);
    gather_columns<<<blocks, 256, 0, stream_>>>(given_.data(), order_.data(), p_.n, p_.d, arranged_.data());
    cuda::check_launch();
    gather_rows<<<blocks, 256, 0, stream_>>>(labels_.data(), order_.data(), p_.n, 1, mapped_.data());
    cuda::check_launch();
    std::swap(labels_, mapped_);
    arranged_now_ = true;
    stream_.synchronize();
  }

  void count(Trace& trace) {
    if (!reinforced_) {
      trace.count("distances", double(p_.n) * p_.k);
      trace.count("mean_m", p_.k);
      trace.count("warp_imbalance", 0);
      return;
    }
    count_m(trace, cuda::fetched(m_, stream_));
  }

  Problem<T> p_;  // views
  Plan plan_;
  Launch launch_;
  Kernels<T> kernels_;
  Cutoff<T> cutoff_;
  cuda::Stream stream_;
  cuda::Buffer<T> given_, arranged_;
  cuda::Buffer<std::int32_t> labels_, mapped_;  // in processing order; in the original order
  Input<T> input_;
  cuda::PinnedBuffer<std::int32_t> host_labels_;
  cuda::PinnedBuffer<unsigned long long> host_counters_;  // changed labels, distances
  HostRanking<T> ranking_;
  cuda::Buffer<unsigned> m_;
  Order order_;
  bool reinforced_ = false, arranged_now_ = false;
  HostMeans<T> means_;
  Solution<T> out_;
};

}  // namespace km::triangle
