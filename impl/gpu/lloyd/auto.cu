// Picks one of the others: by shape those that may be the fastest, of these by what three iterations from the given start took, here and now.
// Only implementations that sum differences or prove their labels are picked from.
// Cost: prepare makes each candidate's own prepare and six iterations, one after the other, and then the winner's again; where a shape
// leaves one candidate, nothing is measured.
#include <memory>
#include <string>
#include <vector>

#include "bench/device/device.hpp"
#include "bench/implementation.hpp"

namespace km {
namespace {

/// What is worth a trial; the counter `choice` tells the winner's number, from 1.
constexpr const char* names[] = {"gpu/lloyd/registers", "gpu/lloyd/single_pass", "gpu/lloyd/screened", "gpu/lloyd/soa_global", "gpu/lloyd/naive"};

/// Every parameter at its default.
Config defaults(const Description& description) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : description.parameters) values.emplace(parameter.name, parameter.fallback);
  return Config(std::move(values));
}

/// Whether it can win: some need few values in all clusters, others many.
bool promising(int choice, const ProblemShape& p) {
  const std::int64_t cells = std::int64_t(p.k) * p.d;
  switch (choice) {
    case 1: return cells <= 1024;
    case 2: return p.d >= 4 && cells > 64;
    default: return true;
  }
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, const Config&, Trace& trace) {
    std::vector<int> candidates;
    for (int choice = 0; choice < int(std::size(names)); ++choice) {
      const Implementation* const found = find(names[choice]);
      if (!found || !found->template prepare<T>()) continue;
      if (found->description.unsupported && !found->description.unsupported(problem, defaults(found->description), sizeof(T)).empty()) continue;
      if (choice < 3 ? promising(choice, problem) : candidates.empty()) candidates.push_back(choice);
    }
    double least = std::numeric_limits<double>::infinity();
    for (const int choice : candidates) {
      const double seconds = candidates.size() == 1 ? 0 : measure(*find(names[choice]), problem);
      if (seconds < least) least = seconds, choice_ = choice;
    }
    const Implementation& winner = *find(names[choice_]);
    solver_ = winner.template prepare<T>()(problem, defaults(winner.description), trace);
  }

  void reset() { solver_->reset(); }
  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("choice", double(choice_ + 1) * iters);  // all in the last iteration, so that the mean is the number
    return iters;
  }
  Solution<T> download() { return solver_->download(); }

 private:
  static const Implementation* find(std::string_view name) {
    for (const Implementation& implementation : implementations())
      if (implementation.name == name) return &implementation;
    return nullptr;
  }

  /// Seconds of three iterations; the second time, when kernels are loaded and the clocks are up.
  static double measure(const Implementation& implementation, Problem<T> problem) {
    problem.max_iters = 3;
    problem.tolerance = -1;
    Trace none;
    const auto solver = implementation.template prepare<T>()(problem, defaults(implementation.description), none);
    double seconds = 0;
    for (int turn = 0; turn < 2; ++turn) {
      solver->reset();
      device::Timer timer;
      timer.start();
      solver->iterate(none);
      seconds = timer.stop();
    }
    return seconds;
  }

  int choice_ = int(std::size(names)) - 1;
  std::unique_ptr<AnySolver<T>> solver_;
};

const Register<Auto> registration{{
    .summary = "the fastest of registers, single_pass and screened, by shape and by three iterations of each",
    .device = Device::gpu,
}};

}  // namespace
}  // namespace km
