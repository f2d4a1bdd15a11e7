// A right little Lloyd's: distances in fp64 and sums in more, whatever T is. Each file beside this one breaks one thing of it, most of them
// by one of its hooks; the program and the judge have to say which.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "bench/implementation.hpp"
#include "bench/lloyd.hpp"

namespace km {

template <class T>
class RightLloyd {
 public:
  RightLloyd(const Problem<T>& problem, const Config&, Trace&) : p_(problem) {}
  virtual ~RightLloyd() = default;

  void reset() { out_.poison(p_); }
  int iterate(Trace& trace) { return make(trace, p_.max_iters); }
  Solution<T> download() { return out_; }

 protected:
  /// At most so many iterations from the start.
  int make(Trace& trace, int iterations) {
    out_.centroids.assign(p_.initial_centroids.begin(), p_.initial_centroids.end());
    return go_on(trace, iterations);
  }

  /// At most so many iterations from the centroids there are.
  int go_on(Trace& trace, int iterations) {
    ProblemShape shape = p_;
    shape.max_iters = asked_ = iterations;
    iter_ = 0;
    out_.labels.assign(p_.n, no_label);
    out_.iters = lloyd(
        shape, trace,
        [this] {
          ++iter_;
          return assign();
        },
        [this] { update(); });
    finish();
    return out_.iters;
  }

  /// One iteration, told as all that were asked for: a lie that agrees with itself.
  int lie(Trace& trace) {
    make(trace, 1);
    return out_.iters = p_.max_iters;
  }

  // ---- what a fault may replace: all of these are right ----

  virtual std::int64_t assign() {
    out_.assigned_centroids = out_.centroids;
    std::int64_t changed = 0;
    for (std::int64_t i = 0; i < p_.n; ++i) {
      const std::int32_t now = label(i), before = std::exchange(out_.labels[i], now);
      changed += now != before;
    }
    return changed;
  }
  virtual std::int32_t label(std::int64_t i) { return nearest(i, 0, p_.k); }
  virtual bool nearer(double dist, double best) { return dist < best; }
  virtual double distance(std::int64_t i, int c) const {
    double dist = 0;
    for (int j = 0; j < p_.d; ++j) dist += (x(i, j) - centroid(c, j)) * (x(i, j) - centroid(c, j));
    return dist;
  }

  virtual void update() {
    std::vector<long double> sums(out_.centroids.size());
    counts_.assign(p_.k, 0);
    for (std::int64_t i = 0; i < p_.n; ++i) {
      if (!counted(i)) continue;
      const std::size_t c = out_.labels[i];
      ++counts_[c];
      for (int j = 0; j < p_.d; ++j) sums[c * p_.d + j] = add(sums[c * p_.d + j], x(i, j));
    }
    for (int c = 0; c < p_.k; ++c)
      for (int j = 0; j < p_.d; ++j) at(c, j) = counts_[c] > 0 ? T(mean(sums[std::size_t(c) * p_.d + j], counts_[c])) : of_empty(c, j);
  }
  virtual bool counted(std::int64_t) { return true; }
  virtual long double add(long double sum, double value) { return sum + value; }
  virtual double mean(long double sum, std::int64_t count) { return double(sum / count); }
  virtual T of_empty(int c, int j) { return T(centroid(c, j)); }

  virtual void finish() {}  // after the last iteration

  // ---- what they are made of ----

  double x(std::int64_t i, int j) const { return p_.points[i * p_.d + j]; }
  double centroid(int c, int j) const { return out_.assigned_centroids[std::size_t(c) * p_.d + j]; }
  T& at(int c, int j) { return out_.centroids[std::size_t(c) * p_.d + j]; }
  bool last() const { return iter_ == asked_; }

  /// The nearest of centroids first, …, end - 1.
  std::int32_t nearest(std::int64_t i, int first, int end) {
    std::int32_t best = first;
    double best_dist = distance(i, first);
    for (int c = first + 1; c < end; ++c)
      if (const double dist = distance(i, c); nearer(dist, best_dist)) {
        best_dist = dist;
        best = c;
      }
    return best;
  }

  Problem<T> p_;
  Solution<T> out_;
  std::vector<std::int64_t> counts_;
  int iter_ = 0, asked_ = 0;  // this iteration, from 1, and the last one
};

/// Sums in long double, rounded once.
inline std::int64_t rounded_once(const ProblemShape&, const Config&) { return 1; }

/// What most of them say of themselves.
inline Description fault(std::string_view summary) { return {.summary = summary, .summation_depth = rounded_once}; }

/// The same of one on the card: the shapes that its original cannot take, and the parameters that it takes from it.
inline Description fault_on_gpu(std::string_view summary, std::function<std::string(const ProblemShape&)> too_large = {},
                                std::vector<Parameter> parameters = {}) {
  Description made = fault(summary);
  made.device = Device::gpu;
  made.parameters = std::move(parameters);
  if (too_large) made.unsupported = [too_large](const ProblemShape& p, const Config&, int) { return too_large(p); };
  return made;
}

/// The nearest number of that many significant bits (11: half and TF32, 8: bfloat16).
inline double rounded(double value, int bits) {
  const std::uint64_t last = std::uint64_t(1) << (53 - bits);
  return std::bit_cast<double>((std::bit_cast<std::uint64_t>(value) + last / 2) & ~(last - 1));
}

}  // namespace km
