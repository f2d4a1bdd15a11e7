// Runs the fastest of other implementations: of those that may win by shape, the fastest in three iterations. Their labels are exact or proven.
// Cost: prepare runs each candidate's prepare and six iterations, then the winner's prepare again. A single candidate is not measured.
#include <algorithm>
#include <limits>
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

const Implementation* find(std::string_view name) {
  const auto found = std::ranges::find(implementations(), name, &Implementation::name);
  return found == implementations().end() ? nullptr : &*found;
}

/// Returns the numbers of the choices to try.
std::vector<int> candidates_for(const ProblemShape& p, int value_bytes) {
  const auto runs = [&](const char* name) {
    const Implementation* const found = find(name);
    if (!found || !found->has(value_bytes == 4 ? Precision::fp32 : Precision::fp64)) return false;
    const auto& unsupported = found->description.unsupported;
    return !unsupported || unsupported(p, defaults(found->description), value_bytes).empty();
  };
  std::vector<int> candidates;
  for (const bool last_resort : {false, true})
    for (int at = 0; at < int(std::size(choices)) && (!last_resort || candidates.empty()); ++at) {
      const Choice& choice = choices[at];
      const bool wanted = last_resort ? choice.promising == nullptr : choice.promising != nullptr && choice.promising(p);
      if (wanted && runs(choice.name) && !runs(choice.unless)) candidates.push_back(at);
    }
  return candidates;
}

/// The greatest `of` all candidates of either precision: which of them runs is known in prepare alone.
template <class Of>
std::int64_t greatest(const ProblemShape& p, Of of) {
  std::int64_t most = 0;
  for (const int value_bytes : {4, 8})
    for (const int choice : candidates_for(p, value_bytes)) {
      const Description& description = find(choices[choice].name)->description;
      most = std::max(most, of(description, defaults(description)));
    }
  return most;
}

template <class T>
class Auto {
 public:
  Auto(const Problem<T>& problem, const Config&, Trace& trace) {
    const std::vector<int> candidates = candidates_for(problem, sizeof(T));
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
    .summation_depth = [](const ProblemShape& p, const Config&) -> std::int64_t {
      return greatest(p, [&](const Description& its, const Config& config) { return summation_depth(its, p, config); });
    },
    .fixed_point = true,
    .kept_points = [](const ProblemShape& p, const Config&) -> std::int64_t {
      return greatest(p, [&](const Description& its, const Config& config) { return its.kept_points ? its.kept_points(p, config) : 0; });
    },
}};

}  // namespace
}  // namespace km
