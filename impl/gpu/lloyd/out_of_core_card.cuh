// What one GPU does out of core: it labels and sums a contiguous share of the points, chunk by chunk (lutz2018, Section 5). Sums and counts stay on the
// device for an iteration. Points are sent again in every iteration, except chunks that `resident` keeps.
#pragma once

#include <omp.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/device/cuda_host.cuh"
#include "impl/gpu/lloyd/out_of_core_chunk.cuh"
#include "impl/gpu/lloyd/out_of_core_upload.cuh"
#include "impl/gpu/registration.hpp"

namespace km::out_of_core {

/// Host threads that copy, for all cards. Each card has another thread, which sends.
inline int default_threads(int cards = 1) { return std::clamp(omp_get_num_procs() - cards, cards, 16 * cards); }

/// The same for each card, of a configuration.
inline int threads_of(const Config& config, int cards = 1) {
  const int threads = config.integer("threads");
  return std::max((threads > 0 ? threads : default_threads(cards)) / cards, 1);
}

inline std::int64_t within_processors(std::int64_t threads, const ProblemShape&, int) {
  return threads == 0 || threads > omp_get_num_procs() ? default_threads() : threads;
}

/// Points of a chunk of so many KiB.
inline std::int64_t points_of(std::int64_t kib, const ProblemShape& p, int value_bytes) {
  return std::clamp<std::int64_t>(kib * 1024 / (std::int64_t(p.d) * value_bytes), 1, std::max<std::int64_t>(p.n, 1));
}

/// Partition of a share of the points, which may be empty: the first chunks are the GPU's, the rest the CPU's.
struct Chunking {
  std::int64_t chunk, chunk_bytes;  // points per chunk
  std::int64_t gpu, n;              // the GPU's chunks and points

  Chunking(const ProblemShape& share, const Config& config, int value_bytes, std::int64_t cpu_percent = 0) {
    const std::int64_t point_bytes = std::int64_t(share.d) * value_bytes;
    chunk = points_of(config.number("chunk"), share, value_bytes);
    chunk_bytes = chunk * point_bytes;
    const std::int64_t all = (share.n + chunk - 1) / chunk;
    gpu = all - all * cpu_percent / 100;
    n = std::min(share.n, gpu * chunk);
  }

  /// Number of chunks that fit the budget beside the buffers. Without a budget, 90 % of free memory must also hold the labels.
  std::int64_t resident(const Config& config) const {
    if (config.word("resident") == "nothing") return 0;
    std::size_t free = 0, total = 0;
    cuda::check(cudaMemGetInfo(&free, &total));
    const std::int64_t budget = config.number("budget") * 1024 * 1024;
    const std::int64_t available = budget > 0 ? budget : static_cast<std::int64_t>(free) / 10 * 9 - n * std::int64_t{sizeof(std::int32_t)};
    return std::clamp<std::int64_t>(available / chunk_bytes - config.number("buffers"), 0, gpu);
  }
};

/// Sums of an iteration on the host.
struct Sums {
  std::vector<double> sums;  // k x d
  std::vector<std::int64_t> counts;
  std::int64_t changed = 0;  // labels
};

using cuda::fetched;

/// The current device's share of the points. Made, used and destroyed with its device current.
template <class T>
class Card {
 public:
  using Pass = typename Uploads<T>::Pass;

  /// Takes the points of `chunking` from point `first` on. Unless staged, the caller page-locks those that are sent. threads: that copy.
  Card(const Problem<T>& problem, std::int64_t first, const Chunking& chunking, const Config& config, int threads, Trace& trace)
      : points_(problem.points.subspan(static_cast<std::size_t>(first * problem.d), static_cast<std::size_t>(chunking.n * problem.d))), d_(problem.d),
        chunking_(chunking), compares_(problem.tolerance >= 0), resident_(chunking.resident(config)),
        labels_on_host_(config.word("labels") == "host"),
        uploads_(sent(), chunking.chunk * d_, config.integer("buffers"), threads, config.word("transfer") == "staged",
                 static_cast<std::size_t>(config.number("piece")) * 1024),
        kept_(resident_ * chunking.chunk * d_), sums_(std::int64_t(problem.k) * d_), counts_(problem.k), changed_(1),
        labels_(labels_on_host_ ? uploads_.slots() * chunking.chunk : chunking.n) {
    if (config.word("strategy") == "single pass") steps_.emplace_back("fused", Launch<T>(problem, Step::fused));
    else {
      steps_.emplace_back("assign", Launch<T>(problem, Step::assign));
      steps_.emplace_back("update", Launch<T>(problem, Step::update));
    }
    if (labels_on_host_ && chunking_.n > 0) host_labels_.emplace(chunking_.n);
    for (int slot = 0; slot < uploads_.slots(); ++slot) fetched_.emplace_back(cudaEventDisableTiming);
    if (resident_ == 0) return;
    const cuda::Phase phase(trace, "transfer", compute_);
    const auto stay = points(0, resident_);
    cuda::upload(kept_.data(), stay.data(), stay.size_bytes(), compute_);
  }

