// The outputs agree with each other, but come from other work than was asked for.
#include <functional>
#include <random>
#include <stdexcept>

#include "tests/faults/broken.hpp"

namespace km {
namespace {

KM_BREAK(iterate, one_iteration_told_as_all, "makes one iteration and says all", .run = verdict::link, .precisions = both) {
  return this->lie(trace);
}

KM_BREAK(iterate, one_iteration_more, "makes one iteration more than it says", .run = verdict::again) {
  return this->lie(trace, this->p_.max_iters + 1);
}

KM_BREAK(iterate, one_iteration_fewer, "makes one iteration fewer than it says", .run = verdict::link) {
  return this->lie(trace, std::max(1, this->p_.max_iters - 1));
}

KM_BREAK(iterate, wrong_iterations, "stops an iteration early", .run = "9 iterations where exactly 10 were asked for") {
  return this->make(trace, std::max(1, this->p_.max_iters - 1));
}
KM_BREAK(iterate, told_one_more, "goes on for an iteration", .run = "11 iterations where exactly 10 were asked for") {
  return this->make(trace, this->p_.max_iters + 1);
}

KM_BREAK(iterate, zero_iterations, "says that it made no iteration", .run = "^0 iterations where exactly 10") {
  RightLloyd<T>::iterate(trace);
  return this->out_.iters = 0;
}

struct KM_FAULT(iterations_disagree, "says one count of iterations and hands back another", .run = "iterations where exactly 10") {
  void finish() override { ++this->out_.iters; }
  int iterate(Trace& trace) { return RightLloyd<T>::iterate(trace) - 1; }
};

template <class T, int skipped>
struct SkipsOne : RightLloyd<T> {
  std::int64_t assign() override { return this->iter_ == skipped ? this->p_.n : RightLloyd<T>::assign(); }
  void update() override {
    if (this->iter_ != skipped) RightLloyd<T>::update();
  }
};
struct KM_PLANTED(skips_iteration_three, "does nothing in its third iteration", .run = verdict::link) : SkipsOne<T, 3> {};
struct KM_PLANTED(skips_iteration_seven, "does nothing in its seventh iteration", .run = verdict::link) : SkipsOne<T, 7> {};

// The first instance, which is timed, makes one iteration fewer than it says; later ones, which only replay it, are right.
struct KM_FAULT(honest_when_replayed, "lies in its first instance only", .run = verdict::link) {
  int iterate(Trace& trace) { return this->lie(trace, std::max(1, this->p_.max_iters - first_)); }
  static inline int instances_ = 0;
  bool first_ = instances_++ == 0;
};

struct KM_FAULT(other_start, "starts from rows of the points", .run = verdict::again) {
  int iterate(Trace& trace) {
    for (int c = 0; c < this->p_.k; ++c)
      for (int j = 0; j < this->p_.d; ++j) this->at(c, j) = T(this->x((c * 7 + 1) % this->p_.n, j));
    return this->go_on(trace, this->p_.max_iters);
  }
  void reset() {
    RightLloyd<T>::reset();
    this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
  }
};

KM_BREAK(iterate, start_rotated, "starts from the centroids in another order", .run = verdict::start) {
  this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
  std::ranges::rotate(this->out_.centroids, this->out_.centroids.begin() + this->p_.d);
  return this->go_on(trace, this->p_.max_iters);
}

// Seeds itself, as libraries do unless told otherwise: k-means++ (Arthur and Vassilvitskii 2007).
KM_BREAK(iterate, own_plus_plus, "seeds itself with k-means++", .run = verdict::again) {
  std::mt19937 random(1);
  this->out_.centroids.clear();
  std::vector<double> weights(this->p_.n, 1);
  for (int c = 0; c < this->p_.k; ++c) {
    const auto i = std::discrete_distribution<std::int64_t>(weights.begin(), weights.end())(random);
    for (int j = 0; j < this->p_.d; ++j) this->out_.centroids.push_back(T(this->x(i, j)));
    this->out_.assigned_centroids = this->out_.centroids;
    for (std::int64_t other = 0; other < this->p_.n; ++other)
      weights[other] = c == 0 ? this->distance(other, c) : std::min(weights[other], this->distance(other, c));
  }
  return this->go_on(trace, this->p_.max_iters);
}

KM_BREAK(iterate, best_of_several_starts, "hands back the best of five starts", .run = verdict::again) {
  Solution<T> best;
  double least = std::numeric_limits<double>::infinity();
  for (int start = 0; start < 5; ++start) {
    this->out_.centroids.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end());
    for (int c = 0; start > 0 && c < this->p_.k; ++c)
      for (int j = 0; j < this->p_.d; ++j) this->at(c, j) = T(this->x((c * 97 + start) % this->p_.n, j));
    this->go_on(trace, this->p_.max_iters);
    double cost = 0;
    for (std::int64_t i = 0; i < this->p_.n; ++i) cost += this->distance(i, this->out_.labels[i]);
    if (cost < least) {
      least = cost;
      best = this->out_;
    }
  }
  this->out_ = best;
  return best.iters;
}

// The second call continues where the first ended: its answer is right for a later iteration.
struct KM_FAULT(stale, "does not start anew", .run = verdict::again) {
  void prepare(const Config&) override { centroids_.assign(this->p_.initial_centroids.begin(), this->p_.initial_centroids.end()); }
  int iterate(Trace& trace) {
    this->out_.centroids = centroids_;
    const int iters = this->go_on(trace, this->p_.max_iters);
    centroids_ = this->out_.centroids;
    return iters;
  }
  std::vector<T> centroids_;
};

struct KM_FAULT(stale_across_instances, "starts where the instance before ended", .run = verdict::start) {
  int iterate(Trace& trace) {
    if (ended_.size() != this->p_.initial_centroids.size()) return RightLloyd<T>::iterate(trace);
    this->out_.centroids = ended_;
    return this->go_on(trace, this->p_.max_iters);
  }
  ~stale_across_instances() override { ended_ = this->out_.centroids; }
  static inline std::vector<T> ended_;
};

KM_BREAK(assign, false_convergence, "stops once fewer than 1% changed label", .run = verdict::early, .on = "tolerance 0", .check = "") {
  const std::int64_t changed = RightLloyd<T>::assign();
  return changed <= this->p_.n / 100 ? 0 : changed;
}

struct KM_FAULT(stops_when_still, "stops when centroids move less than 0.05", .run = verdict::early, .on = "tolerance 0", .check = converges) {
  std::int64_t assign() override {
    const std::int64_t changed = RightLloyd<T>::assign();
    return still_ && this->iter_ > 1 ? 0 : changed;
  }
  void update() override {
    RightLloyd<T>::update();
    double shift = 0;
    for (std::size_t cell = 0; cell < this->out_.centroids.size(); ++cell)
      shift = std::max(shift, std::abs(double(this->out_.centroids[cell]) - double(this->out_.assigned_centroids[cell])));
    still_ = shift < 0.05;
  }
  bool still_ = false;
};

KM_BREAK(assign, stops_after_one, "stops after the first iteration", .run = verdict::early, .on = "tolerance 0", .check = converges) {
  RightLloyd<T>::assign();
  return 0;
}

KM_BREAK(iterate, ignores_tolerance, "makes all iterations whatever the tolerance", .run = verdict::late, .on = "tolerance 0.01",
         .check = converges) {
  this->p_.tolerance = -1;
  return RightLloyd<T>::iterate(trace);
}

KM_BREAK(iterate, stops_one_late, "stops one iteration after convergence", .run = verdict::late, .on = "tolerance 0.01", .check = converges) {
  const int iters = this->make(trace, this->p_.max_iters);
  if (iters == this->p_.max_iters) return iters;
  this->go_on(trace, 1);
  return this->out_.iters = iters + 1;
}

KM_BREAK(iterate, stops_at_fixed_point, "leaves out iterations that would change nothing", .run = "iterations", .on = "settled", .check = "") {
  this->p_.tolerance = std::max(this->p_.tolerance, 0.0);
  return this->lie(trace, this->p_.max_iters);
}

// Mini-batches (Sculley 2010) with a last pass over everything.
KM_BREAK(counted, mini_batch, "updates from a tenth of the points, in the last iteration from all", .run = verdict::link, .precisions = both) {
  return this->last() || i % 10 == this->iter_ % 10;
}

KM_BREAK(counted, sampled_update, "updates from half of the points, in the last iteration from all", .run = verdict::link) {
  return this->last() || i % 2 == 0;
}

// Draws mini-batches anew in every run, so no run repeats another. A judge must not take chance for rounding.
struct KM_FAULT(random_mini_batch, "updates from a random tenth of the points, in the last iteration from all", .run = verdict::link) {
  bool counted(std::int64_t) override { return this->last() || random_() % 10 == 0; }
  std::minstd_rand random_{std::random_device()()};
};

// Uses mini-batches in iterations 3 to 6 of large problems. Neither the first and last iteration nor a small sample shows it.
KM_BREAK(counted, mini_batch_when_large, "updates from a tenth of many points, in four of the iterations",
         .run = "after \\d iterations: .*" + verdict::mean, .on = "many points", .check = "") {
  return this->p_.n < 30'000 || this->iter_ < 3 || this->iter_ > 6 || i % 10 == 0;
}

// Hartigan's criterion, which weighs distances by cluster sizes: another algorithm, with a last iteration of Lloyd's.
KM_BREAK(distance, hartigan, "decides by Hartigan's criterion", .run = verdict::link) {
  const double dist = RightLloyd<T>::distance(i, c);
  if (this->iter_ == 1 || this->last()) return dist;
  const double count = double(this->counts_[c]);
  return this->out_.labels[i] == c ? dist * count / std::max(1.0, count - 1) : dist * count / (count + 1);
}

// MacQueen's: centroids move with every point they are given. The last iteration is Lloyd's.
KM_BREAK(label, online_update, "moves centroids while it assigns", .run = verdict::link) {
  const std::int32_t c = RightLloyd<T>::label(i);
  for (int j = 0; j < this->p_.d && !this->last(); ++j) {
    T& value = this->out_.assigned_centroids[std::size_t(c) * this->p_.d + j];
    value += T(0.05) * T(this->x(i, j) - double(value));
  }
  return c;
}

/// After an update: goes `share` of the way to each mean, in the last iteration all of it.
template <class T>
void go_part_of_the_way(RightLloyd<T>& lloyd, double share) {
  for (std::size_t cell = 0; cell < lloyd.out_.centroids.size() && !lloyd.last(); ++cell)
    lloyd.out_.centroids[cell] = T(share) * lloyd.out_.centroids[cell] + T(1 - share) * lloyd.out_.assigned_centroids[cell];
}
KM_BREAK(update, damped_update, "goes 0.9 of the way to each mean, in the last iteration all of it", .run = verdict::link) {
  RightLloyd<T>::update();
  go_part_of_the_way<T>(*this, 0.9);
}
KM_BREAK(update, over_relaxed_update, "goes 1.2 of the way to each mean, in the last iteration all of it", .run = verdict::link) {
  RightLloyd<T>::update();
  go_part_of_the_way<T>(*this, 1.2);
}

// Assign and update overlap: assign works with the centroids before the last update, until the last iteration.
struct KM_FAULT(one_iteration_behind, "assigns with centroids of the iteration before", .run = verdict::link) {
  std::int64_t assign() override {
    const auto now = this->out_.centroids;
    if (this->iter_ > 1 && !this->last()) this->out_.centroids = before_;
    before_ = now;
    return RightLloyd<T>::assign();
  }
  std::vector<T> before_;
};

// Assigns once more after the last update, as scikit-learn does: labels fit the final centroids, and the final centroids are not their means.
KM_BREAK(finish, labels_of_final_centroids, "labels are of the final centroids", .run = verdict::label) {
  const auto used = this->out_.assigned_centroids;
  this->assign();
  this->out_.assigned_centroids = used;
}

KM_BREAK(finish, last_assign_without_update, "ends with an assign that no update follows", .run = verdict::mean) { this->assign(); }

/// Says no to some shapes of the replay, whose case it accepts.
Description refuses(std::string_view summary, std::function<std::string(const ProblemShape&)> why) {
  return {.summary = summary,
          .unsupported = [why = std::move(why)](const ProblemShape& p, const Config&, int) { return why(p); },
          .summation_depth = rounded_once};
}
template <class T>
struct OneOfTen : RightLloyd<T> {
  int iterate(Trace&) {
    Trace silent;
    return this->lie(silent);
  }
};
struct KM_PLANTED(refuses_fewer_iterations,
                  refuses("makes one iteration of ten, and refuses any other number",
                          [](const ProblemShape& p) { return p.max_iters == 10 ? "" : "ten iterations or none"; }),
                  .run = verdict::refused, .check = "")
    : OneOfTen<T> {};
struct KM_PLANTED(refuses_odd_iterations,
                  refuses("makes one iteration of ten, and refuses odd numbers",
                          [](const ProblemShape& p) { return p.max_iters % 2 == 0 ? "" : "pairs of iterations alone"; }),
                  .run = verdict::refused, .check = "")
    : OneOfTen<T> {};
struct KM_FAULT(refuses_the_sample, refuses("refuses to run on few points", [](const ProblemShape& p) { return p.n < 2000 ? "too few points" : ""; }),
                .run = verdict::refused, .check = "") {};
struct KM_FAULT(throws_at_the_replay,
                refuses("throws when asked for one iteration",
                        [](const ProblemShape& p) -> std::string {
                          if (p.max_iters == 1) throw std::runtime_error("one is none");
                          return "";
                        }),
                .run = verdict::refused + "it threw: one is none", .check = "") {};

// Skips another number in every run, so no run repeats another.
struct KM_FAULT(skips_three_in_ten, "leaves out three iterations of ten at random, neither the first nor the last", .run = verdict::link,
                .check = "") {
  int iterate(Trace& trace) {
    leave_out_ = false;
    return RightLloyd<T>::iterate(trace);
  }
  std::int64_t assign() override {
    leave_out_ = this->iter_ > 1 && !this->last() && random_() % 10 < 3;
    return leave_out_ ? this->p_.n : RightLloyd<T>::assign();
  }
  void update() override {
    if (!leave_out_) RightLloyd<T>::update();
  }
  bool leave_out_ = false;
  std::minstd_rand random_{std::random_device()()};
};

// The last bit differs in every run, and with it a few labels. Slack for atomics would hide the missing iterations.
struct KM_FAULT(stops_early_in_noise, "stops when three labels change, and adds noise in the last bit", .run = verdict::early, .on = "tolerance 0",
                .check = "") {
  std::int64_t assign() override {
    const std::int64_t changed = RightLloyd<T>::assign();
    return changed <= 3 ? 0 : changed;
  }
  void update() override {
    RightLloyd<T>::update();
    for (T& value : this->out_.centroids)
      if (random_() % 2 == 0) value = std::nextafter(value, T(1e9));
  }
  std::minstd_rand random_{std::random_device()()};
};

// ---- errors with points in two shares, as on two GPUs or in two processes; the last iteration is right ----

struct KM_FAULT(second_share_a_step_behind, "labels the second half by the centroids of the iteration before", .run = verdict::link) {
  std::int64_t assign() override {
    const std::int64_t changed = RightLloyd<T>::assign();
    if (this->iter_ > 1 && !this->last()) std::copy(labels_.begin() + this->p_.n / 2, labels_.end(), this->out_.labels.begin() + this->p_.n / 2);
    labels_ = this->out_.labels;
    return changed;
  }
  Labels labels_;
};

KM_BREAK(counted, point_between_shares_lost, "leaves the first point of the second half out of the means", .run = verdict::link, .check = "") {
  return this->last() || i != this->p_.n / 2;
}

KM_BREAK(counted, shares_meet_at_last, "adds the second half's sums in the first and last iteration alone", .run = verdict::link) {
  return this->last() || this->iter_ == 1 || i < this->p_.n / 2;
}

// ---- errors of loops that end on the device ----

KM_BREAK(iterate, unrolled_by_four, "makes iterations in fours", .run = verdict::again) { return this->lie(trace, (this->p_.max_iters + 3) / 4 * 4); }

struct KM_FAULT(tests_two_iterations_late, "tests the changed labels of two iterations before", .run = verdict::late, .on = "tolerance 0.01",
                .check = converges) {
  std::int64_t assign() override {
    if (this->iter_ == 1) one_before_ = two_before_ = this->p_.n;
    const std::int64_t now = RightLloyd<T>::assign(), tested = two_before_;
    two_before_ = std::exchange(one_before_, now);
    return tested;
  }
  std::int64_t one_before_ = 0, two_before_ = 0;
};

KM_BREAK(assign, counts_changes_of_one_block, "tests the changed labels of the last 32 points", .run = verdict::early, .on = "tolerance 0",
         .check = "") {
  const auto before = this->out_.labels;
  RightLloyd<T>::assign();
  std::int64_t changed = 0;
  for (std::int64_t i = std::max<std::int64_t>(0, this->p_.n - 32); i < this->p_.n; ++i) changed += this->out_.labels[i] != before[i];
  return changed;
}

KM_BREAK(assign, stops_at_ten_tolerances, "stops at ten times the tolerance", .run = verdict::early, .on = "tolerance 0.01", .check = "") {
  return RightLloyd<T>::assign() / 10;
}

KM_BREAK(iterate, reports_the_limit, "says that it made all iterations, and converged before", .run = verdict::link + "|" + verdict::late,
         .on = "tolerance 0.01", .check = converges) {
  return this->lie(trace, this->p_.max_iters);
}

KM_BREAK(iterate, departs_and_lies,
         (Description{
             .summary = "declares a departure and makes one iteration",
             .summation_depth = rounded_once,
             .departs = "an empty cluster is moved",
         }),
         .run = verdict::link) {
  return this->lie(trace);
}
struct KM_PLANTED(departs_and_refuses,
                  (Description{
                      .summary = "declares a departure, makes one iteration of ten, and refuses any other number",
                      .unsupported = [](const ProblemShape& p, const Config&, int) { return p.max_iters == 10 ? "" : "ten iterations or none"; },
                      .summation_depth = rounded_once,
                      .departs = "an empty cluster is moved",
                  }),
                  .check = "", .argued = "libraries that stop by their own rule cannot be replayed either: tables name what was not")
    : OneOfTen<T> {};

}  // namespace
}  // namespace km
