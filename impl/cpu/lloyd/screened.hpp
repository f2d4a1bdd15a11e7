// Exact labels at the speed of a matrix product. Scores s = x c - |c|²/2 are computed in fp32 for every precision, with points and centroids
// relative to the points' mean. A register tile is centroids x points; the best two scores of a point stay beside it. A point is decided if its best
// two scores differ by more than a proven bound of their errors. The few others are settled by differences, then exactly (bench/base/exact.hpp).
// Points are read once: the same pass adds them to their cluster's sums, in fp64, for fp64 points with compensation. If no sum of points needs
// rounding (integers, pixels), only moved points change the sums: the same bits for less work.
//
// The bound. Let x, c be exact, y, g their roundings, u = 2^-24. |y g - x c| <= 2u |x||c|. A chain of d FMAs that starts from the offset o errs by
// at most d u (|o| + |y||g|). The total is m (|x||c| + |c|²/2) with m = (d + 8) u, and |x||c| <= |x|²/2 + |c|²/2. With o = -(1 - 2m) |c|²/2 a score
// is at least s - m |x|²/2 and at most s + m (|x|²/2 + 4 |c|²/2). A centroid that trails the best, b, by m (|x|² + 4 |b|²/2) is therefore further
// away. s = x b - |b|²/2 implies |b|²/2 <= 2 |x|² - 2 s, hence the margin m (9 |x|² - 8 s), which far centroids do not widen. No case needs more than
// 0.54 of it, and one needs more than a third (tests/screened_test.cpp). If more than an eighth of a thread's points stays open (heavy tails), the
// thread continues with differences. Their error is relative, but a term takes two operations instead of one.
//
// Each loop over points is compiled for several instruction sets (strip_*.cpp); the best is chosen at run time. Where the CPU multiplies bfloat16 and
// the work is enough, scores come from one such product (tiles.hpp), with a wider margin: 2 n d bytes more, laid out in prepare. A thread continues
// with vectors if settling took more than a quarter of all distances.
//
// Threads that are ready take what others have left (Shares), so the order of a sum varies, and with it what fp64 rounds off.
//
// Cost of an iteration: points read once, 2 n k d flops, and 5 n k operations for the best two, each 4 to 16 points wide.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "impl/cpu/lloyd/strips.hpp"
#include "impl/cpu/solver.hpp"

