#include "bench/run/measure.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>

#include "bench/device/device.hpp"
#include "bench/judge/means.hpp"
#include "bench/machine/gpu_state.hpp"
#include "bench/machine/memory.hpp"
#include "bench/run/process_state.hpp"

namespace km {
namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// A data set and what the judge has to know of it.
template <class T>
struct Points {
  Dataset<T> set;
  std::vector<double> deviations;
};

/// Distances² of such values would overflow: nothing could be told of them.
template <class T>
void refuse_overflow(const Dataset<T>& dataset) {
  double largest = 0;
  const T* values = dataset.values.get();
#pragma omp parallel for reduction(max : largest)
  for (std::int64_t at = 0; at < dataset.n * dataset.d; ++at) largest = std::max(largest, std::abs(double(values[at])));
  const double most = double(std::numeric_limits<T>::max()) / 4 / dataset.d / (sizeof(T) == 8 ? double(dataset.n) : 1.0);
  if (largest > std::sqrt(most))
    throw CannotRun(fmt::format("values reach {:.3g}: distances² overflow {}; scale the data", largest, sizeof(T) == 4 ? "fp32" : "fp64"));
}

/// The last data set stays: cases that share one follow each other.
template <class T>
std::shared_ptr<const Points<T>> points_of(const DatasetRequest& request) {
  static std::shared_ptr<const Points<T>> last;
  static DatasetRequest last_request;
  if (last && last_request == request) return last;
  last.reset();  // before the next one is made: both may not fit
  auto points = std::make_shared<Points<T>>(load_dataset<T>(request));
  refuse_overflow(points->set);
  points->deviations = standard_deviations(Problem<T>{{.n = points->set.n, .d = points->set.d, .k = 1}, points->set.points(), {}});
  protect_values(points->set.values.get(), "the points");
  last_request = request;
  return last = std::move(points);
}

/// The initial centroids as an implementation sees them: read-only, and from run to run with other values.
template <class T>
class Start {
 public:
  Start(std::vector<T> values, int d) : given_(std::move(values)), d_(d), seen_(make_values<T>(given_.size())) { as_given(); }

  std::span<const T> seen() const { return {seen_.get(), given_.size()}; }

  void as_given() { set(given_, 0); }
  /// Centroid c + rotation in the place of centroid c, and one value, another each turn, moved to the next number of its precision (turn 0:
  /// none): no other work, and yet another start.
  void turned(int rotation, std::size_t turn = 0) {
    auto values = given_;
    std::ranges::rotate(values, values.begin() + std::ptrdiff_t(rotation) * d_);
    if (turn > 0) {
      T& value = values[turn % values.size()];
      value = std::nextafter(value, value > 0 ? T(0) : T(1));
    }
    set(values, rotation);
  }
  int rotation() const { return rotation_; }
  std::vector<T> values() const { return {seen_.get(), seen_.get() + given_.size()}; }

 private:
  void set(const std::vector<T>& values, int rotation) {
    rotation_ = rotation;
    unprotect_values(seen_.get());
    std::ranges::copy(values, seen_.get());
    protect_values(seen_.get(), "the initial centroids");
  }

  std::vector<T> given_;
  int d_, rotation_ = 0;
  Values<T> seen_;
};

/// Whether `turned`, whose centroid c is centroid (c + rotation) % k of the other, is the same answer bit by bit. What the last assign used
/// is left out after one iteration: it is the start itself.
template <class T>
bool same_answer(const Solution<T>& given, const Solution<T>& turned, int rotation, const ProblemShape& p) {
  if (given.iters != turned.iters || given.labels.size() != turned.labels.size()) return false;
  for (std::size_t i = 0; i < given.labels.size(); ++i)
    if (given.labels[i] != (turned.labels[i] + rotation) % p.k) return false;
  const auto rotated = [&](std::vector<T> values) {
    std::ranges::rotate(values, values.begin() + std::ptrdiff_t(rotation) * p.d);
    return values;
  };
  return rotated(given.centroids) == turned.centroids && (given.iters == 1 || rotated(given.assigned_centroids) == turned.assigned_centroids);
}

template <class T>
class TypedSession final : public Session {
 public:
  TypedSession(const Case& c, Measurement& m)
      : case_(c), points_(points_of<T>(c.dataset)), dataset_(&points_->set),
        start_(initial_centroids(*dataset_, c.k, c.init, c.init_seed), c.d), problem_{c.shape(), dataset_->points(), start_.seen()},
        judge_(problem_, c.implementation->description, c.config, points_->deviations) {
    m.dataset_hash = dataset_->hash;
    m.generator = dataset_->generator;

    memory::reset_peak();
    if (c.on_gpu()) device::reset_peak();
    const auto start = std::chrono::steady_clock::now();
    Trace prepare_trace(true);
    solver_ = c.implementation->prepare<T>()(problem_, c.config, prepare_trace);
    if (c.on_gpu()) device::synchronize();
    const double prepare_s = seconds_since(start);
    prepare_trace.finish();
    if (m.samples_s.empty()) {  // interleaved cases are prepared again: the first time counts
      m.prepare_s = prepare_s;
      m.prepare_trace = std::move(prepare_trace);
    }
    Trace untraced;
    for (int run = 0; run < c.warmup; ++run) {
      start_.turned(1 % problem_.k);
      solver_->reset();
      solver_->iterate(untraced);
    }
    if (c.on_gpu()) gpu_.emplace();
  }

