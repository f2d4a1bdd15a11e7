// Textbook Lloyd's, the reference of the checks: distances in fp64, sums in long double. It shares no loop with other implementations.
#include "bench/contract/implementation.hpp"

namespace km {
namespace {

template <class T>
class Reference {
 public:
  Reference(const Problem<T>& problem, const Config&, Trace&) : p_(problem) {}

  void reset() { out_.poison(p_); }

  int iterate(Trace& trace) {
    centroids_.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    out_.labels.assign(p_.n, no_label);
    std::int64_t changed = p_.n;
    for (out_.iters = 0; out_.iters < p_.max_iters && (out_.iters == 0 || !p_.converged(changed)); ++out_.iters) {
      trace.begin_iteration();
      changed = assign(trace.phase("assign"));
      update(trace.phase("update"));
    }
    return out_.iters;
  }

  Solution<T> download() {
    out_.assigned_centroids.assign(used_.begin(), used_.end());
    out_.centroids.assign(centroids_.begin(), centroids_.end());
    return out_;
  }

 private:
  std::int64_t assign(const Trace::Phase&) {
    used_ = centroids_;
    std::int64_t changed = 0;
#pragma omp parallel for reduction(+ : changed)
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const T* x = p_.points.data() + i * p_.d;
      std::int32_t best = 0;
      double best_dist = std::numeric_limits<double>::infinity();
      for (int c = 0; c < p_.k; ++c) {
        double dist = 0;
        for (int j = 0; j < p_.d; ++j) {
          const double diff = double(x[j]) - double(used_[at(c, j)]);
          dist += diff * diff;
        }
        if (dist < best_dist) {  // strict: the lowest index wins a tie
          best_dist = dist;
          best = c;
        }
      }
      auto& label = out_.labels[i];
      changed += label != best;
      label = best;
    }
    return changed;
  }

  void update(const Trace::Phase&) {
    std::vector<long double> sums(centroids_.size());
    std::vector<std::int64_t> counts(p_.k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++counts[c];
      for (int j = 0; j < p_.d; ++j) sums[at(c, j)] += p_.points[i * p_.d + j];
    }
    for (int c = 0; c < p_.k; ++c)
      if (const auto count = counts[c]; count > 0)
        for (int j = 0; j < p_.d; ++j) centroids_[at(c, j)] = T(sums[at(c, j)] / count);
  }

  std::size_t at(int c, int j) const { return std::size_t(c) * p_.d + j; }

  Problem<T> p_;
  std::vector<T> used_, centroids_;
  Solution<T> out_;
};

const Register<Reference> registration{{
    .summary = "textbook Lloyd, fp64 and wider",
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },  // wide sums, rounded once
}};

}  // namespace
}  // namespace km
