// FAISS's k-means on the CPU in this process (Johnson, Douze, Jégou: Billion-scale similarity search with GPUs, 2019): faiss::Clustering over an
// IndexFlatL2, as users call it. Subsampling and several starts are disabled. Habits that remain: each call checks for non-finite values, an empty
// cluster splits another, and there is no convergence test. It returns neither its labels nor the previous centroids, so another call makes the last
// iteration. In FAISS's favour, download computes untimed the labels, by the same index, and the means of a last iteration that split a cluster.
// Distances are |x|² - 2 x c + |c|² from a BLAS for 20 points or more. The threads of an OpenBLAS sleep between its calls (bench/base/openblas.hpp).
#include <cstdint>  // that the headers of FAISS 1.7 omit

#include <faiss/Clustering.h>
#include <faiss/IndexFlat.h>

#include "bench/base/openblas.hpp"
#include "bench/contract/library.hpp"
#include "impl/cpu/solver.hpp"
#include "impl/library/faiss.hpp"

namespace km {
namespace {

template <class T>  // float only
class Faiss : public CpuSolver<T> {
 public:
  Faiss(const Problem<T>& problem, const Config& config, Trace&) : CpuSolver<T>(problem), threads_(threads_of(config)) {
    const std::string products = openblas::version(openblas::loaded());
    const int own[] = {FAISS_VERSION_MAJOR, FAISS_VERSION_MINOR, FAISS_VERSION_PATCH};
    note_library({"FAISS", std::to_string(own[0]) + "." + std::to_string(own[1]) + "." + std::to_string(own[2]) +
                               (products.empty() ? "" : "; OpenBLAS " + products)});
  }

  int iterate(Trace&) {
    const OpenMpThreads threads(threads_);
    const openblas::Threads of_products(openblas::loaded(), threads_);
    last_.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    if (p_.max_iters > 1) run(p_.max_iters - 1);
    used_ = last_;
    run(1);
    return out_.iters = p_.max_iters;
  }

  Solution<T> download() {
    faiss::IndexFlatL2 index(p_.d);
    index.add(p_.k, used_.data());
    std::vector<std::int64_t> labels(p_.n);
    std::vector<T> distances(p_.n);
    index.search(p_.n, p_.points.data(), 1, distances.data(), labels.data());
    std::copy(labels.begin(), labels.end(), out_.labels.begin());
    out_.assigned_centroids = used_;
    out_.centroids = last_;
    if (split_) average();
    return out_;
  }

 private:
  /// Makes `iters` iterations from last_, which becomes the result.
  void run(int iters) {
    faiss::ClusteringParameters parameters;
    parameters.niter = iters;
    parameters.min_points_per_centroid = 1;                     // no warning
    parameters.max_points_per_centroid = int(p_.n / p_.k + 1);  // all points
    faiss::Clustering clustering(p_.d, p_.k, parameters);
    clustering.centroids = last_;
    faiss::IndexFlatL2 index(p_.d);
    clustering.train(p_.n, p_.points.data(), index);
    last_ = clustering.centroids;
    split_ = clustering.iteration_stats.back().nsplit > 0;
  }

  /// Computes the means of the last labels. An empty cluster keeps its centroid.
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

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  std::vector<T> used_, last_;  // used by the last assign; result of the last update
  bool split_ = false;          // the last iteration split a cluster
};

const Register<Faiss, float> registration{{
    .summary = "FAISS's Clustering over an IndexFlatL2, called as users do",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) { return no_faiss(p); },
    .distance = Distance::expansion,
    .departs = faiss_departs,
}};

}  // namespace
}  // namespace km
