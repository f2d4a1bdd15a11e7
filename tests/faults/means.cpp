// A centroid is not the mean of its points.
#include "tests/faults/broken.hpp"

namespace km {
namespace {

KM_BREAK(finish, wrong_mean, "one mean is wrong", .run = verdict::mean) { this->at(0, 0) += 1; }

// Off by 0.01% without a declared summation depth: a plain sum of many points may be that rough.
KM_BREAK(mean, scaled_means, sums_plainly("multiplies means by 1.0001"), .run = verdict::mean, .on = "many points", .precisions = both) {
  return 1.0001 * double(sum) / double(count);
}

KM_BREAK(mean, scaled_by_a_millionth, sums_plainly("multiplies means by 1.000001"), .run = verdict::mean, .on = "many points", .fp64_only = true) {
  return 1.000001 * double(sum) / double(count);
}
KM_BREAK(mean, count_less_one, sums_plainly("divides by count - 1"), .run = verdict::mean, .on = "many points") {
  return double(sum) / double(std::max<std::int64_t>(1, count - 1));
}
KM_BREAK(mean, count_plus_one, sums_plainly("divides by count + 1"), .run = verdict::mean, .on = "many points", .precisions = both) {
  return double(sum) / double(count + 1);
}

KM_BREAK(counted, dropped_remainder, sums_plainly("leaves the last n % 1000 points out of the means"), .run = verdict::mean, .on = "many points",
         .precisions = both) {
  return i < this->p_.n - this->p_.n % 1000;
}

struct KM_FAULT(lost_additions, sums_plainly("loses one addition in 997"), .run = verdict::mean, .on = "many points") {
  long double add(long double sum, double value) override { return ++additions_ % 997 == 0 ? sum : sum + value; }
  std::int64_t additions_ = 0;
};

KM_BREAK(add, half_sums, sums_plainly("sums in half precision"), .run = verdict::mean, .on = "many points", .precisions = both) {
  return rounded(double(sum) + value, 11);
}
KM_BREAK(add, float_sums, sums_plainly("sums fp64 points in fp32"), .run = verdict::mean, .on = "many points", .fp64_only = true) {
  return float(sum) + float(value);
}

KM_BREAK(add, claims_short_sums, "declares short sums and sums plainly", .run = verdict::mean, .on = "many points", .check = "", .precisions = both) {
  return T(sum) + T(value);
}

KM_BREAK(mean, claims_long_sums,
         (Description{
             .summary = "declares endless sums to hide means that are 1% off",
             .summation_depth = [](const ProblemShape&, const Config&) -> std::int64_t { return std::int64_t(1) << 60; },
         }),
         .run = verdict::mean, .on = "many points") {
  return 1.01 * double(sum) / double(count);
}

KM_BREAK(finish, zero_means, sums_plainly("hands back centroids that are all 0"), .run = verdict::mean, .on = "many points", .precisions = both) {
  std::ranges::fill(this->out_.centroids, T(0));
}
KM_BREAK(add, fixed_point_sums, sums_plainly("sums in fixed point"), .run = verdict::mean) { return sum + std::round(1024 * value) / 1024; }

struct KM_FAULT(mean_of_means, "averages the means of two halves", .run = verdict::mean) {
  void update() override {
    RightLloyd<T>::update();
    const auto whole = this->counts_;
    half_ = 1;
    RightLloyd<T>::update();
    const auto first = this->out_.centroids;
    half_ = 2;
    RightLloyd<T>::update();
    for (std::size_t cell = 0; cell < first.size(); ++cell) this->out_.centroids[cell] = (first[cell] + this->out_.centroids[cell]) / 2;
    half_ = 0;
    this->counts_ = whole;
  }
  bool counted(std::int64_t i) override { return half_ == 0 || (half_ == 1) == (i < this->p_.n / 3); }
  int half_ = 0;
};

KM_BREAK(update, median, "takes the median for the mean", .run = verdict::mean) {
  RightLloyd<T>::update();
  std::vector<T> values;
  for (int c = 0; c < this->p_.k; ++c)
    for (int j = 0; j<this->p_.d&& this->counts_[c]> 0; ++j) {
      values.clear();
      for (std::int64_t i = 0; i < this->p_.n; ++i)
        if (this->out_.labels[i] == c) values.push_back(T(this->x(i, j)));
      std::ranges::nth_element(values, values.begin() + values.size() / 2);
      this->at(c, j) = values[values.size() / 2];
    }
}

// Keeps sums from one iteration to the next. Adds the points that join and never subtracts those that leave.
struct KM_FAULT(only_joiners, "forgets points that left a cluster", .run = verdict::mean) {
  std::int64_t assign() override {
    before_ = this->out_.labels;
    return RightLloyd<T>::assign();
  }
  void update() override {
    if (this->iter_ == 1) {
      sums_.assign(this->out_.centroids.size(), 0);
      counts_.assign(this->p_.k, 0);
    }
    for (std::int64_t i = 0; i < this->p_.n; ++i) {
      const int c = this->out_.labels[i];
      if (c == before_[i]) continue;
      ++counts_[c];
      for (int j = 0; j < this->p_.d; ++j) sums_[std::size_t(c) * this->p_.d + j] += this->x(i, j);
    }
    for (std::size_t cell = 0; cell < sums_.size(); ++cell)
      if (const auto count = counts_[cell / this->p_.d]; count > 0) this->out_.centroids[cell] = T(sums_[cell] / double(count));
  }
  Labels before_;
  std::vector<std::int64_t> counts_;
  std::vector<double> sums_;
};

KM_BREAK(counted, duplicates_once, "counts equal points once", .run = verdict::mean) {
  for (int j = 0; j < this->p_.d; ++j)
    if (i == 0 || this->x(i, j) != this->x(i - 1, j)) return true;
  return false;
}

KM_BREAK(update, stale_dimension, "never updates the last dimension", .run = verdict::mean) {
  RightLloyd<T>::update();
  for (int c = 0; c < this->p_.k; ++c) this->at(c, this->p_.d - 1) = T(this->centroid(c, this->p_.d - 1));
}

KM_BREAK(finish, swapped_centroids, "swaps two centroids", .run = verdict::mean) {
  for (int j = 0; j<this->p_.d&& this->p_.k> 1; ++j) std::swap(this->at(0, j), this->at(1, j));
}

KM_BREAK(update, swaps_every_iteration, "swaps two centroids in every iteration", .run = verdict::mean) {
  RightLloyd<T>::update();
  for (int j = 0; j<this->p_.d&& this->p_.k> 1; ++j) std::swap(this->at(0, j), this->at(1, j));
}

// d x k for k x d: the same size, and the same shape if k = d.
KM_BREAK(finish, transposed, "hands back the centroids transposed", .run = verdict::mean) {
  const auto rows = this->out_.centroids;
  for (int c = 0; c < this->p_.k; ++c)
    for (int j = 0; j < this->p_.d; ++j) this->out_.centroids[std::size_t(j) * this->p_.k + c] = rows[std::size_t(c) * this->p_.d + j];
}

KM_BREAK(finish, centroids_before_update, "hands back the centroids before the last update", .run = verdict::mean) {
  this->out_.centroids = this->out_.assigned_centroids;
}
KM_BREAK(finish, assigned_are_final, "hands back the final centroids as those the last assign used", .run = verdict::label) {
  this->out_.assigned_centroids = this->out_.centroids;
}
KM_BREAK(mean, count_in_16_bits, "counts to 65535", .run = verdict::mean, .on = "100,003 points", .check = "") {
  return double(sum) / double(std::uint16_t(count));
}
KM_BREAK(of_empty, empty_cluster_moved, "moves empty clusters", .run = verdict::empty, .check = "empty clusters") {
  return T(this->centroid(c, j)) + 1;
}
KM_BREAK(of_empty, empty_cluster_to_zero, "moves empty clusters to the origin", .run = verdict::empty, .check = "empty clusters") { return 0; }
KM_BREAK(of_empty, empty_cluster_to_a_point, "moves empty clusters to a point", .run = verdict::empty, .check = "empty clusters") {
  return T(this->x(this->p_.n - 1 - c % this->p_.n, j));
}

KM_BREAK(of_empty, empty_cluster_to_the_middle, "moves empty clusters to the mean of all points", .run = verdict::empty, .check = "empty clusters") {
  double sum = 0;
  for (std::int64_t i = 0; i < this->p_.n; ++i) sum += this->x(i, j);
  return T(sum / double(this->p_.n));
}

KM_BREAK(of_empty, empty_cluster_nan, "divides by the count of empty clusters", .run = "centroid 2, dimension 0 is -?nan$",
         .check = "empty clusters") {
  return std::numeric_limits<T>::quiet_NaN();
}

// ---- errors with chunks of 1000 points ----

KM_BREAK(counted, chunk_left_out, sums_plainly("leaves one chunk of points out of the means"), .run = verdict::mean, .on = "many points",
         .check = "d = 4", .precisions = both) {
  return i / 1000 != 7;
}

KM_BREAK(counted, sums_of_the_last_chunk, sums_plainly("forgets the sums of all chunks but the last"), .run = verdict::mean, .on = "many points",
         .check = "d = 4") {
  return i / 1000 == (this->p_.n - 1) / 1000;
}

KM_BREAK(update, chunk_sent_twice, sums_plainly("adds the first chunk twice"), .run = verdict::mean, .on = "many points", .check = "d = 4") {
  const Problem<T> all = this->p_;
  const auto labels = this->out_.labels;
  const auto first = std::min<std::int64_t>(1000, all.n);
  std::vector<T> points(all.points.begin(), all.points.end());
  points.insert(points.end(), all.points.begin(), all.points.begin() + first * all.d);
  this->out_.labels.insert(this->out_.labels.end(), labels.begin(), labels.begin() + first);
  this->p_.points = points;
  this->p_.n += first;
  RightLloyd<T>::update();
  this->p_ = all;
  this->out_.labels = labels;
}

struct KM_FAULT(mean_of_chunk_means, sums_plainly("takes the mean of the means of 10,000 points each"), .run = verdict::mean, .on = "many points",
                .check = "d = 4") {
  void update() override {
    const auto cells = this->out_.centroids.size();
    std::vector<double> means(cells), chunks(cells);
    for (first_ = 0; first_ < this->p_.n; first_ += 10'000) {
      RightLloyd<T>::update();
      for (std::size_t cell = 0; cell < cells; ++cell)
        if (this->counts_[cell / std::size_t(this->p_.d)] > 0) means[cell] += double(this->out_.centroids[cell]), ++chunks[cell];
    }
    for (std::size_t cell = 0; cell < cells; ++cell)
      this->out_.centroids[cell] = chunks[cell] > 0 ? T(means[cell] / chunks[cell]) : this->out_.assigned_centroids[cell];
  }
  bool counted(std::int64_t i) override { return i >= first_ && i < first_ + 10'000; }
  std::int64_t first_ = 0;
};

}  // namespace
}  // namespace km
