// Host side of every Lloyd on the GPU: outputs, two sets of centroids, the count of changed labels, the loop. Each implementation has its own
// kernels and layout of points.
#pragma once

#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

#include "bench/contract/dimension.hpp"
#include "bench/contract/problem.hpp"
#include "bench/device/cuda.cuh"
#include "bench/device/cuda_loop.cuh"

namespace km::cuda {

/// Dimensions that kernels know at compile time: those of the papers' data sets and powers of two between.
template <class F>
void with_paper_dimension(int d, F&& f) {
  with_dimension<2, 3, 4, 7, 8, 16, 32, 64, 68, 128>(d, std::forward<F>(f));
}

/// True if a point of D dimensions fits in registers: at most 144 of them.
template <class T, int D>
constexpr bool fits_registers = D > 0 && D * sizeof(T) <= 576;

enum class Layout { rows, columns };

/// Uploads the points, n x d row-major. Phase: transfer.
template <class T>
Buffer<T> upload_rows(const Problem<T>& problem, Trace& trace, cudaStream_t stream) {
  Buffer<T> points(problem.n * problem.d);
  const Phase phase(trace, "transfer", stream);
  upload(points, problem.points, stream);
  return points;
}

/// Uploads the points and transposes them to column-major, d x n. Phases: transfer, transpose.
template <class T>
Buffer<T> upload_columns(const Problem<T>& problem, Trace& trace, cudaStream_t stream) {
  const Buffer<T> rows = upload_rows(problem, trace, stream);
  Buffer<T> columns(problem.n * problem.d);
  {
    const Phase phase(trace, "transpose", stream);
    transpose(rows.data(), problem.n, problem.d, columns.data(), stream);
  }
  check(cudaStreamSynchronize(stream));  // rows are freed on return
  return columns;
}

/// One step of an iteration and the phase that traces it.
struct Step {
  std::string_view phase;
  std::function<void()> enqueue;
};

template <class T>
class Lloyd {
 public:
  /// layout: k x d rows or d x k columns of centroids in device memory. total: points of all devices that share the problem, if others do.
  Lloyd(const Problem<T>& problem, Trace& trace, Layout layout = Layout::rows, std::int64_t total = 0)
      : problem_(problem), shape_(problem), whole_(problem), layout_(layout), cells_(std::int64_t(problem.k) * problem.d), initial_(cells_),
        assigned_(cells_), next_(cells_), labels_(problem.n), changed_(1), changed_host_(1), progress_(2), iters_host_(1) {
    if (total > 0) whole_.n = total;
    const Phase phase(trace, "init", stream_);
    upload_initial();
  }

  const ProblemShape& shape() const { return shape_; }
  const Stream& stream() const { return stream_; }
  std::int32_t* labels() { return labels_.data(); }
  const T* assigned() const { return assigned_.data(); }     // read by assign
  T* next() { return next_.data(); }                         // update writes all k x d in every iteration
  unsigned long long* changed() { return changed_.data(); }  // assign adds the number of changed labels

  void reset() {
    upload_initial();
    fill(labels_.data(), shape_.n, no_label - 1, stream_);
    check(cudaMemsetAsync(assigned_.data(), 0xFF, assigned_.bytes(), stream_));  // NaN
    check(cudaMemsetAsync(next_.data(), 0xFF, next_.bytes(), stream_));
    stream_.synchronize();
  }

  /// Runs from the initial centroids: enqueues the steps, assign first, until the problem's stop. With a tolerance the host waits for the count of
  /// changes, while the update still runs. Otherwise it waits at the end only.
  int run(Trace& trace, std::initializer_list<Step> steps) {
    begin_at(next_.data());
    const bool tested = shape_.tolerance >= 0;
    std::int64_t changed_before = 0;  // the device's count is never cleared
    for (iters_ = 1;; ++iters_) {
      std::swap(assigned_, next_);
      trace.begin_iteration();
      for (const Step& step : steps) {
        {
          const Phase phase(trace, step.phase, stream_);
          step.enqueue();
        }
        if (tested && &step == steps.begin()) {
          check(cudaMemcpyAsync(changed_host_.data(), changed_.data(), changed_.bytes(), cudaMemcpyDeviceToHost, stream_));
          counted_.record(stream_);
        }
      }
      if (iters_ == shape_.max_iters) break;
      if (tested) {
        counted_.synchronize();
        const auto total = static_cast<std::int64_t>(changed_host_[0]);
        if (whole_.converged(total - std::exchange(changed_before, total))) break;
      }
    }
    stream_.synchronize();
    return iters_;
  }

