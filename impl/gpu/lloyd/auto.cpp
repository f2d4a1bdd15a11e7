// Runs the fastest of other implementations: of those that may win by shape, the fastest in three iterations. Their labels are exact or proven.
// Cost: prepare runs each candidate's prepare and six iterations, then the winner's prepare again. A single candidate is not measured.
#include <memory>
#include <string>
#include <vector>

#include "bench/contract/implementation.hpp"
#include "bench/device/device.hpp"

namespace km {
namespace {

std::int64_t cells(const ProblemShape& p) { return std::int64_t(p.k) * p.d; }
bool many_cells(const ProblemShape& p) { return p.d >= 4 && cells(p) > 64; }
/// Shapes that fit the caches and where the two exact candidates are fastest: choosing between them changes no label.
bool resident(const ProblemShape& p) { return p.n * p.d <= std::int64_t(1) << 24 && p.d <= 16 && p.k <= 256 && cells(p) <= 1024; }

struct Choice {
  const char* name;
  bool (*promising)(const ProblemShape&);  // whether it can win and is worth a trial; null: for shapes that no other takes
  const char* unless = "";                 // excluded if this one runs
};

/// The counter `choice` is the winner's number, from 1: append new ones.
constexpr Choice choices[] = {
    {"gpu/lloyd/registers", [](const ProblemShape& p) { return !resident(p); }},
    {"gpu/lloyd/single_pass", [](const ProblemShape& p) { return !resident(p) && cells(p) <= 1024; }},
    {"gpu/lloyd/screened", many_cells},
    {"gpu/lloyd/soa_global", nullptr},
    {"gpu/lloyd/naive", nullptr},
    {"gpu/lloyd/resident", resident},
    {"gpu/lloyd/screened_mma", many_cells, "gpu/lloyd/screened"},
    {"gpu/lloyd/register_tiles", [](const ProblemShape& p) { return p.d <= 16; }},
};

/// All parameters at their defaults.
Config defaults(const Description& description) {
  std::map<std::string, Value, std::less<>> values;
  for (const Parameter& parameter : description.parameters) values.emplace(parameter.name, parameter.fallback);
  return Config(std::move(values));
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, const Config&, Trace& trace) {
    const auto runs = [&](const char* name) {
      const Implementation* const found = find(name);
      if (!found || !found->template prepare<T>()) return false;
      const auto& unsupported = found->description.unsupported;
      return !unsupported || unsupported(problem, defaults(found->description), sizeof(T)).empty();
    };
    std::vector<int> candidates;
    for (const bool last_resort : {false, true})
      for (int at = 0; at < int(std::size(choices)) && (!last_resort || candidates.empty()); ++at) {
        const Choice& choice = choices[at];
        const bool wanted = last_resort ? choice.promising == nullptr : choice.promising != nullptr && choice.promising(problem);
        if (wanted && runs(choice.name) && !runs(choice.unless)) candidates.push_back(at);
      }
    double least = std::numeric_limits<double>::infinity();
    for (const int choice : candidates) {
      const double seconds = candidates.size() == 1 ? 0 : measure(*find(choices[choice].name), problem);
      if (seconds < least) least = seconds, choice_ = choice;
    }
    const Implementation& winner = *find(choices[choice_].name);
    solver_ = winner.template prepare<T>()(problem, defaults(winner.description), trace);
  }

  void reset() { solver_->reset(); }
  int iterate(Trace& trace) {
    const int iters = solver_->iterate(trace);
    trace.count("choice", double(choice_ + 1) * iters);  // counted once, so that the mean is the number
    return iters;
  }
  Solution<T> download() { return solver_->download(); }

 private:
  static const Implementation* find(std::string_view name) {
    for (const Implementation& implementation : implementations())
      if (implementation.name == name) return &implementation;
    return nullptr;
  }

  /// Returns the seconds of three iterations, second run: kernels are loaded and clocks have risen.
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

  int choice_ = 0;
  std::unique_ptr<AnySolver<T>> solver_;
};

const Register<Auto> registration{{
    .summary = "the fastest of registers, single_pass, screened, resident and register_tiles, by shape and by three iterations of each",
    .device = Device::gpu,
    .summation_depth = [](const ProblemShape& p, const Config&) { return p.n; },
    .fixed_point = true,
}};

}  // namespace
}  // namespace km
