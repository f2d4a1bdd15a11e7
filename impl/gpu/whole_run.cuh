// Host side of implementations that make all iterations in one kernel: the initial centroids and the outputs.
#pragma once

#include <optional>

#include "bench/contract/implementation.hpp"
#include "bench/device/cuda_host.cuh"
#include "impl/gpu/distinct_rows.cuh"

namespace km::cuda {

/// A kernel stops at so few changed labels.
inline double stop_at(const ProblemShape& p) { return p.tolerance < 0 ? -1.0 : p.tolerance * static_cast<double>(p.n); }

template <class T>
struct WholeRun {
  /// label_count: at least n.
  WholeRun(const Problem<T>& problem, std::int64_t label_count)
      : problem(problem), initial(cells()), assigned(cells()), next(cells()), labels(label_count), iters(1) {}

  std::int64_t cells() const { return std::int64_t(problem.k) * problem.d; }

  void reset() {
    upload(initial, problem.initial_centroids, stream);
    fill(labels.data(), problem.n, no_label - 1, stream);
    poison(stream, assigned, next);
    stream.synchronize();
  }

  Solution<T> download() {
    return {fetched<std::int32_t, Labels>(labels, stream, problem.n), fetched(assigned, stream), fetched(next, stream), iters[0]};
  }

  Problem<T> problem;  // views
  Stream stream;
  Buffer<T> initial, assigned, next;
  Buffer<std::int32_t> labels;
  PinnedBuffer<int> iters;  // the kernel writes it
};

/// all[i] = labels[places[i]] for all of `n` points.
static __global__ void spread(const std::int32_t* __restrict__ labels, const std::int32_t* __restrict__ places, std::int64_t n, std::int32_t* all) {
  const std::int64_t i = std::int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) all[i] = labels[places[i]];
}

/// One thread of each block calls it: waits for all blocks. meeting: of this call alone, initially zero. Returns the sum of what the blocks add, below
/// 2^48. What a block wrote before, its other threads before a __syncthreads, all blocks see after.
__device__ __forceinline__ unsigned long long meet(unsigned long long* meeting, unsigned long long add = 0) {
  unsigned long long now = 0;
  asm volatile("red.release.gpu.global.add.u64 [%0], %1;" ::"l"(meeting), "l"(add << 16 | 1) : "memory");
  do asm volatile("ld.acquire.gpu.global.u64 %0, [%1];" : "=l"(now) : "l"(meeting) : "memory");
  while ((now & 0xFFFF) != gridDim.x);
  return now >> 16;
}

/// An implementation that is one launch a run, with the kernel's own clock and counters: nothing can be timed from outside. Run: what the kernel takes.
template <class T, class Run>
class OneLaunch : public AnySolver<T> {
 public:
  /// distinct: the problem's points, each of which stands for its copies. It takes them. Null: one each.
  OneLaunch(const Problem<T>& problem, std::int64_t label_count, DistinctRows<T>* distinct = nullptr) : host_(problem, label_count) {
    if (distinct)
      numbers_ = std::move(distinct->numbers), places_ = std::move(distinct->places), labels_of_all_ = Buffer<std::int32_t>(places_.size());
    run_.n = problem.n, run_.d = problem.d, run_.k = problem.k, run_.max_iters = problem.max_iters;
    ProblemShape all = problem;
    all.n = points_with_copies();
    run_.stop_at = stop_at(all), run_.initial = host_.initial.data(), run_.iters = host_.iters.data();
  }
  void reset() override {
    if (places_.size() > 0) fill(labels_of_all_.data(), labels_of_all_.size(), no_label - 1, host_.stream);
    host_.reset();
  }
  bool limit(int iters) override {
    run_.max_iters = iters;
    return true;
  }
  int iterate(Trace& trace) override {
    host_.iters[0] = 0;
    launch();
    if (places_.size() > 0) {
      spread<<<blocks(places_.size(), 256), 256, 0, host_.stream>>>(host_.labels.data(), places_.data(), places_.size(), labels_of_all_.data());
      check_launch();
    }
    host_.stream.synchronize();
    if (trace.active()) report(trace);
    if (places_.size() > 0) trace.count("distinct", double(numbers_.size()) * host_.iters[0]);  // counted once, so that the mean is the number
    return host_.iters[0];
  }
  Solution<T> download() override {
    Solution<T> out = host_.download();
    if (places_.size() > 0) out.labels = fetched<std::int32_t, Labels>(labels_of_all_, host_.stream, labels_of_all_.size());
    return out;
  }

 protected:
  std::int64_t points_with_copies() const { return places_.size() > 0 ? places_.size() : host_.problem.n; }
  virtual void launch() = 0;
  virtual void report(Trace& trace) = 0;
  /// What the kernel wrote at the start and after each iteration.
  template <class Record>
  std::vector<Record> records(const Buffer<Record>& buffer) {
    return fetched(buffer, host_.stream, host_.iters[0] + 1);
  }

  /// Enqueues the kernel.
  template <class Kernel>
  void enqueue(Kernel kernel) {
    launch_together(kernel, grid_, threads_, bytes_, host_.stream, run_);
  }

  WholeRun<T> host_;
  Buffer<std::int32_t> numbers_, places_, labels_of_all_;
  Run run_{};
  unsigned grid_ = 1;
  int threads_ = 0;
  std::size_t bytes_ = 0;  // of shared memory
};

/// The same as a graph, which is faster to launch than its parts. Call limit() when all is prepared.
template <class T, class Run>
class OneGraph : public OneLaunch<T, Run> {
 public:
  using OneLaunch<T, Run>::OneLaunch;
  bool limit(int iters) final {
    OneLaunch<T, Run>::limit(iters);
    graph_.emplace(this->host_.stream, [this] { enqueue_run(); });
    return true;
  }

 protected:
  virtual void enqueue_run() = 0;

 private:
  void launch() override { graph_->launch(this->host_.stream); }

  std::optional<Graph> graph_;
};

/// Times of block 0 in an iteration, nanoseconds: labels done, all blocks done, centroids made.
struct Stamps {
  unsigned long long assigned, met, made;
};
inline void add_phases(Trace& trace, const Stamps& before, const Stamps& now) {
  trace.add("assign", double(now.assigned - before.made) * 1e-9);
  trace.add("wait", double(now.met - now.assigned) * 1e-9);
  trace.add("update", double(now.made - now.met) * 1e-9);
}

/// The device's clock, for kernels that time their own iterations.
__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace km::cuda
