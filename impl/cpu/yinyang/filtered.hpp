// Yinyang k-means: Ding et al., ICML 2015; without its local filter: Newling and Fleuret, ICML 2016; on several cores: taylor2021, Section IV.C. A
// point has an upper bound of the distance to its centroid, and per group a lower bound of that to the group's other centroids. Bounds skip
// distances; open cases are decided exactly (bench/base/exact.hpp). Labels equal those of exact Lloyd's.
//
// An unaffected point costs 12 bytes read and none written. One bound for all groups, below the least of theirs, is tested first, and bounds hold
// without being rewritten (bounds.hpp). Other points are processed in blocks: bounds of groups, distance to the own centroid, then group by group
// the points that need it. Four points at a time meet a vector of centroids.
#pragma once

#include <atomic>

#include "bench/base/exact.hpp"
#include "impl/cpu/solver.hpp"
#include "impl/cpu/yinyang/bounds.hpp"
#include "impl/cpu/yinyang/sums.hpp"
#include "impl/yinyang/update.hpp"

namespace km {
namespace {

const Parameter groups_parameter = {.name = "groups", .fallback = 0, .range = {0, 7, 1000000}, .help = "of centroids; 0: k / 10"};
const Parameter update_parameter = yinyang::update_parameter();

using yinyang::is_incremental;

/// taylor2021, Section IV.D, after Ding et al.: k / 10.
inline int groups_of(const ProblemShape& p, const Config& config) {
  const auto asked = config.number("groups");
  return int(std::clamp<std::int64_t>(asked > 0 ? asked : p.k / 10, 1, p.k));
}

/// A point that its bounds leave open.
template <class T>
struct Open {
  static constexpr T infinite = std::numeric_limits<T>::infinity();
  std::int64_t i;
  float upper = 0;                                                     // of the distance to its centroid
  T own = 0;                                                           // distance² to its centroid
  int label, nearest;                                                  // label before; nearest so far
  T first = infinite, second = infinite, other = infinite;             // distances²: nearest, least other in its group, least of all others
  double skipped = 0;                                                  // lower bound of the skipped centroids (local filter) in the nearest's group
  bool own_is_among_its_group = false, nearest_is_of_a_group = false;  // whether those groups' distances are computed
};

/// State of a thread.
template <class T>
struct alignas(64) OpenPoints {
  static constexpr int most_points = 512;  // enough for four per group, few enough for the cache

  std::vector<Open<T>> points;
  std::vector<std::int16_t> places;  // groups x most_points
  std::vector<int> counts;           // by group
  double distances = 0, past_global = 0, past_group = 0, past_local = 0;

  void begin_run(int groups) {
    places.resize(std::size_t(groups) * most_points);
    counts.assign(groups, 0);
  }
  void begin_iteration() { distances = past_global = past_group = past_local = 0; }

  /// Adds the last point to a group's list if `is_open`, without a branch.
  void need(int g, bool is_open) {
    places[std::size_t(g) * most_points + counts[g]] = std::int16_t(points.size() - 1);
    counts[g] += is_open;
  }
};

enum class Filters { two, three };  // three: with the local filter, one centroid at a time

template <class T, Filters filters>
class Filtered : public CpuSolver<T> {
 public:
  /// groups: at most. widening, moving: scale the bounds' and the movements' shares; below 1 labels may be wrong (tests/yinyang_test.cpp).
  Filtered(const Problem<T>& problem, const Config& config, int groups, double widening = 1, double moving = 1)
      : CpuSolver<T>(problem), threads_(threads_of(config, problem.group)), most_groups_(groups), radius_(problem.d, widening), moving_(moving),
        incremental_(is_incremental(config)), sums_(p_, threads_), incremental_means_(p_, threads_), workers_(threads_), moves_(threads_) {}

  int iterate(Trace& trace) {
    return this->repeat(trace, [&] {
      return iteration(trace, [&](std::int64_t) {
        const auto phase = trace.phase("update");
        if (incremental_) incremental_means_.update(moves_, out_.centroids, out_.iters == 1);
        else sums_.update(moves_, out_.labels, out_.centroids, out_.iters == 1);
      });
    });
  }

 protected:
  using CpuSolver<T>::p_, CpuSolver<T>::out_;

  /// make_means(changed) updates the centroids by moves(). Returns the number of changed labels.
  template <class MakeMeans>
  std::int64_t iteration(Trace& trace, MakeMeans make_means) {
    if (out_.iters == 1) group(trace);
    const std::int64_t changed = assign(trace);
    make_means(changed);
    move_bounds(trace);
    return changed;
  }

  /// The points that changed cluster in this iteration, one list per thread.
  const std::vector<std::vector<Move>>& moves() const { return moves_; }

 private:
  void group(Trace& trace) {
    const auto phase = trace.phase("group");
    groups_ = Groups<T>(group_centroids(out_.centroids, p_.k, p_.d, most_groups_, threads_), p_.d);
    bounds_.begin(p_.n, p_.k, groups_.count());
    before_ = bounds_.group_movement();
    moved_.assign(p_.k, 0);
    for (auto& worker : workers_) worker.begin_run(groups_.count());
  }

