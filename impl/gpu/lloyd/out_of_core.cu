// lutz2018, Section 5: points that exceed the GPU's memory, in chunks. One chunk is copied into page-locked memory, another is on the bus, and a
// third is labelled and summed. Sums and counts stay on the device. Points are sent again in every iteration, as in Section 6.2.7, except chunks that
// `resident` keeps on the device. The CPU may process some chunks in place; its sums are added to the GPU's.
// Cost of an iteration: the points over the bus once. Limit: the bus, or with staged copies the host's memory.
#include <omp.h>

#include <future>

#include "impl/cpu/lloyd/out_of_core.hpp"
#include "impl/gpu/host_side.cuh"
#include "impl/gpu/lloyd/average.cuh"
#include "impl/gpu/lloyd/out_of_core_chunk.cuh"
#include "impl/gpu/lloyd/out_of_core_upload.cuh"
#include "impl/gpu/registration.hpp"

namespace km {
namespace {

using out_of_core::Step;

int default_threads() { return std::clamp(omp_get_num_procs() - 1, 1, 16); }  // one thread sends

int threads_of(const Config& config) {
  const int threads = config.integer("threads");
  return threads > 0 ? threads : default_threads();
}

std::int64_t within_processors(std::int64_t threads, const ProblemShape&, int) {
  return threads == 0 || threads > omp_get_num_procs() ? default_threads() : threads;
}

/// Points of a chunk of so many KiB.
std::int64_t points_of(std::int64_t kib, const ProblemShape& p, int value_bytes) {
  return std::clamp<std::int64_t>(kib * 1024 / (std::int64_t(p.d) * value_bytes), 1, p.n);
}

/// Partition of the points: the first chunks are the GPU's, the rest the CPU's.
struct Chunking {
  std::int64_t chunk, chunk_bytes;  // points per chunk
  std::int64_t gpu, n;              // the GPU's chunks and points

