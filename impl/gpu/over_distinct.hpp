// gpu/hamerly/neighbours, gpu/yinyang/compacted and gpu/lloyd/boxes over the distinct points of a problem, each with its number of copies. A point that
// moves changes the sums by all its copies. Sums are integers, so labels and means are those of a run over all points, to the last bit.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "bench/contract/implementation.hpp"

namespace km {

namespace neighbours {
template <class T>
std::unique_ptr<AnySolver<T>> over_distinct(const Problem<T>& problem, const Config& config, Trace& trace);
}
namespace compacted {
template <class T>
std::unique_ptr<AnySolver<T>> over_distinct(const Problem<T>& problem, const Config& config, Trace& trace);
}
namespace boxes {
template <class T>
std::unique_ptr<AnySolver<T>> over_distinct(const Problem<T>& problem, const Config& config, Trace& trace);
}

/// Hands every verb on to a solver.
template <class T>
class Wrapped {
 public:
  explicit Wrapped(std::unique_ptr<AnySolver<T>> solver) : solver_(std::move(solver)) {}
  void reset() { solver_->reset(); }
  void limit(int iters) { solver_->limit(iters); }
  int iterate(Trace& trace) { return solver_->iterate(trace); }
  Solution<T> download() { return solver_->download(); }

 private:
  std::unique_ptr<AnySolver<T>> solver_;
};

/// The parameters of the implementation of this name, at their defaults.
inline Config defaults_of(const char* name) { return defaults(find_implementation(name)->description); }
/// Of an implementation that runs the one of this name over the distinct points.
inline Description of_distinct(const char* name, std::string_view summary) {
  return {.summary = summary,
          .device = Device::gpu,
          .unsupported = [name](const ProblemShape& p, const Config&,
                                int value_bytes) { return find_implementation(name)->description.unsupported(p, defaults_of(name), value_bytes); },
          .fixed_point = true};
}

}  // namespace km
