// A right little Lloyd's. Each file beside this one breaks one thing of it; the program and the judge have to say which.
#pragma once

#include <algorithm>

#include "bench/implementation.hpp"
#include "bench/lloyd.hpp"

namespace km {

template <class T>
class RightLloyd {
 public:
  RightLloyd(const Problem<T>& problem, const Config&, Trace&) : p_(problem) {}

  void reset() { out_.poison(p_); }

  int iterate(Trace& trace) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    return iterate_on(trace);
  }

  Solution<T> download() { return out_; }

 protected:
  /// From the centroids there are.
  int iterate_on(Trace& trace) {
    out_.labels.assign(p_.n, no_label);
    return out_.iters = lloyd(p_, trace, [this] { return assign(); }, [this] { update(); });
  }

  std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      std::int32_t best = 0;
      for (int c = 1; c < p_.k; ++c)
        if (distance(i, c) < distance(i, best)) best = c;
      changed += out_.labels[i] != best;
      out_.labels[i] = best;
    }
    return changed;
  }

  void update() {
    std::vector<double> sums(out_.centroids.size());
    counts_.assign(p_.k, 0);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const std::size_t c = out_.labels[i];
      ++counts_[c];
      for (int j = 0; j < p_.d; ++j) sums[c * p_.d + j] += p_.points[i * p_.d + j];
    }
    for (std::size_t at = 0; at < sums.size(); ++at)
      out_.centroids[at] = counts_[at / p_.d] > 0 ? T(sums[at] / double(counts_[at / p_.d])) : out_.assigned_centroids[at];
  }

  double distance(std::int64_t i, int c) const {
    double dist = 0;
    for (int j = 0; j < p_.d; ++j) {
      const double diff = double(p_.points[i * p_.d + j]) - double(out_.assigned_centroids[std::size_t(c) * p_.d + j]);
      dist += diff * diff;
    }
    return dist;
  }

  Problem<T> p_;
  Solution<T> out_;
  std::vector<std::int64_t> counts_;
};

/// fp64 sums, rounded once.
inline std::int64_t rounded_once(const ProblemShape&, const Config&) { return 1; }

}  // namespace km