  double repeat(Measurement& m) override {
    const std::size_t turn = m.samples_s.size();
    if (turn == 0) start_.as_given();
    else
      start_.turned(int(turn % std::size_t(problem_.k)),
                    problem_.tolerance < 0 && problem_.max_iters > 1 ? turn : 0);  // an ulp may decide a tie of the start, or when a run converges
    double sample_s = timed_run(m);
    for (int again = 0; stopped_ && again < 3; ++again) sample_s = timed_run(m);
    if (stopped_) throw std::runtime_error("the process was stopped from outside in every try at a timed run");
    m.samples_s.push_back(sample_s);
    keep(m);
    if (case_.on_gpu()) m.samples_event_s.push_back(event_s_);
    return sample_s;
  }

  void finish(Measurement& m) override {
    start_.as_given();
    solver_->reset();
    const int iters = solver_->iterate(m.trace);
    if (case_.on_gpu()) device::synchronize();
    m.trace.finish();
    m.peak_bytes = memory::peak_bytes();
    if (case_.on_gpu()) {
      m.device_peak_bytes = device::peak_bytes();
      m.gpu = gpu_->finish();
    }
    last_ = solver_->download();
    const auto start = std::chrono::steady_clock::now();
    if (last_.iters != iters) last_.iters = -1;
    note(m);
    if (m.judgement.verdict.empty()) m.judgement.verdict = explain_times(m);
    if (m.judgement.verdict.empty() && m.trace.iterations() > 0 && m.trace.iterations() != iters)
      m.judgement.verdict = fmt::format("it began {} iterations and reported {}", m.trace.iterations(), iters);
    solver_.reset();
    look_at_process(m);
    if (m.judgement.verdict.empty() && !evidence_.first.labels.empty()) {
      evidence_.runs = int(m.samples_s.size());
      evidence_.middle = m.samples_s.size() >= 5 && (median(m.samples_s) < 0.1 || std::random_device{}() % 4 == 0);
      m.replay = replay(*case_.implementation, case_.config, problem_, evidence_, judge_);
      m.judgement.verdict = m.replay->verdict;
    }
    m.judge_s += seconds_since(start);
  }

  void save(const std::filesystem::path& stem) override {
    const std::vector<float> labels(last_.labels.begin(), last_.labels.end());
    write_npy<T>(stem.string() + ".points.npy", problem_.points, problem_.n, problem_.d);
    write_npy<float>(stem.string() + ".labels.npy", labels, problem_.n, 1);
    write_npy<T>(stem.string() + ".centroids.npy", last_.centroids, problem_.k, problem_.d);
  }

 private:
  /// One iterate by the clock, which stops when the device is idle too. Leaves the solution in last_.
  double timed_run(Measurement& m) {
    Trace untraced;
    const auto reset_start = std::chrono::steady_clock::now();
    solver_->reset();
    if (case_.on_gpu()) device::synchronize();
    reset_s_ = std::min(reset_s_, seconds_since(reset_start));
    std::optional<device::Timer> timer;
    if (case_.on_gpu()) {
      timer.emplace();
      timer->start();
    }
    const int stops_before = stops();
    const double kernel_start = kernel_clock_s();
    const auto start = std::chrono::steady_clock::now();
    const int iters = solver_->iterate(untraced);
    if (case_.on_gpu()) device::synchronize();
    const double sample_s = seconds_since(start), kernel_s = kernel_clock_s() - kernel_start;
    if (::getpid() != process_) ::_exit(1);  // a child that came back from iterate
    if (case_.on_gpu()) event_s_ = timer->stop();
    stopped_ = stops() != stops_before;
    if (std::abs(sample_s - kernel_s) > 0.02 * kernel_s + 1e-4)
      complaint_ = fmt::format("the clock was tampered with: {:.3g} s by the C library, {:.3g} s by the kernel", sample_s, kernel_s);
    const auto download_start = std::chrono::steady_clock::now();
    last_ = solver_->download();
    m.downloads_s.push_back(seconds_since(download_start));
    if (last_.iters != iters) last_.iters = -1;
    if (m.samples_s.empty()) m.iters = iters;
    return sample_s;
  }