#ifdef __x86_64__
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace km {
namespace {

using strips::Kernel, strips::Round, strips::Tiles, strips::Strategy, strips::Worker;

#ifdef __x86_64__
/// True if there is a matrix unit that this process may use.
bool has_tiles() {
  constexpr int request = 0x1023, tile_data = 18;  // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
  return __builtin_cpu_supports("amx-tile") && __builtin_cpu_supports("amx-bf16") && ::syscall(SYS_arch_prctl, request, tile_data) == 0;
}
#endif

/// True if this CPU has these instructions.
bool has(std::string_view instructions) {
#ifdef __x86_64__
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512vl");
  if (instructions == "avx2") return avx2;
  if (instructions == "avx512") return avx512;
  if (instructions == "bf16") return avx512 && __builtin_cpu_supports("avx512bf16");
  if (instructions == "amx") return has("bf16") && has_tiles();
#endif
  return instructions == "portable";
}

inline Parameter instructions_parameter() {
  return {.name = "instructions",
          .fallback = "best",
          .range = {"best", "amx", "bf16", "avx512", "avx2", "portable"},
          .help = "AMX's tiles, dot products of bfloat16, or vectors"};
}

inline std::string lacks_instructions(const ProblemShape&, const Config& config, int) {
  const std::string& set = config.word("instructions");
  return set == "best" || has(set) ? "" : "this CPU has no " + set;
}

/// True if tiles are faster than vectors, or about as fast (results/h200/bf16_ab.txt).
bool tiles_pay(int k, int d) { return d >= Tiles::depth && std::int64_t(k) * d >= 1000; }

template <class T>
Kernel<T> kernel_for(std::string_view instructions, int k, int d) {
  const auto chosen = [&](std::string_view set) {
    return instructions == set || (instructions == "best" && has(set) && ((set != "amx" && set != "bf16") || tiles_pay(k, d)));
  };
#ifdef __x86_64__
  if (chosen("amx") && has("amx")) return strips::amx_kernels();
  if (chosen("bf16")) return strips::bf16_kernels();
  if (chosen("avx512")) return strips::avx512_kernels();
  if (chosen("avx2")) return strips::avx2_kernels();
#endif
  return strips::portable_kernels();
}

template <class T>
class Screened : public CpuSolver<T> {
 public:
  /// margin_share: scales the proven margins; below 1 labels may be wrong (the fault margin_of_a_third).
  Screened(const Problem<T>& problem, const Config& config, Trace&, double margin_share = 1)
      : CpuSolver<T>(problem), kernel_(kernel_for<T>(config.word("instructions"), problem.k, problem.d)),
        threads_(int(std::clamp<std::int64_t>(threads_of(config, problem.group), 1, std::max<std::int64_t>(1, p_.n / kernel_.size)))),
        workers_(threads_), squares_(p_.k), order_(p_.k), sums_are_exact_(sums_are_exact()) {
    const std::int64_t d = p_.d, size = kernel_.size, stride = strips::stride(p_.d);
    round_ = {.n = p_.n,
              .d = p_.d,
              .k = p_.k,
              .points = p_.points.data(),
              .origin = origin(),
              .scored = {p_.k, p_.d, kernel_.score_rows},
              .plain = {p_.k, p_.d, kernel_.plain_rows},
              .screen_in_tiles = kernel_.screen_in_tiles};
    const auto margin = [&](double m) { return float(margin_share * 1.01 * m * (1 + 16 * m)); };  // and second-order terms
    if (kernel_.screen_in_tiles) round_.tiles = Tiles(p_.n, p_.k, d);
    round_.tile_margin = margin(1.1 * double(d + 8) * 0x1p-24);
    round_.missed_share = float(margin_share * 1.01);
    round_.near_margin = margin(3 * double(d + 8) * 0x1p-24);
    round_.score_margin = margin(double(d + 8) * 0x1p-24);
    round_.plain_margin = T(margin_share * 1.01 * (d + 4) * std::numeric_limits<T>::epsilon() / 2);
    Shortage shortage;
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
    for (int t = 0; t < threads_; ++t) {
      shortage.watch([&] {
        auto& worker = workers_[t];  // first touch by its own thread
        worker.columns.resize(size * std::max<std::int64_t>(d, strips::overread));
        worker.plain_columns.resize(worker.columns.size());
        worker.rows.resize(size * d + strips::overread);
        worker.scores.resize(size * (p_.k + std::max(kernel_.score_rows, kernel_.plain_rows)));
        worker.sums.resize(strips::copies(p_.k, p_.d) * p_.k * stride);
        worker.lost.resize(sizeof(T) == 8 ? worker.sums.size() : 0);
        worker.counts.resize(strips::copies(p_.k, p_.d) * p_.k);
        worker.tile_sums.resize(round_.tiles.blocks * Tiles::points * Tiles::width * Tiles::width);
      });
    }
    shortage.report();
#pragma omp parallel for num_threads(threads_) schedule(static) if (kernel_.lay_out)
    for (std::int64_t first = 0; first < (kernel_.lay_out ? p_.n : 0); first += size) kernel_.lay_out(round_, {first, std::min(p_.n, first + size)});
  }

  int iterate(Trace& trace) {
    begin_run();
    bool only_moved = false;
    return this->repeat(trace, [&] {
      const std::int64_t changed = assign(trace, only_moved);
      update(trace);
      only_moved = sums_are_exact_ && changed < p_.n / 3;  // a moved point is added twice
      return changed;
    });
  }

 protected:
  int threads() const { return threads_; }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;

  void begin_run() {
    for (auto& worker : workers_) worker.strategy = round_.screen_in_tiles ? Strategy::tiles : Strategy::products;
  }

  /// Labels all points and adds them to the threads' sums; only_moved: adds those that change cluster alone. Returns their number.
  std::int64_t assign(Trace& trace, bool only_moved) {
    round_.only_moved = only_moved;
    out_.assigned_centroids = out_.centroids;
    round_.centroids = out_.assigned_centroids.data();
    round_.labels = out_.labels.data();
    {
      const auto phase = trace.phase("assign");
      pack();
      strips::Shares shares(p_.n, kernel_.size, threads_);
#pragma omp parallel for num_threads(threads_) schedule(static, 1)
      for (int t = 0; t < threads_; ++t) {
        auto& worker = workers_[t];
        if (!round_.only_moved) {
          std::ranges::fill(worker.sums, 0.0);
          std::ranges::fill(worker.lost, 0.0);
          std::ranges::fill(worker.counts, 0);
        }
        worker.changed = worker.settled = worker.candidates = worker.screened = worker.opened = 0;
        kernel_.pass(round_, worker, shares, t);
      }
    }
    std::int64_t changed = 0;
    for (auto& worker : workers_) {
      changed += worker.changed;
      trace.count("settled", double(worker.settled));
      trace.count("candidates", double(worker.candidates));
      trace.count("tile_threads", worker.strategy == Strategy::tiles);
      trace.count("plain_threads", worker.strategy == Strategy::differences);
      if (worker.strategy == Strategy::tiles && worker.opened * 4 > worker.screened * p_.k) worker.strategy = Strategy::products;
    }
    return changed;
  }

 private:
  /// Mean of up to 4096 evenly spaced points. Any origin is correct; one among the points leaves few open.
  strips::Buffer<T> origin() const {
    const std::int64_t wanted = std::min<std::int64_t>(p_.n, 4096);
    std::vector<double> sums(p_.d);
    for (std::int64_t s = 0; s < wanted; ++s)
      for (int j = 0; j < p_.d; ++j) sums[j] += p_.points[s * (p_.n / wanted) * p_.d + j] / double(wanted);
    strips::Buffer<T> mean(strips::overread * (p_.d + 1));
    for (std::size_t at = 0; at < mean.size(); ++at) mean[at] = T(sums[at % p_.d]);
    return mean;
  }

  /// True if all values are multiples of a power of two, and n times the largest is below 2^51 of it. Then fp64 holds any sum of the points.
  bool sums_are_exact() const {
    const std::int64_t size = std::ssize(p_.points);
    T most = std::numeric_limits<T>::min();
#pragma omp parallel for num_threads(threads_) reduction(max : most)
    for (std::int64_t at = 0; at < size; ++at) most = std::max(most, std::abs(p_.points[at]));
    const double per_unit = std::ldexp(1.0, 50 - std::ilogb(most) - int(std::bit_width(std::uint64_t(p_.n))));
    constexpr double ones = 3 * 0x1p51;  // adding it drops the fraction
    bool exact = per_unit < std::numeric_limits<double>::infinity();
#pragma omp parallel for num_threads(threads_) reduction(&& : exact)
    for (std::int64_t first = 0; first < size; first += 4096) {
      const std::int64_t last = exact ? std::min(size, first + 4096) : first;
      std::int64_t fractions = 0;
      for (std::int64_t at = first; at < last; ++at) {
        const double units = double(p_.points[at]) * per_unit;
        fractions += (units + ones) - ones != units;
      }
      exact = exact && fractions == 0;
    }
    return exact;
  }

  /// Packs the centroids as the threads read them. A centroid equal to one of a lower index never wins and is left out.
  void pack() {
    const int d = p_.d, k = p_.k;
    const auto row = [&](int c) { return std::span(round_.centroids + std::size_t(c) * d, d); };
    const auto relative = [&](int c, int j) { return double(row(c)[j]) - double(round_.origin[j]); };
    const bool tiled = round_.screen_in_tiles;
    const bool vectors = std::ranges::any_of(workers_, [](const Worker<T>& worker) { return worker.strategy != Strategy::tiles; });
    bool no_room = d > 100'000;  // in fp32, for the values or the margin
    // A part is whole cache lines of each layout: 16 centroids and 32 dimensions.
    constexpr int width = Tiles::width, depth = Tiles::depth;
#pragma omp parallel num_threads(threads_) if (std::int64_t(k) * d > 2000)
    {
#pragma omp for schedule(static) reduction(|| : no_room)
      for (int c = 0; c < k; ++c) {
        double square = 0, missed = 0;
        for (int j = 0; j < d; ++j) {
          const double value = relative(c, j);
          square += value * value;
          if (!tiled) continue;
          const double miss = value - Tiles::value(Tiles::bits(float(value)));
          missed += miss * miss;
        }
        squares_[c] = square;
        no_room = no_room || !(square < 1e37);
        if (tiled) round_.tiles.missed[c] = float(round_.missed_share * std::sqrt(missed));
      }
#pragma omp single nowait
      set_offsets(row);
#pragma omp for collapse(2) schedule(static)
      for (int block = 0; block < k; block += width)
        for (int begin = 0; begin < d; begin += depth)
          for (int c = block; c < std::min(block + width, k); ++c) {
            float* const scored = round_.scored.value(c, d);
            T* const plain = round_.plain.value(c, d);
            for (int j = begin; j < std::min(begin + depth, d); ++j) {
              const float value = float(relative(c, j));
              if (tiled) round_.tiles.set(c, j, value);
              if (!vectors && !no_room) continue;
              scored[j * kernel_.score_rows] = value;
              plain[j * kernel_.plain_rows] = row(c)[j];
            }
          }
    }
    if (no_room)
      for (auto& worker : workers_) worker.strategy = Strategy::differences;
  }

  /// Sets what the scores start from. row: of a centroid.
  template <class Row>
  void set_offsets(Row row) {
    std::iota(order_.begin(), order_.end(), 0);
    std::ranges::sort(order_, [&](int a, int b) {
      if (squares_[a] != squares_[b]) return squares_[a] < squares_[b];
      const auto order = std::lexicographical_compare_three_way(row(a).begin(), row(a).end(), row(b).begin(), row(b).end());
      return order == 0 ? a < b : order < 0;
    });
    for (int at = 0; at < p_.k; ++at) {
      const int c = order_[at];
      const bool repeated = at > 0 && squares_[c] == squares_[order_[at - 1]] && std::ranges::equal(row(c), row(order_[at - 1]));
      const auto offset = [&](float margin) {
        return repeated ? -std::numeric_limits<float>::infinity() : float(-squares_[c] / 2 * (1 - 2 * double(margin)));
      };
      round_.scored.offsets[c] = offset(round_.score_margin);
      round_.plain.offsets[c] = repeated ? -std::numeric_limits<T>::infinity() : 0;
      if (round_.screen_in_tiles) round_.tiles.offsets[c] = offset(round_.tile_margin);
    }
  }

  void update(Trace& trace) {
    const auto phase = trace.phase("update");
    const int d = p_.d, k = p_.k, stride = strips::stride(d), copies = strips::copies(k, d);
    constexpr int part = 64;  // sums of one centroid that a thread adds up at once: whole cache lines, enough for the processor to fetch ahead
#pragma omp parallel for collapse(2) num_threads(threads_) schedule(static) if (std::int64_t(k) * d * copies * threads_ > 10'000)
    for (int c = 0; c < k; ++c)
      for (int first = 0; first < d; first += part) {
        const int length = std::min(part, stride - first);
        std::int64_t count = 0;
        double sum[part] = {}, lost[part] = {};
        for (const auto& worker : workers_)
          for (int copy = 0; copy < copies; ++copy) {
            const std::size_t row = std::size_t(copy) * k + c;
            count += worker.counts[row];
            for (int j = 0; j < length; ++j) {
              const double term = worker.sums[row * stride + first + j], next = sum[j] + term, of_term = next - sum[j];
              lost[j] += (sum[j] - (next - of_term)) + (term - of_term);
              if constexpr (sizeof(T) == 8) lost[j] += worker.lost[row * stride + first + j];
              sum[j] = next;
            }
          }
        for (int j = 0; count > 0 && j < std::min(part, d - first); ++j)
          out_.centroids[std::size_t(c) * d + first + j] = T((sum[j] + lost[j]) / double(count));
      }
  }

  Kernel<T> kernel_;
  int threads_;
  std::vector<Worker<T>> workers_;
  std::vector<double> squares_;  // |c|² of the centroids, relative to the origin
  std::vector<int> order_;       // centroids, equal ones adjacent
  bool sums_are_exact_;
  Round<T> round_;
};

}  // namespace
}  // namespace km
