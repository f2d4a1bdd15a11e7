// Judges every measured run by its own output, in fp64 and exactly where fp64 is too coarse. A run that fails gets no time.
#pragma once

#include <random>

#include "bench/judge/errors.hpp"

namespace km {

/// Grade of a right answer, derived from the measured errors.
enum class Grade {
  exact,    // every judged label is the nearest centroid, ties to the lowest index; means within 4 u of mean|x|
  rounded,  // rounding explains the errors: at most 1e-4 of the labels, 1e-6 of the sum of distances², 1e-4 standard deviations
  coarse,   // rounding explains the errors, but they exceed these limits
};
std::string_view to_string(Grade grade);

struct Judgement {
  std::string verdict;            // "" if right, else one sentence
  Grade grade = Grade::exact;     // if right
  double inertia = 0;             // sum of distance², final labels and centroids
  double mean_error = 0;          // largest error of a centroid value against the mean
  double mean_offset = 0;         // the same in standard deviations of its dimension
  double mean_roundoffs = 0;      // the same in u mean|x| of its cluster
  double label_excess = 0;        // relative excess of the sum of distances² over the least, finite
  std::int64_t wrong_labels = 0;  // judged labels that are not the nearest centroid, without ties
  std::int64_t tied_labels = 0;   // exact ties given to a higher index, hidden by rounding
  std::int64_t judged_points = 0;
  std::vector<std::int64_t> cluster_sizes;
};

/// Thrown inside the judge: the result is wrong.
struct Refusal {
  std::string sentence;
};

/// Returns a sentence if these are not n labels of 0 … k - 1. first: the first label's point. All that can be said of a clustering without a record.
std::string explain_labels(std::span<const std::int32_t> labels, std::int64_t n, int k, std::int64_t first = 0);

/// Judges solutions of one problem. Computes data that depend on the points only once. Several ranks judge together, each its own labels: all get
/// the same verdict, and exchange sums, counts and sentences alone.
template <class T>
class Judge {
 public:
  /// spread: spread_of() the points, if already known.
  Judge(const Problem<T>& problem, const Description& description, const Config& config, Spread spread = {});

  const bool departs;  // the implementation, from the task

  /// Returns a sentence if sizes, iterations, centroid values or labels are none that a run of this shape can have. All other checks rely on them,
  /// and on the ranks' agreement. Throws AgreedFailure if iterations or centroids are not the same on all, bit by bit.
  std::string explain_shape(const ProblemShape& p, const Solution<T>& s) const;

  /// Judges sizes, values and means. Judges all labels on a GPU or if n k d is at most label_budget, else a random sample of at least 100,000.
  /// exactly: iterations that it must have made; 0: as the problem's stop rule allows.
  Judgement operator()(const Solution<T>& solution, int exactly = 0) const;

  /// Bounds of the rounding of the means of these labels (k x d): docs/method.md#the-judge. summation: summation_error() of a solution, or 0.
  std::vector<double> mean_bounds(const Solution<T>& solution, double summation = 0) const {
    return bounds_of(solution, sums_of(solution), summation);
  }
  /// Largest error of plain summation in T, in mean|x| of a cluster. Sums chains of depth_ points per cluster, then their sums, in point order and
  /// backwards: small values added after a large one are lost.
  double summation_error(const Solution<T>& solution) const;

  /// Root mean square difference of centroids beyond what explains two roundings of the same means; in standard deviations of their dimension.
  double apart(const std::vector<T>& a, const std::vector<T>& b, const std::vector<double>& bounds) const;

  /// True if the last iteration certainly changed a label: its initial centroids differ from the means of its labels by more than rounding explains.
  bool moved(const Solution<T>& solution) const;

  /// Makes the iterations of p (the same points) in fp64. Moves each mean at random within `share` of its bound, each distance² within share^6. A
  /// form that does not cancel here is further from its bound than a sum is. Also returns a hash of the labels of all iterations.
  std::pair<Solution<T>, std::uint64_t> run_rounded(const Problem<T>& p, double summation, double share, std::mt19937_64& draws) const;

 private:
  bool is_large() const { return double(problem_.n) * problem_.k * problem_.d > 1e7; }  // below, neither a launch nor freeing memory pays off
  std::string explain_own_shape(const ProblemShape& p, const Solution<T>& s) const;
  /// Of this rank's points. labels: gets what their labels show, or null.
  ClusterSums own_sums(const Solution<T>& solution, LabelCheck* labels = nullptr) const;
  ClusterSums sums_of(const Solution<T>& solution) const { return over_ranks(problem_.group, own_sums(solution)); }
  /// Checks that each centroid is the mean of its points within bounds_of() and that empty clusters keep theirs. Fills in the errors of means.
  void check_means(const Solution<T>& solution, const ClusterSums& truth, Judgement& out) const;
  std::vector<double> bounds_of(const Solution<T>& solution, const ClusterSums& truth, double summation) const;

  Problem<T> problem_;
  std::int64_t depth_;
  double kept_;   // error of sums that are kept, in the greatest |x| of its dimension
  double drift_;  // tolerance of incremental means, in standard deviations
  double frame_;  // error of fixed-point sums, in the greatest |x| of its dimension
  Spread spread_;
  Arithmetic arithmetic_;
};

}  // namespace km
