// The contract of an implementation: a class template over the precision with four verbs, and one registration.
//
//   template <class T> struct TwoStep {
//     TwoStep(const Problem<T>&, const Config&, Trace&);   // prepare: allocate, upload, change layout
//     void reset();                                        // poison the outputs, read the initial centroids
//     int iterate(Trace&);                                 // all iterations, finished on return; repeatable
//     Solution<T> download();                              // result of the last iterate
//     void limit(int iters);                               // optional: later runs stop after so many, at most the problem's; auto's trials need it
//   };
//   const Register<TwoStep> registration{{.summary = "sums per package, then over packages", .paper = "he2021"}};
//
// The harness calls reset before every iterate. The values of the initial centroids change between runs: read them in reset or iterate.
// Points and initial centroids are read-only memory. The verbs are the timing boundary.
// The file's path below impl/ is the implementation's name. No list names it.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "bench/contract/problem.hpp"
#include "bench/contract/trace.hpp"

namespace km {

enum class Device { cpu, gpu };
/// kmeans is the task of problem.hpp; spectral that of chain.hpp.
enum class Task { kmeans, spectral };
enum class Precision { fp32, fp64 };

template <class T>
constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::fp32 : Precision::fp64;

/// How an implementation evaluates distance², which bounds its rounding: sum of (x-c)², |x|² - 2xc + |c|², or the latter with factors rounded to
/// TF32 (11 bits). Checks judge TF32 but do not compare its final inertia.
enum class Distance { difference, expansion, expansion_tf32 };

using Value = std::variant<std::int64_t, std::string>;
std::string to_string(const Value& value);

/// An input beside the problem. A number lies between the first and the last of `range` (ascending, the values for tuning). A word is one of `range`
/// (empty: any word, which `unsupported` checks).
struct Parameter {
  std::string_view name;
  Value fallback;
  std::vector<Value> range;
  bool tunable = false;  // changes speed only
  std::string_view help = "";
  /// What a number comes to for this shape within this machine's hardware. Tuning tries one of those that come to the same. Empty: itself.
  std::function<std::int64_t(std::int64_t value, const ProblemShape& shape, int value_bytes)> effective = {};
};

/// The parameter `threads` of CPU implementations. Checks try a number that divides nothing and one above most machines.
Parameter threads_parameter();

/// Parameter values of one run: one for every declared parameter, within its range.
class Config {
 public:
  Config() = default;
  explicit Config(std::map<std::string, Value, std::less<>> values) : values_(std::move(values)) {}
  /// Returns a declared parameter's value. Throws std::logic_error if it is not declared or of the other kind.
  std::int64_t number(std::string_view name) const;
  int integer(std::string_view name) const { return static_cast<int>(number(name)); }
  const std::string& word(std::string_view name) const;
  const auto& values() const { return values_; }

 private:
  std::map<std::string, Value, std::less<>> values_;
};

/// The least memory traffic and arithmetic of one iteration: the floor for measured times.
struct Work {
  double bytes = 0;  // device memory or DRAM; each input read once, each output written once
  double flops = 0;  // an fma counts two
};

/// Floor of Lloyd's: points read once, labels written once; 3 d flops per distance, d additions per point.
Work lloyd_work(const ProblemShape& shape, const Config& config, int value_bytes);

struct Description {
  std::string_view summary;
  std::string_view paper = "";  // key of the paper with the idea
  Device device = Device::cpu;
  std::vector<Parameter> parameters = {};
  /// Returns why this combination cannot run, or "". value_bytes is 4 or 8.
  std::function<std::string(const ProblemShape&, const Config&, int value_bytes)> unsupported = {};
  Distance distance = Distance::difference;
  /// Longest chain of additions behind a centroid value (default n, in fixed point 1): bounds the error of means.
  std::function<std::int64_t(const ProblemShape&, const Config&)> summation_depth = {};
  /// True if it sums in fixed point. A mean may then also be off by two fp64 roundings of the greatest |x| of its dimension.
  bool fixed_point = false;
  /// True if it subtracts the mean of all points first. Rounding of means then grows with |mean of all|, too, and rounding of products with
  /// distances from there.
  bool centred = false;
  /// Points whose sum a thread keeps while they come and go (default 0: sums start anew in each iteration). The rounding of those that left stays.
  std::function<std::int64_t(const ProblemShape&, const Config&)> kept_points = {};
  std::function<Work(const ProblemShape&, const Config&, int value_bytes)> work = lloyd_work;
  /// Terms of the time of a run of max_iters iterations (bytes, multiply-adds, launches), for auto. A calibration finds the seconds of one each.
  std::function<std::vector<double>(const ProblemShape&, const Config&, int value_bytes)> cost = {};
  /// How it departs from the task, in words (such as moving an empty cluster). Checks judge it but do not compare it.
  std::string_view departs = "";
  /// True if it makes means from the previous means, whose rounding accumulates. Also a departure.
  std::function<bool(const Config&)> incremental = {};
  /// True if it runs on several ranks, each with its shard: Problem::group, whose sums are its only meeting. All ranks end with the same centroids.
  bool shards = false;
  Task task = Task::kmeans;
};

/// All parameters at their defaults.
inline Config defaults(const Description& description) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : description.parameters) values.emplace(parameter.name, parameter.fallback);
  return Config(std::move(values));
}

