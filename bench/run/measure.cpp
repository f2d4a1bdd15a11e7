#include "bench/run/measure.hpp"

#include <fmt/format.h>

#include <chrono>

#include "bench/device/device.hpp"
#include "bench/machine/gpu_state.hpp"
#include "bench/machine/memory.hpp"

namespace km {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// The last data set stays: cases that share one follow each other.
template <class T>
std::shared_ptr<const Dataset<T>> points_of(const DatasetRequest& request) {
  static std::shared_ptr<const Dataset<T>> last;
  static DatasetRequest last_request;
  if (!last || !(last_request == request)) {
    last.reset();  // before the next one is made: both may not fit
    last = std::make_shared<const Dataset<T>>(load_dataset<T>(request));
    last_request = request;
  }
  return last;
}

template <class T>
class TypedSession final : public Session {
 public:
  TypedSession(const Case& c, Measurement& m)
      : case_(c), on_gpu_(c.implementation->description.device == Device::gpu), dataset_(points_of<T>(c.dataset)) {
    initial_ = initial_centroids(*dataset_, c.k, c.init, c.init_seed);
    static_cast<ProblemShape&>(problem_) = c.shape();
    problem_.points = dataset_->points();
    problem_.initial_centroids = initial_;
    m.dataset_hash = dataset_->hash;
    m.generator = dataset_->generator;

    memory::reset_peak();
    if (on_gpu_) device::reset_peak();
    const auto start = std::chrono::steady_clock::now();
    Trace prepare_trace(true);
    solver_ = c.implementation->prepare<T>()(problem_, c.config, prepare_trace);
    if (on_gpu_) device::synchronize();
    const double prepare_s = seconds_since(start);
    prepare_trace.finish();
    if (m.samples_s.empty()) {  // interleaved cases are prepared again: the first time counts
      m.prepare_s = prepare_s;
      m.prepare_trace = std::move(prepare_trace);
    }
    Trace untraced;
    for (int run = 0; run < c.warmup; ++run) solver_->iterate(untraced);
    if (on_gpu_) gpu_.emplace();
  }

  double repeat(Measurement& m) override {
    Trace untraced;
    solver_->reset();
    std::optional<device::Timer> timer;
    if (on_gpu_) {
      device::synchronize();
      timer.emplace();
      timer->start();
    }
    const auto start = std::chrono::steady_clock::now();
    const int iters = solver_->iterate(untraced);
    const double sample_s = seconds_since(start);
    if (on_gpu_) m.samples_event_s.push_back(timer->stop());
    m.samples_s.push_back(sample_s);
    m.iters = iters;
    keep(m, iters);
    return sample_s;
  }

  void trace(Measurement& m) override {
    solver_->iterate(m.trace);
    if (on_gpu_) device::synchronize();
    m.trace.finish();
    m.peak_bytes = memory::peak_bytes();
    if (on_gpu_) {
      m.device_peak_bytes = device::peak_bytes();
      m.gpu = gpu_->finish();
    }
  }

  void save(const std::filesystem::path& stem) override {
    const std::vector<float> labels(last_.labels.begin(), last_.labels.end());
    write_npy<T>(stem.string() + ".points.npy", problem_.points, problem_.n, problem_.d);
    write_npy<float>(stem.string() + ".labels.npy", labels, problem_.n, 1);
    write_npy<T>(stem.string() + ".centroids.npy", last_.centroids, problem_.k, problem_.d);
  }

 private:
  /// Download and judge the run just made; of several, the worst counts.
  void keep(Measurement& m, int iters) {
    const auto start = std::chrono::steady_clock::now();
    last_ = solver_->download();
    m.downloads_s.push_back(seconds_since(start));
    if (last_.iters != iters) last_.iters = -1;
    auto verdict = judge(problem_, last_, case_.implementation->description, case_.config);
    const bool worse = m.samples_s.size() == 1 || !verdict.verdict.empty() || verdict.wrong_labels >= m.judgement.wrong_labels;
    if (worse) m.judgement = std::move(verdict);
    if (!dataset_->ideal_centroids.empty()) m.centroid_error = centroid_error(last_.centroids, dataset_->ideal_centroids, problem_.d);
  }

  Case case_;
  bool on_gpu_;
  std::shared_ptr<const Dataset<T>> dataset_;
  std::vector<T> initial_;
  Problem<T> problem_;
  std::unique_ptr<AnySolver<T>> solver_;
  Solution<T> last_;
  std::optional<GpuState> gpu_;
};

}  // namespace

std::unique_ptr<Session> prepare(const Case& c, Measurement& m) {
  const double needed = double(c.n) * c.d * c.value_bytes() + 12.0 * double(c.n), available = double(memory::available_bytes());
  if (needed > available)
    throw CannotRun(fmt::format("needs {:.1f} GiB of memory, {:.1f} GiB are available", needed / (1 << 30), available / (1 << 30)));
  if (c.precision == Precision::fp32) return std::make_unique<TypedSession<float>>(c, m);
  return std::make_unique<TypedSession<double>>(c, m);
}

}  // namespace km