  Chunking(const ProblemShape& p, const Config& config, int value_bytes) {
    const std::int64_t point_bytes = std::int64_t(p.d) * value_bytes;
    chunk = points_of(config.number("chunk"), p, value_bytes);
    chunk_bytes = chunk * point_bytes;
    const std::int64_t all = (p.n + chunk - 1) / chunk;
    gpu = all - all * config.number("cpu_share") / 100;
    n = std::min(p.n, gpu * chunk);
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

/// The CPU's sums of an iteration.
struct CpuSums {
  std::vector<double> sums;  // k x d
  std::vector<std::int64_t> counts;
  std::int64_t changed = 0;
};

__global__ void add(double* sums, const double* more_sums, std::int64_t cells, unsigned long long* counts, const std::int64_t* more_counts, int k) {
  const std::int64_t at = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (at < cells) sums[at] += more_sums[at];
  if (at < k) counts[at] += static_cast<unsigned long long>(more_counts[at]);
}

template <class T>
class OutOfCore {
 public:
  OutOfCore(const Problem<T>& problem, const Config& config, Trace& trace)
      : p_(problem), chunking_(problem, config, sizeof(T)), resident_(chunking_.resident(config)), cells_(std::int64_t(problem.k) * problem.d),
        threads_(threads_of(config)), labels_on_host_(config.word("labels") == "host"),
        uploads_(points(resident_, chunking_.gpu), chunking_.chunk * p_.d, config.integer("buffers"), threads_, config.word("transfer") == "staged",
                 static_cast<std::size_t>(config.number("piece")) * 1024),
        kept_(resident_ * chunking_.chunk * p_.d), initial_(cells_), assigned_(cells_), next_(cells_), sums_(cells_), counts_(p_.k), changed_(1),
        labels_(labels_on_host_ ? uploads_.slots() * chunking_.chunk : chunking_.n), cpu_labels_(static_cast<std::size_t>(p_.n - chunking_.n)) {
    if (config.word("strategy") == "single pass") steps_.emplace_back("fused", out_of_core::Launch<T>(p_, Step::fused));
    else {
      steps_.emplace_back("assign", out_of_core::Launch<T>(p_, Step::assign));
      steps_.emplace_back("update", out_of_core::Launch<T>(p_, Step::update));
    }
    if (labels_on_host_ && chunking_.n > 0) host_labels_.emplace(chunking_.n);
    for (int slot = 0; slot < uploads_.slots(); ++slot) fetched_.emplace_back(cudaEventDisableTiming);
    if (resident_ == 0) return;
    const cuda::Phase phase(trace, "transfer", compute_);
    const auto first = points(0, resident_);
    cuda::upload(kept_.data(), first.data(), first.size_bytes(), compute_);
  }

  void reset() {
    cuda::upload(initial_, p_.initial_centroids, compute_);
    cuda::fill(labels_.data(), labels_.size(), no_label - 1, compute_);
    if (host_labels_) std::fill_n(host_labels_->data(), chunking_.n, no_label - 1);
    std::fill(cpu_labels_.begin(), cpu_labels_.end(), no_label - 1);
    cuda::poison(compute_, assigned_, next_);
    compute_.synchronize();
  }

  int iterate(Trace& trace) {
    cuda::check(cudaMemcpyAsync(next_.data(), initial_.data(), initial_.bytes(), cudaMemcpyDeviceToDevice, compute_));
    cuda::clear(compute_, changed_);
    std::fill(cpu_labels_.begin(), cpu_labels_.end(), no_label);  // every point changes at first
    Pass pass(uploads_, trace);
    std::int64_t changed_before = 0;  // the device's count is never cleared
    for (iters_ = 1;; ++iters_) {
      std::swap(assigned_, next_);
      trace.begin_iteration();
      cuda::clear(compute_, sums_, counts_);
      auto cpu = begin_cpu();
      for (std::int64_t chunk = 0; chunk < chunking_.gpu; ++chunk) process(pass, trace, chunk);
      pass.end_iteration();
      const std::int64_t cpu_changed = cpu.valid() ? add_cpu(cpu.get()) : 0;
      enqueue_average(sums_, counts_, assigned_.data(), p_.d, next_.data(), compute_);
      if (iters_ == p_.max_iters) break;
      if (p_.tolerance < 0) continue;
      download_.synchronize();
      const auto total = static_cast<std::int64_t>(fetched(changed_)[0]);
      if (p_.converged(total - std::exchange(changed_before, total) + cpu_changed)) break;
    }
    compute_.synchronize();
    download_.synchronize();
    return iters_;
  }

  Solution<T> download() {
    Solution<T> out;
    if (host_labels_) out.labels.assign(host_labels_->data(), host_labels_->data() + chunking_.n);
    out.labels.resize(static_cast<std::size_t>(p_.n));
    if (!labels_on_host_) cuda::download(out.labels.data(), labels_.data(), labels_.bytes(), compute_);
    std::copy(cpu_labels_.begin(), cpu_labels_.end(), out.labels.begin() + chunking_.n);
    out.assigned_centroids = fetched(assigned_);
    out.centroids = fetched(next_);
    out.iters = iters_;
    return out;
  }

 private:
  using Pass = typename out_of_core::Uploads<T>::Pass;

  /// Points of the GPU's chunks first to last - 1.
  std::span<const T> points(std::int64_t first, std::int64_t last) const {
    const auto begin = std::min(chunking_.n, first * chunking_.chunk), end = std::min(chunking_.n, last * chunking_.chunk);
    return p_.points.subspan(static_cast<std::size_t>(begin * p_.d), static_cast<std::size_t>((end - begin) * p_.d));
  }

  void process(Pass& pass, Trace& trace, std::int64_t chunk) {
    const int slot = static_cast<int>(turn_++ % uploads_.slots());
    const std::int64_t first = chunk * chunking_.chunk, n = std::min(chunking_.chunk, chunking_.n - first);
    std::int32_t* const labels = labels_.data() + (labels_on_host_ ? slot * chunking_.chunk : first);
    const bool stays = chunk < resident_;
    const T* const values = stays ? kept_.data() + first * p_.d : pass.fetch(chunk - resident_, slot, compute_);
    begin_labels(labels, first, n, slot);
    for (const auto& [name, launch] : steps_) {
      const cuda::Phase phase(trace, name, compute_);
      launch(values, assigned_.data(), n, labels, changed_.data(), sums_.data(), counts_.data(), compute_);
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
    if (iters_ == 1) cuda::check(cudaMemsetAsync(labels, 0xFF, bytes, compute_));  // no_label
    else if (labels_on_host_ && p_.tolerance >= 0)
      cuda::check(cudaMemcpyAsync(labels, host_labels_->data() + first, bytes, cudaMemcpyHostToDevice, compute_));
  }

  /// Starts the CPU's chunks on other threads.
  std::future<CpuSums> begin_cpu() {
    if (cpu_labels_.empty()) return {};
    return std::async(std::launch::async, [this, centroids = fetched(assigned_)] {
      CpuSums out{std::vector<double>(static_cast<std::size_t>(cells_)), std::vector<std::int64_t>(static_cast<std::size_t>(p_.k))};
      out.changed = label_and_sum(p_.points.data() + chunking_.n * p_.d, p_.n - chunking_.n, p_.d, p_.k, centroids.data(), cpu_labels_.data(),
                                  out.sums.data(), out.counts.data(), threads_);
      return out;
    });
  }

  /// Returns the number of labels changed on the CPU.
  std::int64_t add_cpu(const CpuSums& cpu) {
    cuda::Buffer<double> sums(cells_);
    cuda::Buffer<std::int64_t> counts(p_.k);
    cuda::upload(sums, std::span(cpu.sums), compute_);
    cuda::upload(counts, std::span(cpu.counts), compute_);
    add<<<cuda::blocks(cells_, 256), 256, 0, compute_>>>(sums_.data(), sums.data(), cells_, counts_.data(), counts.data(), p_.k);
    cuda::check_launch();
    compute_.synchronize();
    return cpu.changed;
  }

  template <class V>
  std::vector<V> fetched(const cuda::Buffer<V>& buffer) const {
    std::vector<V> values(static_cast<std::size_t>(buffer.size()));
    cuda::download(values.data(), buffer.data(), buffer.bytes(), compute_);
    return values;
  }

  Problem<T> p_;  // views
  Chunking chunking_;
  std::int64_t resident_, cells_, turn_ = 0;
  int threads_, iters_ = 0;
  bool labels_on_host_;
  std::vector<std::pair<std::string_view, out_of_core::Launch<T>>> steps_;
  cuda::Stream compute_, download_;
  out_of_core::Uploads<T> uploads_;
  cuda::Buffer<T> kept_, initial_, assigned_, next_;
  cuda::Buffer<double> sums_;
  cuda::Buffer<unsigned long long> counts_, changed_;
  cuda::Buffer<std::int32_t> labels_;                            // of all of the GPU's points, or of a chunk per slot
  std::optional<cuda::PinnedBuffer<std::int32_t>> host_labels_;  // of all of the GPU's points
  std::vector<std::int32_t> cpu_labels_;
  cuda::Event labelled_{cudaEventDisableTiming};
  std::vector<cuda::Event> fetched_;  // by slot: its labels are on the host
};

std::string unsupported(const ProblemShape& p, const Config& config, int value_bytes) {
  const Chunking chunking(p, config, value_bytes);
  const std::int64_t budget = config.number("budget") * 1024 * 1024;
  if (budget > 0 && config.number("buffers") * chunking.chunk_bytes > budget) return "the buffers exceed the budget: choose smaller chunks";
  if (config.word("transfer") == "registered" && cuda::attribute_or(cudaDevAttrHostRegisterReadOnlySupported, 1) == 0)
    return "this GPU cannot page-lock memory that is read-only: transfer = staged";
  return "";
}

const Register<OutOfCore> registration{{
    .summary = "points sent in chunks anew every iteration, while the chunk before is labelled and summed",
    .paper = "lutz2018",
    .device = Device::gpu,
    .parameters =
        {{.name = "strategy", .fallback = "single pass", .range = {"single pass", "multi pass"}, .help = "passes over a chunk"},
         tunable("chunk", 16384, {1, 64, 2048, 4096, 16384, 65536, 524288}, "KiB; 16 MiB in the paper", points_of),
         tunable("buffers", 3, {2, 3, 8}, "chunks in flight"),
         tunable("transfer", "staged", {"staged", "registered"},
                 "staged: copies chunks to page-locked memory; registered: page-locks the points themselves"),
         tunable("piece", 4096, {1, 256, 1024, 2048, 4096, 8192}, "KiB that a thread copies at a time"),
         tunable("threads", 0, {0, 1, 4, 16}, "host threads; 0: all processors but one, at most 16", within_processors),
         tunable("labels", "device", {"device", "host"}, "device: kept there, 4 n bytes; host: downloaded in every iteration"),
         {.name = "budget", .fallback = 0, .range = {0, 1, 1048576}, .help = "MiB of GPU memory for points; 0: all that is free"},
         {.name = "resident", .fallback = "nothing", .range = {"nothing", "what fits"}, .help = "chunks that stay on the device within the budget"},
         {.name = "cpu_share", .fallback = 0, .range = {0, 25, 100}, .help = "percentage of chunks for the CPU"}},
    .unsupported = unsupported,
    .summation_depth = [](const ProblemShape& p, const Config& config) -> std::int64_t {
      const Chunking chunking(p, config, sizeof(float));
      const int groups = out_of_core::Plan(p, Step::fused, sizeof(double)).groups;  // fp32 has at least as many
      const std::int64_t tiles = (chunking.chunk + out_of_core::block - 1) / out_of_core::block,
                         blocks = std::min<std::int64_t>(tiles, out_of_core::grid);
      const std::int64_t chunks = 2 * (p.n / chunking.chunk + 1);  // as many in fp64, whose chunks have half the points
      return (tiles / blocks + 1) * (out_of_core::block / groups + 1) + groups + chunks * blocks;  // a group's points, groups, blocks of all chunks
    },
}};

}  // namespace
}  // namespace km
