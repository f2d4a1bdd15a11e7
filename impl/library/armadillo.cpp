// Armadillo's arma::kmeans in this process, the CPU baseline of lutz2018 (Section 6.1): one pass over the points with OpenMP, plain sums per thread.
// Three habits cannot be disabled. It checks for non-finite values at every call. It stops when the centroids rest (mean squared movement at most the
// precision's epsilon). It gives an empty cluster the last point of another. It returns neither labels nor iterations. The adapter parses the
// printed report, and makes the last iteration with another call. Download computes the labels untimed, in Armadillo's favour.
#define ARMA_DONT_USE_WRAPPER  // header only: k-means needs neither BLAS nor LAPACK
#define ARMA_DONT_USE_BLAS
#define ARMA_DONT_USE_LAPACK
#define ARMA_WARN_LEVEL 0
#include <armadillo>
#include <memory>
#include <sstream>

#include "bench/contract/library.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

template <class T>
class Armadillo : public CpuSolver<T> {
 public:
  Armadillo(const Problem<T>& problem, const Config& config, Trace&)
      : CpuSolver<T>(problem), threads_(threads_of(config)), points_(const_cast<T*>(p_.points.data()), p_.d, p_.n, false, true) {
    note_library({"Armadillo", arma::arma_version::as_string()});
  }

  int iterate(Trace&) {
    const OpenMpThreads threads(threads_);
    last_ = arma::Mat<T>(p_.initial_centroids.data(), p_.d, p_.k);
    const int before = run(p_.max_iters - 1);
    used_ = last_;
    return out_.iters = before + run(1);
  }

  Solution<T> download() {
    out_.assigned_centroids.assign(used_.begin(), used_.end());
    std::vector<std::uint8_t> has_points(p_.k);
#pragma omp parallel for num_threads(threads_)
    for (std::int64_t i = 0; i < p_.n; ++i) {
      int best = 0;
      T best_dist = std::numeric_limits<T>::max();
      for (int c = 0; c < p_.k; ++c) {
        T dist = 0;
        for (int j = 0; j < p_.d; ++j) dist += (points_.colptr(i)[j] - used_.colptr(c)[j]) * (points_.colptr(i)[j] - used_.colptr(c)[j]);
        if (dist < best_dist) best_dist = dist, best = c;  // strict: the lowest index wins a tie
      }
      out_.labels[i] = best;
    }
    for (const auto label : out_.labels) has_points[label] = 1;
    out_.centroids.assign(last_.begin(), last_.end());
    for (std::size_t cell = 0; cell < out_.centroids.size(); ++cell)
      if (!has_points[cell / p_.d]) out_.centroids[cell] = out_.assigned_centroids[cell];
    return out_;
  }

 private:
  /// Makes at most `max_iters` iterations from last_, which becomes the result. Returns the iterations made.
  int run(int max_iters) {
    std::ostringstream report;
    const auto restore = [](std::ostream* to) { arma::set_cout_stream(*to); };
    const std::unique_ptr<std::ostream, decltype(restore)> restored(&std::cout, restore);  // also after an exception
    arma::set_cout_stream(report);
    const bool done = arma::kmeans(last_, points_, p_.k, arma::keep_existing, max_iters, true);
    if (!done) throw std::runtime_error("Armadillo's k-means failed: too few points for so many clusters");
    const std::string text = report.str(), word = "iteration:";
    const auto at = text.rfind(word);
    if (at == text.npos) throw std::runtime_error("this version of Armadillo does not report its iterations");
    return std::stoi(text.substr(at + word.size()));
  }

  using CpuSolver<T>::p_, CpuSolver<T>::out_;
  int threads_;
  const arma::Mat<T> points_;  // d x n, column-major: the points in place
  arma::Mat<T> used_, last_;   // d x k: used by the last assign; result of the last update
};

const Register<Armadillo> registration{{
    .summary = "Armadillo's arma::kmeans, called as users do",
    .parameters = {threads_parameter()},
    .unsupported = [](const ProblemShape& p, const Config&, int) -> std::string {
      if (p.max_iters < 3) return "Armadillo gives no labels: finding them pays for itself from 3 iterations on";
      if (p.tolerance != 0) return "Armadillo stops when the centroids rest: give a tolerance of 0";
      return "";
    },
    .departs = "an empty cluster is moved to a point of another; it stops when the centroids rest, not the labels",
}};

}  // namespace
}  // namespace km
