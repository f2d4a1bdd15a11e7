// Exact labels at the speed of a matrix product. Scores s = x c - |c|²/2, of points and centroids counted from the points' mean, in fp32
// whatever the points are: a register tile of centroids x points, the best two kept beside it. A point is decided where the two
// are further apart than a proven bound of their errors; the few others are settled by differences, then exactly (bench/exact.hpp).
// Points are read once: the same pass adds them to their cluster's sums, in fp64, and for fp64 with the additions' errors kept.
//
// The bound. Let x, c be exact, y, g what they are rounded to, u = 2^-24. |y g - x c| <= 2u |x||c|, and a chain of d FMAs that starts
// from the offset o errs by d u (|o| + |y||g|) at most: in all by m (|x||c| + |c|²/2), m = (d + 8) u, where |x||c| <= |x|²/2 + |c|²/2.
// So with o = -(1 - 2m) |c|²/2 a score is at least s - m |x|²/2 and at most s + m (|x|²/2 + 4 |c|²/2), and who trails the best, b, by
// m (|x|² + 4 |b|²/2) is further away. From s = x b - |b|²/2 follows |b|²/2 <= 2 |x|² - 2 s, hence the margin m (9 |x|² - 8 s): far centroids
// do not widen it. Where more than an eighth of a thread's points stays open (heavy tails), it goes on with differences, whose
// error is relative: two operations a term instead of one.
//
// Cost of an iteration: points read once, 2 n k d flops and 5 n k operations to keep the best two, each of them 4 to 16 points wide.
#include <omp.h>

#include <algorithm>
#include <numeric>

#include "bench/implementation.hpp"

#define KM_INSTRUCTIONS portable
#define KM_VECTOR_BYTES 16
#include "impl/cpu/lloyd/strip.hpp"
#undef KM_INSTRUCTIONS
#undef KM_VECTOR_BYTES

#ifdef __x86_64__
#pragma GCC push_options
#pragma GCC target("avx2,fma")
#define KM_INSTRUCTIONS avx2
#define KM_VECTOR_BYTES 32
#include "impl/cpu/lloyd/strip.hpp"
#undef KM_INSTRUCTIONS
#undef KM_VECTOR_BYTES
#pragma GCC target("avx512f,avx512dq,avx512bw,avx512vl")
#define KM_INSTRUCTIONS avx512
#define KM_VECTOR_BYTES 64
#include "impl/cpu/lloyd/strip.hpp"
#pragma GCC pop_options
#endif

namespace km {
namespace {

using strips::Round, strips::Worker;

/// The pass over a thread's points, with the shapes of its strips and register tiles.
template <class T>
struct Kernel {
  int size, score_rows, plain_rows;
  void (*pass)(const Round<T>&, Worker<T>&, std::int64_t first, std::int64_t last);
};
template <class T, class Strip>
constexpr Kernel<T> kernel = {Strip::size, Strip::template rows<float>, Strip::template rows<T>, Strip::pass};

template <class T>
Kernel<T> best_kernel() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl"))
    return kernel<T, strips::avx512::Strip<T>>;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kernel<T, strips::avx2::Strip<T>>;
#endif
  return kernel<T, strips::portable::Strip<T>>;
}

template <class T>
class Screened {
 public:
  Screened(const Problem<T>& problem, const Config& config, Trace&)
      : p_(problem), kernel_(best_kernel<T>()),
        threads_(int(std::clamp<std::int64_t>(config.integer("threads") > 0 ? config.integer("threads") : omp_get_num_procs(), 1,
                                              std::max<std::int64_t>(1, p_.n / kernel_.size)))),
        workers_(threads_), order_(p_.k) {
    const std::int64_t d = p_.d, size = kernel_.size, stride = strips::stride(p_.d);
    round_ = {.n = p_.n,
              .d = p_.d,
              .k = p_.k,
              .points = p_.points.data(),
              .origin = origin(),
              .scored = {p_.k, p_.d, kernel_.score_rows},
              .plain = {p_.k, p_.d, kernel_.plain_rows}};
    const double m = double(d + 8) * 0x1p-24;
    round_.score_margin = float(1.01 * m * (1 + 16 * m));  // and what is of second order
    round_.plain_margin = T(1.01 * (d + 4) * std::numeric_limits<T>::epsilon() / 2);
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int t = 0; t < threads_; ++t) {
      auto& worker = workers_[t];  // touched by its own thread first
      worker.columns.resize(size * std::max<std::int64_t>(d, strips::overread));
      worker.plain_columns.resize(worker.columns.size());
      worker.rows.resize(size * d + strips::overread);
      worker.scores.resize(size * (p_.k + std::max(kernel_.score_rows, kernel_.plain_rows)));
      worker.sums.resize(strips::copies(p_.k, p_.d) * p_.k * stride);
      worker.lost.resize(sizeof(T) == 8 ? worker.sums.size() : 0);
      worker.counts.resize(strips::copies(p_.k, p_.d) * p_.k);
    }
  }

  void reset() { out_.poison(p_); }

