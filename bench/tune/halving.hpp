// Chooses among candidates by successive halving: all run on few points, the better half on four times as many, and so on to all points.
// Jamieson and Talwalkar, "Non-stochastic best arm identification and hyperparameter optimization", AISTATS 2016.
#pragma once

#include <functional>
#include <vector>

#include "bench/tune/advise.hpp"

namespace km {

/// What halving needs of the world.
struct Trials {
  std::function<double()> elapsed_s;  // since the search began
  /// Runs a case once, for at most limit_s. Returns its line; null if interrupted.
  std::function<std::shared_ptr<const Json>(const Case&, double limit_s)> run;
};

/// Guess of a run's seconds, to order the first runs: from the work, the device, the threads, and whether distances are matrix products.
double forecast_s(const Case& c);

/// Numbers of points of the rounds, ascending; the last is n. The first is n / 4^i, and at least 8192 and 10 k.
std::vector<std::int64_t> rounds_of(std::int64_t n, int k);

/// Gives each candidate its last line and wall_s, or why it was cut. Every round may take an equal part of the time left until until_s. In it, a run
/// may take five times the best run, and a tenth of until_s or a second at least. Returns false if interrupted.
bool halve(std::vector<Advised>& all, double until_s, const Trials& trials);

}  // namespace km
