// A correct Lloyd's: distances in fp64 and sums in long double for every T. Each fault breaks one thing, most of them one hook:
//
//   KM_BREAK(label, half_of_the_centroids, "knows only half of the centroids", .run = verdict::label) {
//     return this->nearest(i, 0, (this->p_.k + 1) / 2);
//   }
//
// This registers faults/half_of_the_centroids with the result that tests/python/test_faults.py expects. The file is its category.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bench/contract/implementation.hpp"
#include "bench/contract/lloyd.hpp"

namespace km {

template <class T>
struct RightLloyd {
  virtual ~RightLloyd() = default;
  virtual void prepare(const Config&) {}  // the rest of the constructor; p_ is set

  void reset() { out_.poison(p_); }
  int iterate(Trace& trace) { return make(trace, p_.max_iters); }
  Solution<T> download() { return out_; }

  /// At most so many iterations from the start.
  int make(Trace& trace, int max_iters) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    return go_on(trace, max_iters);
  }

  /// At most so many iterations from the centroids there are.
  int go_on(Trace& trace, int max_iters) {
    ProblemShape shape = p_;
    shape.max_iters = asked_ = max_iters;
    iter_ = 0;
    out_.labels.assign(p_.n, no_label);
    out_.iters = lloyd(
        shape, trace,
        [this] {
          ++iter_;
          return assign();
        },
        [this] { update(); });
    finish();
    return out_.iters;
  }

  /// Makes so many iterations and reports all that were asked for: a lie that agrees with itself.
  int lie(Trace& trace, int made = 1) {
    make(trace, made);
    return out_.iters = p_.max_iters;
  }

  // ---- the hooks that a fault may replace ----

  virtual std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const std::int32_t now = label(i), before = std::exchange(out_.labels[i], now);
      changed += now != before;
    }
    return changed;
  }
  virtual std::int32_t label(std::int64_t i) { return nearest(i, 0, p_.k); }
  virtual bool nearer(double dist, double best) { return dist < best; }
  virtual double distance(std::int64_t i, int c) const {
    double dist = 0;
    for (int j = 0; j < p_.d; ++j) dist += term(j, x(i, j), centroid(c, j));
    return dist;
  }
  virtual double term(int, double x, double centroid) const { return (x - centroid) * (x - centroid); }

  virtual void update() {
    std::vector<long double> sums(out_.centroids.size());
    counts_.assign(p_.k, 0);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      if (!counted(i)) continue;
      const std::size_t c = out_.labels[i];
      ++counts_[c];
      for (int j = 0; j < p_.d; ++j) sums[c * p_.d + j] = add(sums[c * p_.d + j], x(i, j));
    }
    for (int c = 0; c < p_.k; ++c)
      for (int j = 0; j < p_.d; ++j) at(c, j) = counts_[c] > 0 ? T(mean(sums[std::size_t(c) * p_.d + j], counts_[c])) : of_empty(c, j);
  }
  virtual bool counted(std::int64_t) { return true; }
  virtual long double add(long double sum, double value) { return sum + value; }
  virtual double mean(long double sum, std::int64_t count) { return double(sum / count); }
  virtual T of_empty(int c, int j) { return T(centroid(c, j)); }

  virtual void finish() {}  // after the last iteration

  // ---- their parts ----

  double x(std::int64_t i, int j) const { return p_.points[i * p_.d + j]; }
  double centroid(int c, int j) const { return out_.assigned_centroids[std::size_t(c) * p_.d + j]; }
  T& at(int c, int j) { return out_.centroids[std::size_t(c) * p_.d + j]; }
  bool last() const { return iter_ == asked_; }

  /// The nearest of centroids first, …, end - 1.
  std::int32_t nearest(std::int64_t i, int first, int end) {
    std::int32_t best = first;
    double best_dist = distance(i, first);
    for (int c = first + 1; c < end; ++c)
      if (const double dist = distance(i, c); nearer(dist, best_dist)) {
        best_dist = dist;
        best = c;
      }
    return best;
  }

  Problem<T> p_;
  Solution<T> out_;
  std::vector<std::int64_t> counts_;
  int iter_ = 0, asked_ = 0;  // this iteration, from 1, and the last one
  int runs_ = 0;              // free for faults that count their runs
};

/// Sums in long double, rounded once.
inline std::int64_t rounded_once(const ProblemShape&, const Config&) { return 1; }

/// The declarations of most faults, of one that does not declare short sums, and of one on the GPU with the limits of its original.
inline Description fault(std::string_view summary) { return {.summary = summary, .summation_depth = rounded_once}; }
inline Description fault(Description description) { return description; }
inline Description sums_plainly(std::string_view summary) { return {.summary = summary}; }
inline Description fault_on_gpu(std::string_view summary, std::function<std::string(const ProblemShape&)> too_large = {},
                                std::vector<Parameter> parameters = {}) {
  Description made = fault(summary);
  made.device = Device::gpu;
  made.parameters = std::move(parameters);
  if (too_large) made.unsupported = [too_large](const ProblemShape& p, const Config&, int) { return too_large(p); };
  return made;
}

/// The program's expected answer to a fault.
struct Expected {
  std::string run = "";         // a regular expression for the sentence of `kmbench run`; "" where it calls the fault right
  std::string on = "blobs";     // a problem of tests/python/faults.py
  std::string check = "d = 2";  // an awkward shape on which `kmbench check` has to see it; "": it need not
  std::vector<std::string> precisions = {"fp64"};
  std::string argued = "";  // why it may pass
  bool fp64_only = false;
};
inline const std::vector<std::string> both = {"fp32", "fp64"};
inline const std::string converges = "converges, tolerance 0.01";