  std::int64_t assign(Trace& trace) {
    const auto phase = trace.phase("assign");
    out_.assigned_centroids = out_.centroids;
    whole_ = groups_.find_twins(out_.assigned_centroids) || out_.iters == 1;
    groups_.take(out_.assigned_centroids, threads_);
    // Half of the blocks go to the threads in turn, because open points lie together (unlike Shares, impl/cpu/lloyd/strips.hpp). The others go to whom is
    // ready, unless means come from means: then the order of moves counts.
    constexpr std::int64_t line = 64, most = OpenPoints<T>::most_points;
    const std::int64_t wanted = std::max<std::int64_t>(p_.n / (16 * threads_), groups_.count());
    const std::int64_t block = std::clamp((wanted + line - 1) / line * line, line, most);
    const std::int64_t blocks = (p_.n + block - 1) / block, even = incremental_ ? blocks : blocks / 2;
    std::atomic<std::int64_t> rest = even;
#pragma omp parallel num_threads(threads_)
    {
      const int own = omp_get_thread_num(), threads = omp_get_num_threads();
      auto& worker = workers_[own];
      worker.begin_iteration();
      moves_[own].clear();
      const auto next = [&](std::int64_t b) { return b < even ? b : rest.fetch_add(1, std::memory_order_relaxed); };
      for (std::int64_t b = next(own); b < blocks; b = next(b + threads)) {
        const int length = int(std::min(block, p_.n - b * block));
        worker.points.clear();
        if (whole_) take_all(worker, b * block, length);
        else filter(worker, b * block, length);
        for (int g = 0; g < groups_.count(); ++g) scan(worker, g);
        for (auto& point : worker.points) finish(worker, point, moves_[own]);
      }
    }
    std::int64_t changed = 0;
    for (const auto& list : moves_) changed += std::ssize(list);
    count(trace);
    return changed;
  }

  void take_all(OpenPoints<T>& worker, std::int64_t first, int length) {
    for (int p = 0; p < length; ++p) {
      worker.points.push_back({.i = first + p, .label = out_.labels[first + p], .nearest = no_label, .own_is_among_its_group = true});
      for (int g = 0; g < groups_.count(); ++g) worker.need(g, true);
    }
  }

  void filter(OpenPoints<T>& worker, std::int64_t first, int length) {
    bool is_open[OpenPoints<T>::most_points];
    std::int16_t at[OpenPoints<T>::most_points];
    bounds_.open(first, length, &out_.labels[first], is_open);
    int count = 0;
    for (int p = 0; p < length; ++p) {
      at[count] = std::int16_t(p);
      count += is_open[p];
    }
    for (int o = 0; o < count; ++o) open(worker, first + at[o]);
  }

  /// Global filter by the groups' bounds, again with the tight upper bound, then the group filter.
  void open(OpenPoints<T>& worker, std::int64_t i) {
    const int label = out_.labels[i];
    const float least = bounds_.least(i);
    if (least > bounds_.upper(i, label)) return bounds_.keep_least(i, least);
    const T own = distance(row(i), centroid(label), p_.d);
    const double radius = radius_.upper(own);
    const float upper = rounded_up(radius);
    ++worker.distances;
    if (least > upper) {
      bounds_.keep_least(i, least);
      return bounds_.keep_upper(i, label, radius);
    }
    ++worker.past_global;
    const bool again = filters == Filters::two && bounds_.group_is_open(i, groups_.of(label), upper);
    worker.points.push_back(
        {.i = i, .upper = upper, .own = own, .label = label, .nearest = label, .first = again ? infinite : own, .own_is_among_its_group = again});
    for (int g = 0; g < groups_.count(); ++g) worker.need(g, bounds_.group_is_open(i, g, upper));
  }

  void scan(OpenPoints<T>& worker, int g) {
    const int count = std::exchange(worker.counts[g], 0);
    const std::int16_t* const places = &worker.places[std::size_t(g) * OpenPoints<T>::most_points];
    if (!whole_) worker.past_group += count;
    if (filters == Filters::three && !whole_) {
      for (int at = 0; at < count; ++at) scan_locally(worker, worker.points[places[at]], g);
      return;
    }
    worker.distances += double(count) * groups_.size(g);
    int at = 0;
    for (; at + 4 <= count; at += 4) scan_points<4, 2>(worker, g, places + at);
    for (; at < count; ++at) scan_points<1, 4>(worker, g, places + at);
  }

  template <int P, int U>
  void scan_points(OpenPoints<T>& worker, int g, const std::int16_t* places) {
    const T* x[P];
    TwoLeast<T> least[P];
    for (int p = 0; p < P; ++p) x[p] = row(worker.points[places[p]].i);
    groups_.template scan<P, U>(
        g, x, [&](int p, int v, Lanes<T> dist) __attribute__((always_inline)) { least[p].add(v, dist); });
    for (int p = 0; p < P; ++p) {
      const auto [first, second, place] = least[p].result();
      fold(worker.points[places[p]], g, first, second, groups_.member(place), unbounded);
    }
  }

