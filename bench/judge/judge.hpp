// The judge: every measured run is held against its own output, in fp64 and where that cannot tell exactly. A run that fails has no time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/implementation.hpp"
#include "bench/judge/means.hpp"

namespace km {

/// How good a right answer is; derived from the figures, never declared.
enum class Grade {
  exact,    // every judged label is the nearest centroid, decided exactly, ties to the lowest index; means within 4 u of mean|x|
  rounded,  // rounding explains the rest and it has no effect: at most 1e-4 of the labels, 1e-6 of the sum of distances², 1e-4 deviations
  coarse,   // rounding explains it, yet it is past these limits
};
std::string_view to_string(Grade grade);

struct Judgement {
  std::string verdict;            // "" when right, else one sentence
  Grade grade = Grade::exact;     // of a right one
  double inertia = 0;             // sum of distance²: final labels, centroids after the last update
  double mean_error = 0;          // largest deviation of a centroid value from the mean of its points
  double mean_offset = 0;         // the same in standard deviations of its dimension
  double mean_roundoffs = 0;      // the same in u mean|x| of its cluster
  double label_excess = 0;        // of the sum of distances² to the given labels over the least, relative
  std::int64_t wrong_labels = 0;  // judged labels that are not the nearest centroid's, exact ties left out
  std::int64_t tied_labels = 0;   // exact ties that did not go to the lowest index, for rounding hid them
  std::int64_t judged_points = 0;
  std::vector<std::int64_t> cluster_sizes;
};

constexpr double label_budget = 5e8;

/// Judges solutions of one problem. What depends on the points alone is computed once.
template <class T>
class Judge {
 public:
  /// deviations: the points' standard_deviations(), where they are known already.
  Judge(const Problem<T>& problem, const Description& description, const Config& config, std::vector<double> deviations = {});

  /// Hold a solution against the problem: sizes, values, means (bench/judge/means.cpp), labels (bench/judge/labels.cpp).
  /// All labels where n k d is at most label_budget or a GPU can look, else a seeded sample of at least 100,000.
  Judgement operator()(const Solution<T>& solution) const;

  /// Whether the last iteration changed a label for certain: the centroids that it began with are not the means of the labels that it found,
  /// by more than rounding explains. Had no label changed, they would be.
  bool moved(const Solution<T>& solution) const;

  const std::vector<double>& deviations() const { return deviations_; }  // standard deviation of the points, by dimension

 private:
  bool is_large() const { return double(problem_.n) * problem_.k * problem_.d > 1e7; }  // for less a launch does not pay, nor making room
  ClusterSums sums_of(const Solution<T>& solution) const;

  Problem<T> problem_;
  Distance form_;
  std::int64_t depth_;
  double drift_;  // standard deviations that means may be off, where they are made from the means before
  std::vector<double> deviations_;
};

/// One solution of one problem.
template <class T>
Judgement judge(const Problem<T>& problem, const Solution<T>& solution, const Description& description, const Config& config) {
  return Judge<T>(problem, description, config)(solution);
}

/// Mean absolute difference between centroids (k x d) and ideal ones (rows of d), each matched to the nearest ideal centroid.
template <class T>
double centroid_error(const std::vector<T>& centroids, const std::vector<double>& ideal, int d);

}  // namespace km
