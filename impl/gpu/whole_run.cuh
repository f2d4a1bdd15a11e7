// Host side of implementations that make all iterations in one kernel: the initial centroids and the outputs.
#pragma once

#include "bench/device/cuda_host.cuh"

namespace km::cuda {

template <class T>
struct WholeRun {
  /// label_count: at least n.
  WholeRun(const Problem<T>& problem, std::int64_t label_count)
      : problem(problem), initial(cells()), assigned(cells()), next(cells()), labels(label_count), iters(1) {}

  std::int64_t cells() const { return std::int64_t(problem.k) * problem.d; }
  /// The kernel stops at so few changed labels.
  double stop_at() const { return problem.tolerance < 0 ? -1.0 : problem.tolerance * static_cast<double>(problem.n); }

  void reset() {
    upload(initial, problem.initial_centroids, stream);
    fill(labels.data(), problem.n, no_label - 1, stream);
    poison(stream, assigned, next);
    stream.synchronize();
  }

  Solution<T> download() {
    Solution<T> out = Solution<T>::poisoned(problem);
    cuda::download(out.labels.data(), labels.data(), out.labels.size() * sizeof out.labels[0], stream);
    cuda::download(out.assigned_centroids.data(), assigned.data(), assigned.bytes(), stream);
    cuda::download(out.centroids.data(), next.data(), next.bytes(), stream);
    out.iters = iters[0];
    return out;
  }

  Problem<T> problem;  // views
  Stream stream;
  Buffer<T> initial, assigned, next;
  Buffer<std::int32_t> labels;
  PinnedBuffer<int> iters;  // the kernel writes it
};

/// An implementation that is one launch a run, with the kernel's own clock and counters: nothing can be timed from outside.
template <class T>
class OneLaunch {
 public:
  OneLaunch(const Problem<T>& problem, std::int64_t label_count) : host_(problem, label_count) {}
  virtual ~OneLaunch() = default;
  void reset() { host_.reset(); }
  int iterate(Trace& trace) {
    host_.iters[0] = 0;
    launch();
    host_.stream.synchronize();
    if (trace.active()) report(trace);
    return host_.iters[0];
  }
  Solution<T> download() { return host_.download(); }

 protected:
  virtual void launch() = 0;
  virtual void report(Trace& trace) = 0;
  /// What the kernel wrote at the start and after each iteration.
  template <class Record>
  std::vector<Record> records(const Buffer<Record>& buffer) {
    return fetched(buffer, host_.stream, host_.iters[0] + 1);
  }

  WholeRun<T> host_;
};

/// The device's clock, for kernels that time their own iterations.
__device__ __forceinline__ unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

}  // namespace km::cuda
