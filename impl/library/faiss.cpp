// FAISS's k-means on the CPU in this process (Johnson, Douze, Jégou: Billion-scale similarity search with GPUs, 2019): faiss::Clustering over an
// IndexFlatL2, as users call it. Subsampling and several starts are switched off. What cannot be: each call looks for values that are not finite,
// an iteration without the points of one cluster splits another, and there is no test for convergence. It keeps neither its labels nor the
// centroids before the last: one more call makes the last iteration, and the labels are found again in download, by the same index, untimed, in
// FAISS's favour; so are the means of a last iteration that split a cluster, as they were before. Distances are |x|² - 2 x c + |c|² from a BLAS, where there are 20 points or more.
#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>

#include <limits>

#include "bench/implementation.hpp"
#include "bench/library.hpp"
#include "impl/library/openmp_threads.hpp"

namespace km {
namespace {

template <class T>  // float alone
class Faiss {
 public:
  Faiss(const Problem<T>& problem, const Config& config, Trace&) : p_(problem), threads_(config.integer("threads")) {
    note_library(
        {"FAISS", std::to_string(FAISS_VERSION_MAJOR) + "." + std::to_string(FAISS_VERSION_MINOR) + "." + std::to_string(FAISS_VERSION_PATCH)});
  }

  void reset() { out_.poison(p_); }

  int iterate(Trace&) {
    const OpenMpThreads threads(threads_);
    last_.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    if (p_.max_iters > 1) run(p_.max_iters - 1);
    used_ = last_;
    run(1);
    return out_.iters = p_.max_iters;
  }

  Solution<T> download() {
    faiss::IndexFlatL2 index(p_.d);
    index.add(p_.k, used_.data());
    std::vector<faiss::Index::idx_t> labels(p_.n);
    std::vector<T> distances(p_.n);
    index.search(p_.n, p_.points.data(), 1, distances.data(), labels.data());
    std::copy(labels.begin(), labels.end(), out_.labels.begin());
    out_.assigned_centroids = used_;
    out_.centroids = last_;
    if (split_) average();
    return out_;
  }

 private:
  /// From last_ on, which becomes where they end.
  void run(int iters) {
    faiss::ClusteringParameters parameters;
    parameters.niter = iters;
    parameters.min_points_per_centroid = 1;                                       // no warning
    parameters.max_points_per_centroid = std::numeric_limits<int>::max() / p_.k;  // all points
    faiss::Clustering clustering(p_.d, p_.k, parameters);
    clustering.centroids = last_;
    faiss::IndexFlatL2 index(p_.d);
    clustering.train(p_.n, p_.points.data(), index);
    last_ = clustering.centroids;
    split_ = clustering.iteration_stats.back().nsplit > 0;
  }

  /// The means of the last labels; a cluster without points stays where it was.
  void average() {
    std::vector<T> sums(last_.size());
    std::vector<int> counts(p_.k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const auto c = out_.labels[i];
      ++counts[c];
      for (int j = 0; j < p_.d; ++j) sums[c * p_.d + j] += p_.points[i * p_.d + j];
    }
    for (std::size_t cell = 0; cell < sums.size(); ++cell) {
      const int count = counts[cell / p_.d];
      out_.centroids[cell] = count > 0 ? sums[cell] / T(count) : used_[cell];
    }
  }

  Problem<T> p_;
  int threads_;
  std::vector<T> used_, last_;  // what the last assign used, and where the last update led
  bool split_ = false;          // the last iteration moved a cluster
  Solution<T> out_;
};

const Register<Faiss, float> registration{{
    .summary = "FAISS's Clustering over an IndexFlatL2, called as users do",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.tolerance >= 0) return "FAISS has no test for convergence: give no tolerance";
      if (p.n <= p.k) return "FAISS takes the points themselves for centroids where there are no more of them";
      if (p.n > std::numeric_limits<int>::max()) return "FAISS would take a sample of more than 2^31 points";
      if (p.max_iters < 3) return "FAISS gives no labels: finding them pays for itself from 3 iterations on";
      return "";
    },
    .distance = Distance::expansion,
    .departs = "an empty cluster is moved beside another, which moves aside",
}};

}  // namespace
}  // namespace km