inline std::int64_t summation_depth(const Description& description, const ProblemShape& shape, const Config& config) {
  if (description.summation_depth) return std::max<std::int64_t>(1, description.summation_depth(shape, config));
  return description.fixed_point ? 1 : shape.n;
}

inline std::int64_t kept_points(const Description& description, const ProblemShape& shape, const Config& config) {
  return description.kept_points ? description.kept_points(shape, config) : 0;
}

/// Returns how a configuration departs from the task, or "".
inline std::string_view departure(const Description& description, const Config& config) {
  if (description.departs.empty() && description.incremental && description.incremental(config))
    return "means are made from the means before, and their rounding adds up";
  return description.departs;
}

// clang-format off: older ones do not know concepts
template <class S, class T>
concept Solver = std::constructible_from < S,
        const Problem<T>
&, const Config&, Trace& > &&requires(S s, Trace& trace) {
  s.reset();
  { s.iterate(trace) } -> std::same_as<int>;
  { s.download() } -> std::same_as<Solution<T>>;
};
// clang-format on

/// A Solver behind virtual calls, for the registry.
template <class T>
struct AnySolver {
  virtual ~AnySolver() = default;
  virtual void reset() = 0;
  virtual int iterate(Trace& trace) = 0;
  virtual Solution<T> download() = 0;
  /// Later runs make at most so many iterations, which the problem allows. False if it cannot.
  virtual bool limit(int /*iters*/) { return false; }
};

template <class T>
using Prepare = std::function<std::unique_ptr<AnySolver<T>>(const Problem<T>&, const Config&, Trace&)>;

struct Implementation {
  std::string name;  // cpu/lloyd/two_step
  Description description;
  Prepare<float> fp32 = {};  // empty if the precision is not registered
  Prepare<double> fp64 = {};

  bool has(Precision precision) const { return precision == Precision::fp32 ? bool(fp32) : bool(fp64); }
  template <class T>
  const Prepare<T>& prepare() const {
    if constexpr (std::is_same_v<T, float>) return fp32;
    else return fp64;
  }
};

/// Every registered implementation of a task, sorted by name.
const std::vector<Implementation>& implementations(Task task = Task::kmeans);
/// Returns the implementation of this name, of either task, or null.
const Implementation* find_implementation(std::string_view name);
/// Called by Register. Throws std::logic_error if two files have one name.
void register_implementation(Implementation implementation);
/// Maps ".../impl/cpu/lloyd/two_step.cpp" to "cpu/lloyd/two_step".
std::string name_from_path(std::string_view path);

namespace {
/// Makes Registrar a distinct type in every including file. g++ may otherwise merge registrations of two classes with one name.
struct ThisFile {};
}  // namespace

/// True if a type lies in an anonymous namespace, as compilers spell it.
template <class S>
consteval bool is_of_this_file() {
  const std::string_view name = std::source_location::current().function_name(), pretty = __PRETTY_FUNCTION__;
  for (const std::string_view mark : {"{anonymous}", "(anonymous namespace)", "<unnamed>", "_GLOBAL__N_"})
    if (name.find(mark) != name.npos || pretty.find(mark) != pretty.npos) return true;
  return false;
}

template <class File, template <class> class S, class... Ts>
struct Registrar {
  explicit Registrar(Description description, std::source_location file = std::source_location::current()) {
    Implementation implementation{.name = name_from_path(file.file_name()), .description = std::move(description)};
    if constexpr (sizeof...(Ts) == 0) add<float>(implementation), add<double>(implementation);
    else (add<Ts>(implementation), ...);
    register_implementation(std::move(implementation));
  }

 private:
  template <class T>
  static Prepare<T> prepare() {
    static_assert(Solver<S<T>, T>);
    static_assert(is_of_this_file<S<T>>(), "put the class into an anonymous namespace: another file may use its name");
    struct Erased final : AnySolver<T> {
      Erased(const Problem<T>& problem, const Config& config, Trace& trace) : solver(problem, config, trace) {}
      void reset() override { solver.reset(); }
      int iterate(Trace& trace) override { return solver.iterate(trace); }
      Solution<T> download() override { return solver.download(); }
      bool limit([[maybe_unused]] int iters) override {
        if constexpr (requires { solver.limit(iters); }) {
          solver.limit(iters);
          return true;
        } else {
          return false;
        }
      }
      S<T> solver;
    };
    return [](const Problem<T>& problem, const Config& config, Trace& trace) -> std::unique_ptr<AnySolver<T>> {
      return std::make_unique<Erased>(problem, config, trace);
    };
  }
  template <class T>
  static void add(Implementation& implementation) {
    if constexpr (std::is_same_v<T, float>) implementation.fp32 = prepare<T>();
    else implementation.fp64 = prepare<T>();
  }
};

/// Registers template S for both precisions, or for those named: Register<S, double>.
template <template <class> class S, class... Ts>
using Register = Registrar<ThisFile, S, Ts...>;

}  // namespace km