namespace verdict {
inline const std::string start = "did not start from the initial centroids",
                         link = R"(iteration \d+ does not go on where a run of \d+ iterations ends|^it began \d+ iterations and reported \d+)",
                         early = R"(^it stopped after (\d+ iterations although|1 iteration, in which))",
                         late = R"(^it went on for \d+ iterations although)", label = R"(has label \d+ \(distance² \S+\) but centroid \d+ is nearer)",
                         tie = R"(is at the same distance² \(\S+\) and has the lower index)", mean = R"(but the mean of its \d+ points is)",
                         empty = R"(centroid \d+ has no points and moved)", again = start + "|" + link, download = "^(reset and )?download took",
                         writes = "^it wrote to the (points|initial centroids), which are not its own$", endless = "^no end after 1 s",
                         remembered = "^a run from rows that nobody could foresee took",
                         refused = R"(^it does not support \d+ iterations of \d+ points: )", clock = "^the clock was tampered with",
                         points = "^it changed the points$", whole = "^reset and download took";
inline std::string exit_code(int code) { return "^the worker process ended with exit code " + std::to_string(code) + " "; }
inline std::string signal(int number) { return "^the worker process died of signal " + std::to_string(number) + " "; }
}  // namespace verdict

/// Every fault of this program: name, category and expected answer. tests/check_test.cpp hands it to Python.
struct Catalogued {
  std::string name, category, summary;
  Expected expected;
};
inline std::vector<Catalogued>& planted() {
  static std::vector<Catalogued> all;
  return all;
}

/// Registers a fault: a class with a solver's constructor, or a RightLloyd, which gets its problem by hand.
template <template <class> class S>
struct Planted {
  Planted(std::string name, Description description, Expected expected, std::source_location file = std::source_location::current()) {
    const std::string path = name_from_path(file.file_name()), category = path.substr(path.rfind('/') + 1);
    const bool fp64_only = expected.fp64_only;
    const std::string summary(description.summary);
    register_implementation({.name = (category == "probes" ? "faults/probes/" : "faults/") + name,
                             .description = std::move(description),
                             .fp32 = fp64_only ? Prepare<float>() : prepare<float>,
                             .fp64 = prepare<double>});
    planted().push_back({std::move(name), category, summary, std::move(expected)});
  }

 private:
  template <class T>
  struct Solver final : AnySolver<T> {
    Solver(const Problem<T>& problem, const Config& config, Trace&) requires std::default_initializable<S<T>> {
      solver.p_ = problem;
      solver.prepare(config);
    }
    Solver(const Problem<T>& problem, const Config& config, Trace& trace) : solver(problem, config, trace) {}
    void reset() override { solver.reset(); }
    int iterate(Trace& trace) override { return solver.iterate(trace); }
    Solution<T> download() override { return solver.download(); }
    S<T> solver;
  };
  template <class T>
  static std::unique_ptr<AnySolver<T>> prepare(const Problem<T>& problem, const Config& config, Trace& trace) {
    return std::make_unique<Solver<T>>(problem, config, trace);
  }
};

/// Plants a class template that is defined next.
#define KM_PLANT(name, says, ...) \
  template <class T>              \
  struct name;                    \
  const Planted<name> planted_##name{#name, fault(says), {__VA_ARGS__}};
/// The same and the class's head, after a `struct` that is there for clang-format: without a base, and from a RightLloyd.
#define KM_PLANTED(name, says, ...) \
  name##_planted;                   \
  KM_PLANT(name, says, __VA_ARGS__) \
  template <class T>                \
  struct name
#define KM_FAULT(name, says, ...) KM_PLANTED(name, says, __VA_ARGS__) : RightLloyd<T>
/// The same for a fault that replaces one hook; the hook's body follows. Parameters have the names below.
#define KM_BREAK(hook, name, says, ...) \
  KM_PLANT(name, says, __VA_ARGS__)     \
  template <class T>                    \
  struct name : RightLloyd<T> {         \
    KM_HOOK_##hook(, override);         \
  };                                    \
  template <class T>                    \
  KM_HOOK_##hook(name<T>::, )
#define KM_HOOK_prepare(in, over) void in prepare([[maybe_unused]] const Config& config) over
#define KM_HOOK_iterate(in, over) int in iterate([[maybe_unused]] Trace& trace)
#define KM_HOOK_download(in, over) Solution<T> in download()
#define KM_HOOK_assign(in, over) std::int64_t in assign() over
#define KM_HOOK_label(in, over) std::int32_t in label([[maybe_unused]] std::int64_t i) over
#define KM_HOOK_nearer(in, over) bool in nearer(double dist, double best) over
#define KM_HOOK_distance(in, over) double in distance(std::int64_t i, int c) const over
#define KM_HOOK_term(in, over) double in term([[maybe_unused]] int j, double x, double centroid) const over
#define KM_HOOK_update(in, over) void in update() over
#define KM_HOOK_counted(in, over) bool in counted(std::int64_t i) over
#define KM_HOOK_add(in, over) long double in add(long double sum, double value) over
#define KM_HOOK_mean(in, over) double in mean(long double sum, std::int64_t count) over
#define KM_HOOK_of_empty(in, over) T in of_empty([[maybe_unused]] int c, [[maybe_unused]] int j) over
#define KM_HOOK_finish(in, over) void in finish() over

/// The nearest number of that many significant bits (11: half and TF32, 8: bfloat16).
inline double rounded(double value, int bits) {
  const std::uint64_t last = std::uint64_t(1) << (53 - bits);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + last / 2) & ~(last - 1));
}

}  // namespace km