  /// Captures the whole iteration loop as a CUDA graph. With a tolerance, the graph also tests convergence. The step must enqueue the same work
  /// every time. `before` starts a run. Call in prepare.
  void record(std::function<void()> before, Step step) {
    before_ = std::move(before);
    step_ = std::move(step);
    if (shape_.tolerance < 0 && shape_.max_iters <= most_recorded) {
      first_ = next_.data();
      recorded_.emplace(stream_, [this] {
        for (int iter = 0; iter < shape_.max_iters; ++iter) {
          std::swap(assigned_, next_);
          step_.enqueue();
        }
      });
    } else if (shape_.tolerance >= 0 && can_loop()) {
      first_ = assigned_.data();
      recorded_.emplace(loop(stream_, step_.enqueue,
                             {changed_.data(), shape_.tolerance * static_cast<double>(whole_.n), shape_.max_iters, next_.data(), assigned_.data(),
                              static_cast<std::int64_t>(next_.bytes()), progress_.data(), iters_host_.data()}));
    }
    if (recorded_) recorded_->upload(stream_);
    last_ = assigned_.data();
  }

  /// Later runs stop after so many iterations, at most the problem's.
  void limit(int iters) { shape_.max_iters = iters; }

  /// Runs the captured graph from the initial centroids: one launch, one wait. Traced and limited runs and steps that cannot be captured run step by
  /// step.
  int run(Trace& trace) {
    if (trace.active() || !recorded_ || shape_.max_iters != problem_.max_iters) {
      before_();
      return run(trace, {step_});
    }
    begin_at(first_);
    before_();
    check(cudaMemsetAsync(progress_.data(), 0, progress_.bytes(), stream_));
    recorded_->launch(stream_);
    stream_.synchronize();
    if (assigned_.data() != last_) std::swap(assigned_, next_);  // a run step by step may have swapped them
    return iters_ = shape_.tolerance < 0 ? shape_.max_iters : iters_host_[0];
  }

  Solution<T> download() {
    Labels labels(static_cast<std::size_t>(shape_.n));
    cuda::download(labels.data(), labels_.data(), labels_.bytes(), stream_);
    return {std::move(labels), centroids_from(assigned_), centroids_from(next_), iters_};
  }

 private:
  static constexpr int most_recorded = 1024;

  void begin_at(T* centroids) {
    check(cudaMemcpyAsync(centroids, initial_.data(), initial_.bytes(), cudaMemcpyDeviceToDevice, stream_));
    check(cudaMemsetAsync(labels_.data(), 0xFF, labels_.bytes(), stream_));  // no_label: every point changes at first
    check(cudaMemsetAsync(changed_.data(), 0, changed_.bytes(), stream_));
  }
  void upload_initial() {
    std::vector<T> initial(problem_.initial_centroids.begin(), problem_.initial_centroids.end());
    if (layout_ == Layout::columns) initial = transposed(initial, shape_.k, shape_.d);
    upload(initial_, std::span<const T>(initial), stream_);
  }
  static std::vector<T> transposed(const std::vector<T>& from, int rows, int columns) {
    std::vector<T> to(from.size());
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < columns; ++column) to[std::size_t(column) * rows + row] = from[std::size_t(row) * columns + column];
    return to;
  }
  std::vector<T> centroids_from(const Buffer<T>& buffer) {
    std::vector<T> values(static_cast<std::size_t>(cells_));
    cuda::download(values.data(), buffer.data(), buffer.bytes(), stream_);
    return layout_ == Layout::columns ? transposed(values, shape_.d, shape_.k) : values;
  }

  Problem<T> problem_;  // views
  ProblemShape shape_, whole_;
  Layout layout_;
  std::int64_t cells_;
  int iters_ = 0;
  Stream stream_;
  Buffer<T> initial_, assigned_, next_;
  Buffer<std::int32_t> labels_;
  Buffer<unsigned long long> changed_;
  PinnedBuffer<unsigned long long> changed_host_;
  Event counted_{cudaEventDisableTiming};

  std::function<void()> before_;
  Step step_;
  std::optional<Graph> recorded_;
  T *first_ = nullptr, *last_ = nullptr;  // destination of the initial centroids; last assigned centroids
  Buffer<unsigned long long> progress_;   // labels changed before this iteration; iterations made
  PinnedBuffer<int> iters_host_;
};

/// What implementations have beside their kernels: the loop, and the points on the device. One defines iterate.
template <class T>
class OnLloyd {
 public:
  OnLloyd(const Problem<T>& problem, Trace& trace, Layout points, Layout centroids = Layout::rows)
      : lloyd_(problem, trace, centroids),
        points_(points == Layout::rows ? upload_rows(problem, trace, lloyd_.stream()) : upload_columns(problem, trace, lloyd_.stream())) {}

  void reset() { lloyd_.reset(); }
  Solution<T> download() { return lloyd_.download(); }
  void limit(int iters) { lloyd_.limit(iters); }

 protected:
  Lloyd<T> lloyd_;
  Buffer<T> points_;
};

/// The same with iterations of two steps, which one defines instead.
template <class T>
class TwoSteps : public OnLloyd<T> {
 public:
  using OnLloyd<T>::OnLloyd;
  virtual ~TwoSteps() = default;
  int iterate(Trace& trace) {
    return this->lloyd_.run(trace, {{"assign", [this] { assign(); }}, {"update", [this] { update(); }}});
  }

 protected:
  virtual void assign() = 0;
  virtual void update() = 0;
};

}  // namespace km::cuda
