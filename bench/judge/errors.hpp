// Errors of labels and means, and what rounding explains of them: in fp64, and exactly where fp64 is too coarse.
#pragma once

#include "bench/base/exact.hpp"
#include "bench/contract/implementation.hpp"

namespace km {

/// distance² of two rows of d, in fp64.
template <class T, class U>
double squared_distance(const T* x, const U* c, int d) {
  double sum = 0;
  for (int j = 0; j < d; ++j) {
    const double diff = double(x[j]) - double(c[j]);
    sum += diff * diff;
  }
  return sum;
}

/// |x|² in fp64.
template <class T>
double squared_norm(const T* x, int d) {
  double sum = 0;
  for (int j = 0; j < d; ++j) sum += double(x[j]) * double(x[j]);
  return sum;
}

// ---- labels, against the centroids of the last assign -------------------------------------------------------------------------

/// Errors found in the judged labels. Distances are distance², in fp64.
struct LabelCheck {
  std::int64_t judged = 0;
  double least = 0;               // sum of least distances²
  double excess = 0;              // sum of (distance² to the label - least)
  std::int64_t wrong = 0;         // labels that are not the nearest centroid
  std::int64_t tied = 0;          // exact ties given to a higher index
  std::int64_t out_of_bound = 0;  // wrong labels that rounding does not explain
  std::int64_t broken_ties = 0;   // ties that rounding does not explain
  struct Bad {
    std::int64_t point = -1;
    int label = -1, best = -1;  // best: the nearest centroid
    double dist = 0, best_dist = 0;
    bool is_tie = false;
  } first;  // the lowest point whose label rounding does not explain

  /// Adds another check, such as that of one point.
  void add(const LabelCheck& other);
};

constexpr double label_budget = 5e8;

/// What rounding depends on: the form of distances², and the point from which values count.
struct Arithmetic {
  Distance form = Distance::difference;
  std::vector<double> origin = {};  // d; empty: 0

  /// |row - origin|²
  template <class T>
  double squared_norm(const T* row, int d) const {
    return origin.empty() ? km::squared_norm(row, d) : squared_distance(row, origin.data(), d);
  }
};

/// Checks all labels on the host; if n k d exceeds label_budget a random sample. chosen: these points instead.
template <class T>
LabelCheck check_labels_on_host(const Problem<T>& p, const Solution<T>& s, const Arithmetic& arithmetic, std::vector<std::int64_t> chosen = {});

/// Labels the points in fp64. Each distance² moves at random within a share of what rounding explains. The labels are a right implementation's, in
/// doubt where its own are. Equal points and equal centroids stay equal. Returns the number of changed labels.
template <class T>
std::int64_t label_rounded(const Problem<T>& p, std::span<const T> centroids, const Arithmetic& arithmetic, double share, std::uint64_t seed,
                           std::span<std::int32_t> labels);

/// Additional error of TF32, as a share of the magnitude: each factor is off by at most 2^-10, hence 2xc by 2^-9 (|x|² + |c|²).
constexpr double cut_factors(Distance form) { return form == Distance::expansion_tf32 ? 0x1p-9 : 0; }

// ---- means --------------------------------------------------------------------------------------------------------------------

/// Sums of the points of each cluster.
struct ClusterSums {
  std::vector<ExactSum> cells;       // k x d, row-major
  std::vector<std::int64_t> counts;  // k
  double inertia = 0;                // against the final centroids

  /// Adds the sums of other points, as exactly.
  void add(const ClusterSums& other);
};

/// Sums the points by label. Labels must lie in [0, k).
template <class T>
ClusterSums sums_on_host(const Problem<T>& p, const Solution<T>& s);

/// Both on the GPU, in fp64: sums_on_host, and if `check` is not null check_labels_on_host of all labels; else there is no inertia. Labels go to the
/// device once. Returns false if no GPU can do it, as without CUDA.
template <class T>
bool judge_on_device(const Problem<T>& p, const Solution<T>& s, const Arithmetic& arithmetic, ClusterSums& sums, LabelCheck* check);
/// Sets the approximate bytes of GPU memory for it; 0: 90 % of free memory. Points that do not fit are processed in chunks.
void set_judge_budget(std::int64_t bytes);

/// The sums of all ranks' points, added in the order of ranks: the same bits on each.
ClusterSums over_ranks(Group* group, ClusterSums mine);
/// The checks of all ranks' labels, likewise. first: this rank's first point.
LabelCheck over_ranks(Group* group, LabelCheck mine, std::int64_t first);

/// Standard deviation and greatest |x| of each dimension, of all ranks' points.
struct Spread {
  std::vector<double> means, deviations, greatest;
};

template <class T>
Spread spread_of(const Problem<T>& p);

}  // namespace km
