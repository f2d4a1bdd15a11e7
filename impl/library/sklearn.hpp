// What scikit-learn's KMeans and its stand-in from oneDAL share: fit() in a Python process that holds the points in shared memory.
// It ends with an assign where the task ends with an update: t iterations are fit(max_iter = t - 1), and the last means
// are taken in download, untimed, in the library's favour.
#pragma once

#include "bench/implementation.hpp"
#include "impl/library/out_of_process.hpp"
#include "impl/library/python.hpp"

namespace km {

inline std::vector<std::string> environment_of(const Config& config) {
  const auto threads = config.number("threads");
  return threads > 0 ? std::vector{"OMP_NUM_THREADS=" + std::to_string(threads)} : std::vector<std::string>{};
}

/// `module` is the Python module whose KMeans is fitted.
template <class T>
class Fitted : public OutOfProcess<T> {
 public:
  Fitted(const Problem<T>& problem, const Config& config, Trace& trace, const std::string& module, const std::string& algorithm)
      : OutOfProcess<T>(problem, config, trace, python_command("sklearn_worker.py", {module, algorithm}, environment_of(config))) {}

  Solution<T> download() {
    const Problem<T>& p = this->problem();
    Solution<T> out = OutOfProcess<T>::download();
    std::vector<double> sums(out.centroids.size());
    std::vector<std::int64_t> counts(p.k);
    for (std::int64_t i = 0; i < p.n; ++i) {
      const auto c = out.labels[i];
      if (c < 0 || c >= p.k) continue;  // the judge will say so
      ++counts[c];
      for (int j = 0; j < p.d; ++j) sums[std::size_t(c) * p.d + j] += p.points[i * p.d + j];
    }
    out.centroids = out.assigned_centroids;
    for (int c = 0; c < p.k; ++c)
      if (counts[c] > 0)
        for (int j = 0; j < p.d; ++j) out.centroids[std::size_t(c) * p.d + j] = T(sums[std::size_t(c) * p.d + j] / double(counts[c]));
    return out;
  }
};

/// Why a fit cannot stand for this problem, or nothing.
inline std::string unfit(const ProblemShape& p) {
  if (p.max_iters < 2) return "fit makes two assigns at least";
  if (p.tolerance < 0) return "scikit-learn stops when no label changes: give a tolerance of 0";
  if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in scikit-learn, not a share of labels";
  return "";
}

}  // namespace km
