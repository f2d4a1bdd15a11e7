// scikit-learn's KMeans, Lloyd's or Elkan's (ICML 2003), as users call it: fit() on a NumPy array. fit() centres the data; Lloyd's uses chunks of
// 256 points and one matrix product per chunk.
#include "impl/library/sklearn.hpp"

namespace km {
namespace {

std::vector<std::string> environment_of(const Config& config) {
  const auto threads = config.number("threads");
  return threads > 0 ? std::vector{"OMP_NUM_THREADS=" + std::to_string(threads)} : std::vector<std::string>{};
}

}  // namespace

template <class T>
Fitted<T>::Fitted(const Problem<T>& problem, const Config& config, Trace& trace, const std::string& module, const std::string& algorithm)
    : OutOfProcess<T>(problem, config, trace, python_command("sklearn_worker.py", {module, algorithm}, environment_of(config))) {}

template <class T>
Solution<T> Fitted<T>::download() {
  const Problem<T>& p = this->p_;
  Solution<T> out = OutOfProcess<T>::download();
  std::vector<long double> sums(out.centroids.size());  // wider than the points: the judge shall see scikit-learn's rounding, not this
  std::vector<std::int64_t> counts(p.k);
  for (std::int64_t i = 0; i < p.n; ++i) {
    const auto c = out.labels[i];
    if (c < 0 || c >= p.k) continue;  // the judge will report it
    ++counts[c];
    for (int j = 0; j < p.d; ++j) sums[std::size_t(c) * p.d + j] += p.points[i * p.d + j];
  }
  out.centroids = out.assigned_centroids;
  for (int c = 0; c < p.k; ++c)
    if (counts[c] > 0)
      for (int j = 0; j < p.d; ++j) out.centroids[std::size_t(c) * p.d + j] = T(sums[std::size_t(c) * p.d + j] / counts[c]);
  return out;
}

template struct Fitted<float>;
template struct Fitted<double>;

std::string unfit(const ProblemShape& p, const std::string& module, const std::string& library) {
  if (p.max_iters < 2) return "fit makes two assigns at least";
  if (p.tolerance < 0) return "scikit-learn stops when no label changes: give a tolerance of 0";
  if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in scikit-learn, not a share of labels";
  return python_has(module) ? "" : not_installed(library);
}

namespace {

template <class T>
struct Sklearn : Fitted<T> {
  Sklearn(const Problem<T>& problem, const Config& config, Trace& trace)
      : Fitted<T>(problem, config, trace, "sklearn.cluster", config.word("algorithm")) {}
};

const Register<Sklearn> registration{{
    .summary = "scikit-learn's KMeans, called as users do",
    .parameters = {{.name = "algorithm", .fallback = "lloyd", .range = {"lloyd", "elkan"}, .help = "of KMeans"}, threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return unfit(p, "sklearn", "scikit-learn"); },
    .distance = Distance::expansion,
    .centred = true,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
