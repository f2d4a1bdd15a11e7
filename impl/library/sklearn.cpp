// scikit-learn's KMeans(algorithm="lloyd") as its users call it: fit() on a NumPy array, in a Python process that holds the
// points in shared memory. fit() centres the data, then makes chunks of 256 points and one matrix product a chunk.
// It ends with an assign where the task ends with an update: t iterations are fit(max_iter = t - 1), and the last means
// are taken in download, untimed, in scikit-learn's favour.
#include <cstring>

#include "bench/implementation.hpp"
#include "impl/library/python_worker.hpp"

namespace km {
namespace {

template <class T>
class Sklearn {
 public:
  Sklearn(const Problem<T>& problem, const Config& config, Trace&)
      : p_(problem), cells_(std::size_t(problem.k) * problem.d),
        memory_((problem.points.size() + 2 * cells_) * sizeof(T) + problem.n * sizeof(std::int32_t)), points_(reinterpret_cast<T*>(memory_.data())),
        initial_(points_ + problem.points.size()), centroids_(initial_ + cells_), labels_(reinterpret_cast<std::int32_t*>(centroids_ + cells_)) {
    std::ranges::copy(problem.points, points_);
    const std::vector<std::string> args = {sizeof(T) == 4 ? "float32" : "float64", std::to_string(p_.n), std::to_string(p_.d), std::to_string(p_.k),
                                           std::to_string(p_.max_iters - 1)};
    std::vector<std::string> environment;
    if (const auto threads = config.number("threads"); threads > 0) environment.push_back("OMP_NUM_THREADS=" + std::to_string(threads));
    worker_ = std::make_unique<PythonWorker>("impl/library/sklearn_worker.py", args, memory_.descriptor(), environment);
  }

  void reset() {
    std::ranges::copy(p_.initial_centroids, initial_);
    std::fill_n(labels_, p_.n, no_label - 1);
    std::fill_n(centroids_, cells_, std::numeric_limits<T>::quiet_NaN());
    iters_ = 0;
  }

  int iterate(Trace&) {
    const int updates = std::stoi(worker_->ask("fit"));
    const bool converged = updates < p_.max_iters - 1;  // no label changed: as many assigns as updates
    return iters_ = converged ? updates : updates + 1;
  }

  Solution<T> download() {
    Solution<T> out{.labels = {labels_, labels_ + p_.n}, .assigned_centroids = {centroids_, centroids_ + cells_}, .centroids = {}, .iters = iters_};
    std::vector<double> sums(cells_);
    std::vector<std::int64_t> counts(p_.k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      if (labels_[i] < 0 || labels_[i] >= p_.k) continue;  // the judge will say so
      ++counts[labels_[i]];
      for (int j = 0; j < p_.d; ++j) sums[std::size_t(labels_[i]) * p_.d + j] += points_[i * p_.d + j];
    }
    out.centroids = out.assigned_centroids;
    for (int c = 0; c < p_.k; ++c)
      if (counts[c] > 0)
        for (int j = 0; j < p_.d; ++j) out.centroids[std::size_t(c) * p_.d + j] = T(sums[std::size_t(c) * p_.d + j] / double(counts[c]));
    return out;
  }

 private:
  Problem<T> p_;
  std::size_t cells_;
  SharedMemory memory_;  // points n x d, initial k x d, centroids k x d, labels n
  T *points_, *initial_, *centroids_;
  std::int32_t* labels_;
  std::unique_ptr<PythonWorker> worker_;
  int iters_ = 0;
};

const Register<Sklearn> registration{{
    .summary = "scikit-learn's KMeans(algorithm=\"lloyd\"), called as users do",
    .parameters = {{.name = "threads", .fallback = 0, .range = {0, 1, 2, 3, 7, 16, 64, 256}, .tunable = true, .help = "0: all hardware threads"}},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.max_iters < 2) return "scikit-learn's fit makes two assigns at least";
      if (p.tolerance < 0) return "scikit-learn stops when no label changes: give a tolerance of 0";
      if (p.tolerance > 0) return "a tolerance above 0 is a movement of the centroids in scikit-learn, not a share of labels";
      return python_has("sklearn") ? "" : "scikit-learn is not installed for " + python();
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved to a far point",
}};

}  // namespace
}  // namespace km
