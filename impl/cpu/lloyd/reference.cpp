// Lloyd's algorithm as the textbook has it, all arithmetic in fp64 whatever the points are: the judge's yardstick.
#include "bench/implementation.hpp"
#include "bench/lloyd.hpp"

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
    return out_.iters = lloyd(p_, trace, [this] { return assign(); }, [this] { update(); });
  }

  Solution<T> download() {
    out_.assigned_centroids.assign(used_.begin(), used_.end());
    out_.centroids.assign(centroids_.begin(), centroids_.end());
    return out_;
  }

 private:
  std::int64_t assign() {
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
          const double diff = x[j] - used_[at(c, j)];
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

  void update() {
    std::vector<double> sums(centroids_.size());
    std::vector<std::int64_t> counts(p_.k);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const int c = out_.labels[i];
      ++counts[c];
      for (int j = 0; j < p_.d; ++j) sums[at(c, j)] += p_.points[i * p_.d + j];
    }
    for (int c = 0; c < p_.k; ++c)
      if (const auto count = counts[c]; count > 0)
        for (int j = 0; j < p_.d; ++j) centroids_[at(c, j)] = sums[at(c, j)] / count;
  }

  std::size_t at(int c, int j) const { return std::size_t(c) * p_.d + j; }

  Problem<T> p_;
  std::vector<double> used_, centroids_;
  Solution<T> out_;
};

const Register<Reference> registration{{
    .summary = "textbook Lloyd, every operation in fp64",
    .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return 1; },  // fp64 sums, rounded once
}};

}  // namespace
}  // namespace km
