// A point's label is not its nearest centroid's index.
#include <numeric>
#include <random>

#include "impl/cpu/lloyd/screened.hpp"
#include "impl/cpu/triangle/reinforced.hpp"
#include "impl/cpu/yinyang/filtered.hpp"
#include "tests/faults/broken.hpp"

namespace km {
namespace {

/// |x|² - 2xc + |c|² in the precision of the points, which cancels far from the origin.
template <class T>
struct ExpandingLloyd : RightLloyd<T> {
  double distance(std::int64_t i, int c) const override {
    T xx = 0, xc = 0, cc = 0;
    for (int j = 0; j < this->p_.d; ++j) {
      const T x = T(this->x(i, j)), centroid = T(this->centroid(c, j));
      xx += x * x;
      xc += x * centroid;
      cc += centroid * centroid;
    }
    return xx - 2 * xc + cc;
  }
};

Description expands(std::string_view summary) { return {.summary = summary, .distance = Distance::expansion, .summation_depth = rounded_once}; }

KM_BREAK(finish, wrong_label, "one label is wrong", .run = verdict::label) {
  int farthest = 0;
  for (int c = 1; c < this->p_.k; ++c)
    if (this->distance(0, c) > this->distance(0, farthest)) farthest = c;
  this->out_.labels[0] = farthest;
  this->update();
}

KM_BREAK(label, all_labels_zero, "every label is 0", .run = verdict::label) { return 0; }

KM_BREAK(distance, half_distances, "sums distances in half precision", .run = verdict::label, .precisions = both) {
  double dist = 0;
  for (int j = 0; j < this->p_.d; ++j) {
    const double diff = rounded(this->x(i, j) - this->centroid(c, j), 11);
    dist = rounded(dist + rounded(diff * diff, 11), 11);
  }
  return dist;
}

// As a tensor core does to fp32 by default: 11 significant bits go into the products.
KM_BREAK(term, tf32_inputs, "rounds its inputs to TF32", .run = verdict::label, .precisions = both) {
  return std::pow(rounded(x, 11) - rounded(centroid, 11), 2);
}

KM_BREAK(term, bf16_inputs, "rounds its inputs to bfloat16", .run = verdict::label, .precisions = both) {
  return std::pow(rounded(x, 8) - rounded(centroid, 8), 2);
}
KM_BREAK(term, points_in_8_bits, "works on points in sixteenths", .run = verdict::label, .precisions = both) {
  return std::pow(std::round(16 * x) / 16 - centroid, 2);
}

// |x|² - 2xc + |c|², as declared. Far from the origin, rounding explains any label, and the labels are useless.
struct KM_PLANTED(expansion_far, expands("expands distances far from the origin"), .run = "coarse", .on = "far", .check = "", .precisions = {"fp32"})
    : ExpandingLloyd<T> {};

struct KM_PLANTED(expansion_undeclared, "expands distances and declares that it does not", .run = verdict::label, .on = "far",
                  .check = "far from the origin", .precisions = both)
    : ExpandingLloyd<T> {};

KM_BREAK(distance, claims_expansion, expands("declares an expansion to hide half precision"), .run = verdict::label) {
  double dist = 0;
  for (int j = 0; j < this->p_.d; ++j) dist += std::pow(rounded(this->x(i, j) - this->centroid(c, j), 11), 2);
  return rounded(dist, 11);
}

/// A distance² in fp32.
template <class T>
float float_distance(const RightLloyd<T>& lloyd, std::int64_t i, int c) {
  float dist = 0;
  for (int j = 0; j < lloyd.p_.d; ++j) dist += std::pow(float(lloyd.x(i, j)) - float(lloyd.centroid(c, j)), 2.0f);
  return dist;
}
struct KM_FAULT(float_inside, sums_plainly("does fp64 work in fp32"), .run = verdict::mean, .fp64_only = true) {
  double distance(std::int64_t i, int c) const override { return float_distance<T>(*this, i, c); }
  long double add(long double sum, double value) override { return float(sum) + float(value); }
};
KM_BREAK(distance, float_distances, "compares fp64 points in fp32", .run = verdict::label, .fp64_only = true) {
  return float_distance<T>(*this, i, c);
}

// The correct Lloyd's on values whose squares overflow: no rounding explains the result.
struct KM_FAULT(overflowing_distances, "squares values near 1e200", .run = R"(^values reach \S+: distances² overflow)", .on = "huge", .check = "") {};

KM_BREAK(term, manhattan, "takes the sum of absolute differences for the distance", .run = verdict::label, .precisions = both) {
  return std::abs(x - centroid);
}
KM_BREAK(term, dot_product, "forgets the centroid's norm in the expansion", .run = verdict::label) { return -x * centroid; }
KM_BREAK(term, weighted_dimensions, "weighs dimensions", .run = verdict::label) { return (j + 1) * std::pow(x - centroid, 2); }
KM_BREAK(term, last_dimension_left_out, "leaves the last dimension out of the distance", .run = verdict::label) {
  return j + 1 < this->p_.d ? std::pow(x - centroid, 2) : 0;
}
KM_BREAK(term, dimension_in_8_bits, "knows 255 dimensions", .run = verdict::label, .on = "wide", .check = "d = 300") {
  return j < std::uint8_t(this->p_.d) ? std::pow(x - centroid, 2) : 0;
}
KM_BREAK(label, half_of_the_centroids, "knows only half of the centroids", .run = verdict::label) {
  return this->nearest(i, 0, (this->p_.k + 1) / 2);
}
KM_BREAK(label, first_centroid_left_out, "never looks at the first centroid", .run = verdict::label) {
  return this->nearest(i, std::min(1, this->p_.k - 1), this->p_.k);
}
KM_BREAK(label, last_centroid_left_out, "never looks at the last centroid", .run = verdict::label) {
  return this->nearest(i, 0, std::max(1, this->p_.k - 1));
}
KM_BREAK(label, last_cluster_merged, "gives the last cluster's points to the one before", .run = verdict::label) {
  return std::min(RightLloyd<T>::label(i), std::max(0, this->p_.k - 2));
}
KM_BREAK(label, label_in_8_bits, "stores label % 256", .run = verdict::label, .on = "many clusters", .check = "k = 1000") {
  return std::uint8_t(RightLloyd<T>::label(i));
}

KM_BREAK(finish, labels_from_one, "numbers clusters from 1", .run = "has label 5: labels are 0 to 4") {
  for (auto& label : this->out_.labels) ++label;
}

KM_BREAK(finish, label_out_of_range, "one label is k", .run = "has label 5: labels are 0 to 4") { this->out_.labels.back() = this->p_.k; }
KM_BREAK(finish, labels_a_round_further, "adds k to all labels from its third run on", .run = "has label [5-9]: labels are 0 to 4", .check = "") {
  if (++this->runs_ > 2)
    for (auto& label : this->out_.labels) label += this->p_.k;
}

KM_BREAK(finish, huge_label, "one label is 2147483647", .run = "has label 2147483647: labels are 0 to 4") {
  this->out_.labels.front() = std::numeric_limits<std::int32_t>::max();
}
KM_BREAK(finish, last_point_unlabelled, "leaves the last label at -1", .run = "point 2133 has label -1") { this->out_.labels.back() = no_label; }
KM_BREAK(label, last_point_like_the_one_before, "gives the last point the label of the one before", .run = verdict::label) {
  return RightLloyd<T>::label(i == this->p_.n - 1 && i > 0 ? i - 1 : i);
}
KM_BREAK(label, partial_block_skipped, "skips the last block of points unless it is full", .run = verdict::label) {
  return i < this->p_.n - this->p_.n % 256 ? RightLloyd<T>::label(i) : 0;
}
KM_BREAK(label, point_in_16_bits, "gives point i the label of point i % 65536", .run = verdict::label, .on = "100,003 points", .check = "") {
  return RightLloyd<T>::label(std::uint16_t(i));
}

KM_BREAK(label, second_nearest_now_and_then, "gives one point in 100,000 the second nearest centroid", .run = verdict::label, .on = "100,003 points",
         .check = "") {
  const std::int32_t best = RightLloyd<T>::label(i);
  if (i % 100'000 != 77'777 || this->p_.k == 1) return best;
  std::int32_t second = best == 0 ? 1 : 0;
  for (int c = 0; c < this->p_.k; ++c)
    if (c != best && this->distance(i, c) < this->distance(i, second)) second = c;
  return second;
}

KM_BREAK(nearer, highest_index_wins, "gives ties to the highest index", .run = verdict::tie, .on = "ties", .check = "ties", .precisions = both) {
  return dist <= best;
}

struct KM_FAULT(ties_at_random, "gives ties to anyone", .run = verdict::tie, .on = "ties", .check = "ties", .precisions = both) {
  bool nearer(double dist, double best) override { return dist < best || (dist == best && random_() % 2 == 0); }
  std::minstd_rand random_;
};

KM_BREAK(nearer, near_ties_are_ties, "takes distances within 0.01% for equal", .run = verdict::label, .precisions = both) {
  return dist < best * (1 - 1e-4);
}

KM_BREAK(label, sticky_labels, "changes labels for 1% only", .run = verdict::label, .precisions = both) {
  const std::int32_t now = RightLloyd<T>::label(i), before = this->out_.labels[i];
  return before == no_label || this->distance(i, now) < 0.99 * this->distance(i, before) ? now : before;
}

KM_BREAK(label, stays_near, "searches among three centroids", .run = verdict::label) {
  const std::int32_t before = this->out_.labels[i];
  return before == no_label ? RightLloyd<T>::label(i) : this->nearest(i, std::max(0, before - 1), std::min(this->p_.k, before + 2));
}

struct KM_FAULT(wrong_bound, "skips distances by a wrong bound", .run = verdict::label) {
  std::int64_t assign() override {
    this->out_.assigned_centroids = this->out_.centroids;
    bound_.assign(this->p_.k, std::numeric_limits<double>::infinity());
    for (int c = 0; c < this->p_.k; ++c)
      for (int other = 0; other < this->p_.k; ++other) {
        double separation = 0;
        for (int j = 0; j < this->p_.d; ++j) separation += std::pow(this->centroid(c, j) - this->centroid(other, j), 2);
        if (other != c) bound_[c] = std::min(bound_[c], separation / 2);
      }
    return RightLloyd<T>::assign();
  }
  std::int32_t label(std::int64_t i) override {
    const std::int32_t before = this->out_.labels[i];
    return before != no_label && this->distance(i, before) <= bound_[before] ? before : RightLloyd<T>::label(i);
  }
  std::vector<double> bound_;
};

// cpu/lloyd/screened with a third of its proven margin: scores decide between centroids that they cannot tell apart.
struct KM_PLANTED(margin_of_a_third, "screens with a third of its margin", .run = verdict::label, .on = "lost products", .check = "") : Screened<T> {
  margin_of_a_third(const Problem<T>& problem, const Config&, Trace& trace)
      : Screened<T>(problem, Config({{"threads", std::int64_t(1)}, {"instructions", "best"}}), trace, 1.0 / 3) {}
};

// cpu/yinyang/group with bounds that pay nine tenths of what centroids move.
struct KM_PLANTED(drift_of_nine_tenths, "moves bounds by nine tenths of the centroids' movements", .run = verdict::label, .on = "pulled", .check = "",
                  .precisions = both)
    : Filtered<T, Filters::two> {
  drift_of_nine_tenths(const Problem<T>& problem, const Config&, Trace&)
      : Filtered<T, Filters::two>(problem, Config({{"threads", std::int64_t(1)}, {"update", "exact"}}), 2, 1, 0.9) {}
};

// cpu/triangle/reinforced with a loop that ends a fortieth before the proven cut-off.
struct KM_PLANTED(cut_too_early, sums_plainly("ends the triangle inequality's loop at 1.95 distances"), .run = verdict::label, .precisions = both)
    : Reinforced<T> {
  cut_too_early(const Problem<T>& problem, const Config& config, Trace& trace) : Reinforced<T>(problem, config, trace, 0.95) {}
};

// ---- errors with chunks of 1000 points ----

KM_BREAK(label, second_chunk_is_stale, "labels the second chunk by the points of the first", .run = verdict::label, .on = "many points") {
  return RightLloyd<T>::label(i / 1000 == 1 ? i - 1000 : i);
}

KM_BREAK(label, odd_chunks_keep_their_labels, "labels every other chunk in the first iteration alone", .run = verdict::label, .on = "many points") {
  const std::int32_t before = this->out_.labels[i];
  return before == no_label || i / 1000 % 2 == 0 ? RightLloyd<T>::label(i) : before;
}

KM_BREAK(label, chunk_a_row_too_far, "begins every chunk but the first a row too late", .run = verdict::label, .on = "many points") {
  return RightLloyd<T>::label(i >= 1000 ? std::min(i + 1, this->p_.n - 1) : i);
}

KM_BREAK(label, compares_with_nan, "never finds a nearer centroid", .run = verdict::label) {
  std::int32_t best = 0;
  double best_dist = std::numeric_limits<double>::quiet_NaN();
  for (int c = 0; c < this->p_.k; ++c)
    if (const double dist = this->distance(i, c); dist < best_dist) {
      best_dist = dist;
      best = c;
    }
  return best;
}

struct KM_FAULT(labels_of_iteration_before, "labels are of the iteration before the last", .run = verdict::label) {
  std::int64_t assign() override {
    before_ = this->out_.labels;
    return RightLloyd<T>::assign();
  }
  void finish() override {
    if (this->iter_ > 1) this->out_.labels = before_;
  }
  Labels before_;
};

KM_BREAK(finish, labels_in_sorted_order, "hands back labels in the order of sorted points", .run = verdict::label) {
  std::vector<std::int64_t> order(this->p_.n);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, {}, [this](std::int64_t i) { return this->x(i, 0); });
  const auto labels = this->out_.labels;
  for (std::int64_t i = 0; i < this->p_.n; ++i) this->out_.labels[i] = labels[order[i]];
}

}  // namespace
}  // namespace km