  /// Work put off until download, or done in reset. The least of several counts: the machine has other things to do.
  std::string explain_times(const Measurement& m) const {
    const auto some = std::min<std::size_t>(last_.labels.size(), 1 << 20);
    double copy_s = std::numeric_limits<double>::infinity();
    for (int tries = 0; tries < 3; ++tries) {
      const auto start = std::chrono::steady_clock::now();
      const std::vector<std::int32_t> copy(last_.labels.begin(), last_.labels.begin() + std::ptrdiff_t(some));
      copy_s = std::min(copy_s, seconds_since(start) * double(last_.labels.size() + last_.centroids.size() + 1) / double(copy.size() + 1));
    }
    const double sample_s = median(m.samples_s), allowed = 10 * copy_s + 0.5 * sample_s + 5e-4;
    const double download_s = median(m.downloads_s);
    if (download_s > allowed)
      return fmt::format("download took {:.3g} ms beside {:.3g} ms of iterate: what is computed belongs to iterate", download_s * 1e3,
                         sample_s * 1e3);
    if (reset_s_ > allowed)
      return fmt::format("reset took {:.3g} ms beside {:.3g} ms of iterate: what is computed belongs to iterate", reset_s_ * 1e3, sample_s * 1e3);
    return "";
  }

  /// Judge the run just made, unless it is the first one's answer again, and keep what the replay needs.
  void note(Measurement& m) {
    if (m.samples_s.size() > 1 && !evidence_.first.labels.empty() && same_answer(evidence_.first, last_, start_.rotation(), problem_)) return;
    take(m, judged());
    if (m.judgement.verdict.empty()) m.judgement.verdict = complaint_;
    if (m.samples_s.size() > 1 && last_.iters == evidence_.first.iters)
      evidence_.others.push_back({start_.values(), last_.assigned_centroids, start_.rotation()});
  }

  void keep(Measurement& m) {
    const auto start = std::chrono::steady_clock::now();
    if (m.samples_s.size() == 1) {
      take(m, judged());
      if (m.judgement.verdict.empty()) m.judgement.verdict = complaint_;
      evidence_.first = last_;
      if (!dataset_->ideal_centroids.empty()) m.centroid_error = centroid_error(last_.centroids, dataset_->ideal_centroids, problem_.d);
    } else {
      note(m);
    }
    m.judge_s += seconds_since(start);
  }

  Judgement judged() {
    auto judgement = judge_(last_);
    if (judgement.verdict.empty() && last_.iters == 1 && !std::ranges::equal(last_.assigned_centroids, problem_.initial_centroids))
      judgement.verdict = "its one iteration did not start from the initial centroids";
    return judgement;
  }

  void take(Measurement& m, Judgement judgement) {
    const auto rank = [](const Judgement& j) { return std::tuple(!j.verdict.empty(), j.grade, j.wrong_labels, j.mean_error); };
    if (m.judgement.cluster_sizes.empty() || !judgement.verdict.empty() || rank(judgement) > rank(m.judgement)) m.judgement = std::move(judgement);
  }

  void look_at_process(Measurement& m) {
    std::string change = state_.change();
    const bool busy = has_busy_threads(), children = has_children();
    if (change.empty() && busy) change = "its threads go on computing after its runs";
    if (change.empty() && children) change = "it left a process behind";
    m.spoiled = !change.empty() || (!case_.on_gpu() && state_.has_more_threads());
    if (m.judgement.verdict.empty()) m.judgement.verdict = change;
  }

  ProcessState state_;
  Case case_;
  std::shared_ptr<const Points<T>> points_;
  const Dataset<T>* dataset_;
  Start<T> start_;
  Problem<T> problem_;
  Judge<T> judge_;
  std::unique_ptr<AnySolver<T>> solver_;
  Solution<T> last_;
  Evidence<T> evidence_;
  std::string complaint_;
  double event_s_ = 0, reset_s_ = std::numeric_limits<double>::infinity();
  pid_t process_ = ::getpid();
  bool stopped_ = false;
  std::optional<GpuState> gpu_;
};

}  // namespace

double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

std::unique_ptr<Session> prepare(const Case& c, Measurement& m) {
  const double needed = double(c.n) * c.d * c.value_bytes() + 12.0 * double(c.n), available = double(memory::available_bytes());
  if (available <= 0) throw std::runtime_error("the machine does not tell how much memory is available");
  if (needed > available)
    throw CannotRun(fmt::format("needs {:.1f} GiB of memory, {:.1f} GiB are available", needed / (1 << 30), available / (1 << 30)));
  if (c.precision == Precision::fp32) return std::make_unique<TypedSession<float>>(c, m);
  return std::make_unique<TypedSession<double>>(c, m);
}

}  // namespace km