  int iterate(Trace& trace) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    out_.labels.assign(p_.n, no_label);
    round_.labels = out_.labels.data();
    for (auto& worker : workers_) worker.plain = false;
    for (out_.iters = 1;; ++out_.iters) {
      trace.begin_iteration();
      const auto changed = iteration(trace);
      if (out_.iters == p_.max_iters || p_.converged(changed)) return out_.iters;
    }
  }

  Solution<T> download() { return out_; }

 private:
  std::int64_t iteration(Trace& trace) {
    out_.assigned_centroids = out_.centroids;
    round_.centroids = out_.assigned_centroids.data();
    {
      const auto phase = trace.phase("assign");
      pack();
      const std::int64_t strips = (p_.n + kernel_.size - 1) / kernel_.size;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
      for (int t = 0; t < threads_; ++t) {
        auto& worker = workers_[t];
        std::ranges::fill(worker.sums, 0.0);
        std::ranges::fill(worker.lost, 0.0);
        std::ranges::fill(worker.counts, 0);
        worker.changed = worker.settled = worker.candidates = worker.screened = 0;
        kernel_.pass(round_, worker, strips * t / threads_ * kernel_.size, std::min(p_.n, strips * (t + 1) / threads_ * kernel_.size));
      }
    }
    const auto phase = trace.phase("update");
    update();
    std::int64_t changed = 0;
    for (const auto& worker : workers_) {
      changed += worker.changed;
      trace.count("settled", double(worker.settled));
      trace.count("candidates", double(worker.candidates));
      trace.count("plain_threads", worker.plain);
    }
    return changed;
  }

  /// The mean of up to 4096 points, evenly spaced; any origin is right, one amid the points leaves few open.
  strips::Buffer<T> origin() const {
    const std::int64_t wanted = std::min<std::int64_t>(p_.n, 4096);
    std::vector<double> sums(p_.d);
    for (std::int64_t s = 0; s < wanted; ++s)
      for (int j = 0; j < p_.d; ++j) sums[j] += p_.points[s * (p_.n / wanted) * p_.d + j] / double(wanted);
    strips::Buffer<T> mean(strips::overread * (p_.d + 1));
    for (std::size_t at = 0; at < mean.size(); ++at) mean[at] = T(sums[at % p_.d]);
    return mean;
  }

  /// The centroids in both layouts. One that equals another of a lower index never wins, and is left out.
  void pack() {
    const int d = p_.d, k = p_.k;
    const auto row = [&](int c) { return std::span(round_.centroids + std::size_t(c) * d, d); };
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, [&](int a, int b) {
      const auto order = std::lexicographical_compare_three_way(row(a).begin(), row(a).end(), row(b).begin(), row(b).end());
      return order == 0 ? a < b : order < 0;
    });
    bool no_room = d > 100'000;  // in fp32, for the values or the margin
#pragma omp parallel for num_threads(threads_) schedule(static) reduction(|| : no_room) if (std::int64_t(k) * d > 20'000)
    for (int at = 0; at < k; ++at) {
      const int c = order_[at];
      const bool repeated = at > 0 && std::ranges::equal(row(c), row(order_[at - 1]));
      double square = 0;
      float* scored = round_.scored.value(c, d);
      T* plain = round_.plain.value(c, d);
      for (int j = 0; j < d; ++j) {
        const double value = double(row(c)[j]) - double(round_.origin[j]);
        square += value * value;
        scored[j * kernel_.score_rows] = float(value);
        plain[j * kernel_.plain_rows] = row(c)[j];
      }
      no_room = no_room || !(square < 1e37);
      round_.scored.offsets[c] = repeated ? -std::numeric_limits<float>::infinity() : float(-square / 2 * (1 - 2 * double(round_.score_margin)));
      round_.plain.offsets[c] = repeated ? -std::numeric_limits<T>::infinity() : 0;
    }
    for (auto& worker : workers_) worker.plain |= no_room;
  }

  void update() {
    const int d = p_.d, k = p_.k, stride = strips::stride(d), copies = strips::copies(k, d);
#pragma omp parallel for num_threads(threads_) schedule(static) if (std::int64_t(k) * d > 20'000)
    for (int c = 0; c < k; ++c) {
      std::int64_t count = 0;
      for (const auto& worker : workers_)
        for (int copy = 0; copy < copies; ++copy) count += worker.counts[copy * k + c];
      if (count == 0) continue;
      for (int j = 0; j < d; ++j) {
        double sum = 0, lost = 0;
        for (const auto& worker : workers_)
          for (int copy = 0; copy < copies; ++copy) {
            const std::size_t at = (std::size_t(copy) * k + c) * stride + j;
            const double term = worker.sums[at], next = sum + term, of_term = next - sum;
            lost += (sum - (next - of_term)) + (term - of_term);
            if constexpr (sizeof(T) == 8) lost += worker.lost[at];
            sum = next;
          }
        out_.centroids[std::size_t(c) * d + j] = T((sum + lost) / double(count));
      }
    }
  }

  Problem<T> p_;
  Kernel<T> kernel_;
  int threads_;
  std::vector<Worker<T>> workers_;
  std::vector<int> order_;  // centroids, equal ones side by side
  Round<T> round_;
  Solution<T> out_;
};

const Register<Screened> registration{{
    .summary = "matrix product in fp32, the best two of each point, exact where a proven margin leaves it open; sums in the same pass",
    .parameters = {{.name = "threads", .fallback = 0, .range = {0, 1, 2, 3, 7, 16, 64, 256}, .tunable = true, .help = "0: all hardware threads"}},
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },
}};

}  // namespace
}  // namespace km