  const cuda::Stream& stream() const { return compute_; }
  Uploads<T>& uploads() { return uploads_; }
  cuda::Buffer<double>& sums() { return sums_; }  // k x d, of an iteration
  cuda::Buffer<unsigned long long>& counts() { return counts_; }
  /// The points that every iteration sends.
  std::span<const T> sent() const { return points(resident_, chunking_.gpu); }

  /// Enqueues what poisons the labels.
  void reset() {
    cuda::fill(labels_.data(), labels_.size(), no_label - 1, compute_);
    if (host_labels_) std::fill_n(host_labels_->data(), chunking_.n, no_label - 1);
  }

  /// Begins a run, whose first iteration changes every label.
  void begin() {
    cuda::clear(compute_, changed_);
    changed_before_ = 0;
    fresh_ = true;
  }

  /// Enqueues an iteration. centroids: k x d, on the device. pass: the run's.
  void process(Pass& pass, Trace& trace, const T* centroids) {
    cuda::clear(compute_, sums_, counts_);
    for (std::int64_t chunk = 0; chunk < chunking_.gpu; ++chunk) process(pass, trace, centroids, chunk);
    pass.end_iteration();
    fresh_ = false;
  }

  /// Waits, and returns the number of labels that the iteration changed. Once an iteration.
  std::int64_t changed() {
    download_.synchronize();
    const auto total = static_cast<std::int64_t>(fetched(changed_, compute_)[0]);
    return total - std::exchange(changed_before_, total);
  }

  /// Waits, and returns the iteration's sums. Once an iteration.
  Sums fetch() {
    const auto counts = fetched(counts_, compute_);
    return {fetched(sums_, compute_), {counts.begin(), counts.end()}, changed()};
  }

  void finish() const {
    compute_.synchronize();
    download_.synchronize();
  }

  /// to: as many labels as the card has points.
  void download_labels(std::int32_t* to) {
    if (chunking_.n == 0) return;
    if (host_labels_) std::copy_n(host_labels_->data(), chunking_.n, to);
    else cuda::download(to, labels_.data(), labels_.bytes(), compute_);
  }

 private:
  /// Points of chunks first to last - 1.
  std::span<const T> points(std::int64_t first, std::int64_t last) const {
    const auto begin = std::min(chunking_.n, first * chunking_.chunk), end = std::min(chunking_.n, last * chunking_.chunk);
    return points_.subspan(static_cast<std::size_t>(begin * d_), static_cast<std::size_t>((end - begin) * d_));
  }

  void process(Pass& pass, Trace& trace, const T* centroids, std::int64_t chunk) {
    const int slot = static_cast<int>(turn_++ % uploads_.slots());
    const std::int64_t first = chunk * chunking_.chunk, n = std::min(chunking_.chunk, chunking_.n - first);
    std::int32_t* const labels = labels_.data() + (labels_on_host_ ? slot * chunking_.chunk : first);
    const bool stays = chunk < resident_;
    const T* const values = stays ? kept_.data() + first * d_ : pass.fetch(chunk - resident_, slot, compute_);
    begin_labels(labels, first, n, slot);
    for (const auto& [name, launch] : steps_) {
      const cuda::Phase phase(trace, name, compute_);
      launch(values, centroids, n, labels, changed_.data(), sums_.data(), counts_.data(), compute_);
    }
    pass.give_back(slot, compute_);
    if (!labels_on_host_) return;
    labelled_.record(compute_);
    cuda::check(cudaStreamWaitEvent(download_, labelled_));
    cuda::check(cudaMemcpyAsync(host_labels_->data() + first, labels, n * sizeof(std::int32_t), cudaMemcpyDeviceToHost, download_));
    fetched_[slot].record(download_);
  }

