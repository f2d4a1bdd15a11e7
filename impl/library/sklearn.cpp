// scikit-learn's KMeans, Lloyd's or Elkan's (ICML 2003), as users call it: fit() on a NumPy array. fit() centres the data; Lloyd's uses chunks of
// 256 points and one matrix product per chunk.
#include "impl/library/sklearn.hpp"

namespace km {

Command fit_command(const Config& config, const std::string& module, const std::string& algorithm) {
  const auto threads = config.number("threads");
  const auto environment = threads > 0 ? std::vector{"OMP_NUM_THREADS=" + std::to_string(threads)} : std::vector<std::string>{};
  return python_command("sklearn_worker.py", {module, algorithm}, environment);
}

std::string unfit(const ProblemShape& p, const std::string& module, const std::string& library) {
  if (p.max_iters < 2) return "fit makes two assigns at least";
  if (p.tolerance < 0) return "scikit-learn stops when no label changes: give a tolerance of 0";
  if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in scikit-learn, not a share of labels";
  return python_has(module) ? "" : not_installed(library);
}

namespace {

template <class T>
struct Sklearn : OutOfProcess<T> {
  Sklearn(const Problem<T>& problem, const Config& config, Trace& trace)
      : OutOfProcess<T>(problem, config, trace, fit_command(config, "sklearn.cluster", config.word("algorithm"))) {}
};

const Register<Sklearn> registration{{
    .summary = "scikit-learn's KMeans, called as users do",
    .parameters = {{.name = "algorithm", .fallback = "lloyd", .range = {"lloyd", "elkan"}, .help = "of KMeans"}, threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return unfit(p, "sklearn", "scikit-learn"); },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