  /// Local filter: a centroid is at least as far as its group's previous bound minus its own last movement.
  void scan_locally(OpenPoints<T>& worker, Open<T>& point, int g) {
    const float before = bounds_.group_when(point.i, g, before_[g]);
    T first = infinite, second = infinite;
    double skipped = unbounded;
    int nearest = no_label;
    for (int place = groups_.first(g) * lanes<T>; place < groups_.first(g + 1) * lanes<T> && groups_.member(place) >= 0; ++place) {
      const int c = groups_.member(place);
      if (c == point.label || groups_.is_twin(c)) continue;
      if (const double bound = (double(before) - moved_[c]) * (1 - 0x1p-52); before > 0 && bound > double(point.upper)) {
        skipped = std::min(skipped, bound);
        continue;
      }
      const T dist = distance(row(point.i), centroid(c), p_.d);
      ++worker.distances, ++worker.past_local;
      if (dist < first) {
        second = std::exchange(first, dist);
        nearest = c;
        point.upper = std::min(point.upper, rounded_up(radius_.upper(dist)));
      } else {
        second = std::min(second, dist);
      }
    }
    fold(point, g, first, second, nearest, skipped);
  }

  /// Merges a group's two nearest, and a lower bound for the centroids that the local filter skipped.
  void fold(Open<T>& point, int g, T first, T second, int nearest, double skipped) {
    bounds_.keep_group(point.i, g, std::min(skipped, radius_.lower(first)));
    if (first < point.first || (first == point.first && nearest < point.nearest)) {
      point.other = std::min({point.other, point.first, second});
      point.first = first, point.second = second, point.nearest = nearest;
      point.skipped = skipped, point.nearest_is_of_a_group = true;
    } else {
      point.other = std::min(point.other, first);
    }
  }

  void finish(OpenPoints<T>& worker, Open<T>& point, std::vector<Move>& moves) {
    const std::int64_t i = point.i;
    const bool is_close = double(point.other) <= radius_.as_near(point.first);
    const int nearest = is_close ? settle(worker, i, point.first) : point.nearest;
    const T dist = nearest == point.nearest ? point.first : distance(row(i), centroid(nearest), p_.d);
    if (nearest == point.nearest && point.nearest_is_of_a_group)
      bounds_.keep_group(i, groups_.of(nearest), std::min(point.skipped, radius_.lower(point.second)));
    if (nearest != point.label) {
      if (point.label >= 0 && !point.own_is_among_its_group) bounds_.lower_group(i, groups_.of(point.label), radius_.lower(point.own));
      moves.push_back({i, point.label, nearest});
      out_.labels[i] = nearest;
    }
    bounds_.keep_upper(i, nearest, radius_.upper(dist));
    bounds_.keep_least(i, bounds_.least(i));
  }

  /// Returns the exactly nearest centroid among those whose distance² in T is close to the least.
  int settle(OpenPoints<T>& worker, std::int64_t i, T least) {
    const double as_near = radius_.as_near(least);
    int best = no_label;
    for (int c = 0; c < p_.k; ++c) {
      if (groups_.is_twin(c) || double(distance(row(i), centroid(c), p_.d)) > as_near) continue;
      if (best < 0 || compare_distances(row(i), centroid(c), centroid(best), p_.d) < 0) best = c;
    }
    worker.distances += p_.k;
    return best;
  }

  void move_bounds(Trace& trace) {
    const auto phase = trace.phase("update");
    before_ = bounds_.group_movement();
    for (int c = 0; c < p_.k; ++c) {
      const T* const now = &out_.centroids[std::size_t(c) * p_.d];
      moved_[c] = std::equal(now, now + p_.d, centroid(c)) ? 0 : moving_ * radius_.upper(distance(centroid(c), now, p_.d));
    }
    bounds_.move(moved_, [this](int c) { return groups_.of(c); });
  }

  void count(Trace& trace) const {
    for (const auto& worker : workers_) {
      trace.count("distances", worker.distances);
      trace.count("past_global", worker.past_global);
      trace.count("past_group", worker.past_group);
      if (filters == Filters::three) trace.count("past_local", worker.past_local);
    }
  }

  const T* row(std::int64_t i) const { return p_.points.data() + i * p_.d; }
  const T* centroid(int c) const { return &out_.assigned_centroids[std::size_t(c) * p_.d]; }

  static constexpr T infinite = Open<T>::infinite;
  static constexpr double unbounded = std::numeric_limits<double>::infinity();
  int threads_, most_groups_;
  Radius<T> radius_;
  double moving_;
  bool incremental_;
  bool whole_ = true;  // compare all points with all centroids: at first, and when equal centroids have parted
  MovedSums<T> sums_;
  IncrementalMeans<T> incremental_means_;
  Groups<T> groups_;
  PointBounds bounds_;
  std::vector<float> before_;  // movement of groups until the previous iteration
  std::vector<double> moved_;  // upper bound of each centroid's last movement
  std::vector<OpenPoints<T>> workers_;
  std::vector<std::vector<Move>> moves_;  // one list per thread
};

}  // namespace
}  // namespace km