  /// Restores the previous labels if changes are counted: each is compared with its successor.
  void begin_labels(std::int32_t* labels, std::int64_t first, std::int64_t n, int slot) {
    const std::size_t bytes = static_cast<std::size_t>(n) * sizeof(std::int32_t);
    if (labels_on_host_) cuda::check(cudaStreamWaitEvent(compute_, fetched_[slot]));
    if (fresh_) cuda::check(cudaMemsetAsync(labels, 0xFF, bytes, compute_));  // no_label
    else if (labels_on_host_ && compares_)
      cuda::check(cudaMemcpyAsync(labels, host_labels_->data() + first, bytes, cudaMemcpyHostToDevice, compute_));
  }

  std::span<const T> points_;  // of the host
  int d_;
  Chunking chunking_;
  bool compares_, fresh_ = true;
  std::int64_t resident_, turn_ = 0, changed_before_ = 0;  // the device's count is never cleared in a run
  bool labels_on_host_;
  std::vector<std::pair<std::string_view, Launch<T>>> steps_;
  cuda::Stream compute_, download_;
  Uploads<T> uploads_;
  cuda::Buffer<T> kept_;
  cuda::Buffer<double> sums_;
  cuda::Buffer<unsigned long long> counts_, changed_;
  cuda::Buffer<std::int32_t> labels_;                            // of all points, or of a chunk per slot
  std::optional<cuda::PinnedBuffer<std::int32_t>> host_labels_;  // of all points
  cuda::Event labelled_{cudaEventDisableTiming};
  std::vector<cuda::Event> fetched_;  // by slot: its labels are on the host
};

/// Page-locks points that a configuration sends from where they lie, for all cards.
template <class T>
std::optional<cuda::PageLock> locked(std::span<const T> points, const Config& config) {
  if (config.word("transfer") != "registered" || points.empty()) return std::nullopt;
  return std::optional<cuda::PageLock>(std::in_place, points.data(), points.size_bytes());
}

inline std::vector<Parameter> parameters() {
  return {{.name = "strategy", .fallback = "single pass", .range = {"single pass", "multi pass"}, .help = "passes over a chunk"},
          tunable("chunk", 16384, {1, 64, 2048, 4096, 16384, 65536, 524288}, "KiB; 16 MiB in the paper", points_of),
          tunable("buffers", 3, {2, 3, 8}, "chunks in flight"),
          tunable("transfer", "staged", {"staged", "registered"},
                  "staged: copies chunks to page-locked memory; registered: page-locks the points themselves"),
          tunable("piece", 4096, {1, 256, 1024, 2048, 4096, 8192}, "KiB that a thread copies at a time"),
          tunable("threads", 0, {0, 1, 4, 16}, "host threads; 0: all processors but one a GPU, at most 16 a GPU", within_processors),
          tunable("labels", "device", {"device", "host"}, "device: kept there, 4 n bytes; host: downloaded in every iteration"),
          {.name = "budget", .fallback = 0, .range = {0, 1, 1048576}, .help = "MiB of a GPU's memory for points; 0: all that is free"},
          {.name = "resident", .fallback = "nothing", .range = {"nothing", "what fits"}, .help = "chunks that stay on the device within the budget"}};
}

/// Returns why a card cannot take a share of p, or "".
inline std::string refusal(const ProblemShape& p, const Config& config, int value_bytes) {
  const Chunking chunking(p, config, value_bytes);
  const std::int64_t budget = config.number("budget") * 1024 * 1024;
  if (budget > 0 && config.number("buffers") * chunking.chunk_bytes > budget) return "the buffers exceed the budget: choose smaller chunks";
  if (config.word("transfer") == "registered" && cuda::attribute_or(cudaDevAttrHostRegisterReadOnlySupported, 1) == 0)
    return "this GPU cannot page-lock memory that is read-only: transfer = staged";
  return "";
}

/// Longest chain of additions of one card, with any share of p.
inline std::int64_t summation_depth(const ProblemShape& p, const Config& config) {
  const Chunking chunking(p, config, sizeof(float));
  const int groups = Plan(p, Step::fused, sizeof(double)).groups;  // fp32 has at least as many
  const std::int64_t tiles = (chunking.chunk + block - 1) / block, blocks = std::min<std::int64_t>(tiles, grid);
  const std::int64_t chunks = 2 * (p.n / chunking.chunk + 1);                     // as many in fp64, whose chunks have half the points
  return (tiles / blocks + 1) * (block / groups + 1) + groups + chunks * blocks;  // a group's points, groups, blocks of all chunks
}

}  // namespace km::out_of_core
