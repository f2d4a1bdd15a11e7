// The filtering algorithm (Kanungo, Mount, Netanyahu, Piatko, Silverman and Wu, "An Efficient k-Means Clustering Algorithm: Analysis and Implementation",
// IEEE TPAMI 24, 2002): a kd-tree of the points, whose nodes know the sum of theirs. Down the tree a node drops the centroids that are farther than
// another one from all of its box; where one is left, it takes the node as a whole. Only points near a boundary of two clusters are looked at.
// Labels are exact: a rounded distance decides where its margin allows it, else compare_distances does.
// Cost: prepare builds the tree, n log n. An iteration visits about n^(1 - 1/d) k^(1/d) boxes; the end of a run writes the labels.
// Memory: the points again, 12 bytes a point (28 in prepare), and a node of 5 d numbers for every 32 points.
// An implementation is Tree over all points (tree.cpp), or over the distinct ones (distinct_tree.cpp).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "bench/base/exact.hpp"
#include "impl/cpu/lloyd/box_tree.hpp"
#include "impl/cpu/solver.hpp"

namespace km {
namespace {

constexpr int most_dimensions = 8;
constexpr double underflow = std::numeric_limits<double>::min();  // below it products lose bits

/// Calls f with d as a constant, so that loops over coordinates unroll.
template <int D = 1>
void with_dimensions(int d, auto f) {
  if (d == D) f(std::integral_constant<int, D>());
  else if constexpr (D < most_dimensions) with_dimensions<D + 1>(d, f);
}

#define KM_INLINE __attribute__((always_inline))  // a call in a loop keeps it from becoming vectors

/// f(0) + … + f(D - 1), unrolled before loops around it become vectors.
template <int D>
KM_INLINE inline double sum_of(const auto& f) {
  return [&]<int... J>(std::integer_sequence<int, J...>) KM_INLINE { return (f(J) + ...); }
  (std::make_integer_sequence<int, D>());
}
constexpr double squared(double value) { return value * value; }

template <class T>
class Tree : public CpuSolver<T> {
 public:
  /// copies: for how many points each stands, one by default. all_points: their number with copies.
  Tree(const Problem<T>& problem, const Config& config, Trace&, std::int64_t all_points, std::span<const std::int32_t> copies = {})
      : CpuSolver<T>(problem), all_points_(all_points), threads_(problem.n < few_points ? 1 : threads_of(config)),
        tree_(problem, copies, config.number("bucket"), threads_), owners_(tree_.size()), labels_(problem.n), workers_(threads_) {}
  Tree(const Problem<T>& problem, const Config& config, Trace& trace) : Tree(problem, config, trace, problem.n) {}

  int iterate(Trace& trace) {
    this->take_initial();
    owners_[0] = nobody;
    repeat_ = true;
    ProblemShape all = p_;
    all.n = all_points_;
    out_.iters = lloyd(
        all, trace, [&] { return assign(trace); }, [&] { update(); });
    write_labels();
    return out_.iters;
  }

 protected:
  using CpuSolver<T>::p_, CpuSolver<T>::out_;

 private:
  static constexpr std::int64_t few_points = 10'000;             // take less time than waking threads
  static constexpr int tasks_of_thread = 16, most_points = 128;  // the second of a leaf
  static constexpr std::int32_t nobody = -2, several = -1;       // owners; several: labels or the halves' owners tell

  /// Candidates of the nodes on the way down, one node's after another's: their indices and coordinates.
  struct Candidates {
    std::vector<int> ids;
    std::array<std::vector<double>, most_dimensions> at;
    std::vector<double> dists;

    template <int D>
    void reserve(std::size_t count) {
      if (ids.size() >= count) return;
      ids.resize(2 * count), dists.resize(2 * count);
      for (int j = 0; j < D; ++j) at[j].resize(2 * count);
    }
  };
  struct Range {
    std::size_t first, last;  // of the candidates of a node
    std::size_t size() const { return last - first; }
  };
  /// Of the points of a leaf: so few floats need no more than fp64.
  struct FewFloats {
    double sum = 0;
    void add(double value) { sum += value; }
    double total() const { return sum; }
  };
  struct FewDoubles : ExactSum {
    const ExactSum& total() const { return *this; }
  };
  using LeafSum = std::conditional_t<sizeof(T) == 4, FewFloats, FewDoubles>;

  struct alignas(64) Worker {
    std::vector<ExactSum> sums;        // k x d
    std::vector<LeafSum> of_leaf;      // its candidates x d
    std::vector<std::int64_t> counts;  // k
    Candidates candidates;
    std::int64_t changed = 0;
    double distances = 0;
  };
  struct Task {
    std::size_t node;
    std::vector<int> candidates;
  };

  /// Returns how many points changed label.
  std::int64_t assign(Trace& trace) {
    out_.assigned_centroids = out_.centroids;
    for (Worker& one : workers_) {
      one.sums.assign(out_.centroids.size(), {}), one.counts.assign(p_.k, 0);
      one.changed = 0, one.distances = 0;
    }
    with_dimensions(p_.d, [this](auto d) { assign_in<d()>(); });
    std::int64_t changed = 0;
    for (const Worker& one : workers_) {
      changed += one.changed;
      trace.count("distances", one.distances);
    }
    return changed;
  }

  template <int D>
  void assign_in() {
    tasks_.clear();
    const std::vector<int> all = first_of_equals();
    const int levels = threads_ == 1 ? 0 : std::min<int>(tree_.depth(), std::bit_width(unsigned(tasks_of_thread * threads_)));
    divide<D>(0, all, levels);
#pragma omp parallel for num_threads(threads_) schedule(dynamic)
    for (std::size_t at = 0; at < tasks_.size(); ++at) {
      Worker& mine = workers_[omp_get_thread_num()];
      filter<D>(tasks_[at].node, given<D>(tasks_[at].candidates, mine.candidates), mine);
    }
  }

  /// All centroids but those equal to one of a lower index: these own no point, yet no box can drop them. It stops looking once it finds none, as
  /// equal ones come from the start; any that arise later cost time alone.
  std::vector<int> first_of_equals() {
    std::vector<int> all(p_.k);
    std::iota(all.begin(), all.end(), 0);
    if (!repeat_) return all;
    const auto row = [&](int c) { return std::span(out_.assigned_centroids).subspan(std::size_t(c) * p_.d, p_.d); };
    std::ranges::stable_sort(all, [&](int a, int b) { return std::ranges::lexicographical_compare(row(a), row(b)); });
    const auto repeated = std::ranges::unique(all, [&](int a, int b) { return std::ranges::equal(row(a), row(b)); });
    repeat_ = !repeated.empty();
    all.erase(repeated.begin(), repeated.end());
    std::ranges::sort(all);
    return all;
  }

  template <int D>
  Range given(const std::vector<int>& ids, Candidates& all) const {
    all.template reserve<D>(ids.size());
    for (std::size_t at = 0; at < ids.size(); ++at) {
      all.ids[at] = ids[at];
      for (int j = 0; j < D; ++j) all.at[j][at] = double(out_.assigned_centroids[std::size_t(ids[at]) * D + j]);
    }
    return {0, ids.size()};
  }

  /// Goes down `levels` levels; what is left there are tasks.
  template <int D>
  void divide(std::size_t node, const std::vector<int>& candidates, int levels) {
    if (levels == 0) return tasks_.push_back({node, candidates});
    Worker& mine = workers_[0];
    const Range kept = keep_nearer<D>(node, given<D>(candidates, mine.candidates), mine.candidates);
    mine.distances += double(candidates.size());
    const std::vector<int> left(&mine.candidates.ids[kept.first], &mine.candidates.ids[kept.last]);
    if (left.size() == 1) return take<D>(node, left.front(), mine);
    hand_down(node);
    divide<D>(2 * node + 1, left, levels - 1);
    divide<D>(2 * node + 2, left, levels - 1);
  }

  /// Labels the points of a node.
  template <int D>
  void filter(std::size_t node, Range candidates, Worker& mine) {
    const Range kept = keep_nearer<D>(node, candidates, mine.candidates);
    mine.distances += double(candidates.size());
    if (kept.size() == 1) {
      take<D>(node, mine.candidates.ids[kept.first], mine);
    } else if (tree_.is_leaf(node)) {
      label_each<D>(node, kept, mine);
    } else {
      hand_down(node);
      filter<D>(2 * node + 1, kept, mine);
      filter<D>(2 * node + 2, kept, mine);
    }
  }

  /// Appends those that may be the nearest to a point of the box. No point is nearer to c than to `nearest` if no corner is; the corner farthest towards
  /// c decides.
  template <int D>
  Range keep_nearer(std::size_t node, Range given, Candidates& all) const {
    const std::size_t count = given.size();
    all.template reserve<D>(given.last + count);
    double low[D], high[D], middle[D], nearest[D];
    std::array<double*, D> at;
    for (int j = 0; j < D; ++j) {
      low[j] = double(tree_.low(node)[j]), high[j] = double(tree_.high(node)[j]), middle[j] = 0.5 * (low[j] + high[j]);
      at[j] = &all.at[j][given.first];
    }
    double* const dists = all.dists.data();
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) dists[i] = sum_of<D>([&](int j) KM_INLINE { return squared(at[j][i] - middle[j]); });
    const auto likely = std::min_element(dists, dists + count) - dists;
    for (int j = 0; j < D; ++j) nearest[j] = at[j][likely];
#pragma omp simd
    for (std::size_t i = 0; i < count; ++i) {
      const auto corner = [&](int j) KM_INLINE { return at[j][i] > nearest[j] ? high[j] : low[j]; };
      const double to_c = sum_of<D>([&](int j) KM_INLINE { return squared(corner(j) - at[j][i]); });
      const double to_nearest = sum_of<D>([&](int j) KM_INLINE { return squared(corner(j) - nearest[j]); });
      dists[i] = (to_c - to_nearest) - fp64_doubt(D) * (to_c + to_nearest);
    }
    std::size_t last = given.last;
    for (std::size_t i = 0; i < count; ++i) {
      all.ids[last] = all.ids[given.first + i];
      for (int j = 0; j < D; ++j) all.at[j][last] = at[j][i];
      last += !(dists[i] > underflow);
    }
    return {given.last, last};
  }

  template <int D>
  void take(std::size_t node, int c, Worker& mine) {
    mine.changed += change_owner(node, c);
    mine.counts[c] += tree_[node].points;
    for (int j = 0; j < D; ++j) mine.sums[std::size_t(c) * D + j].add(tree_.sums(node)[j]);
  }

  /// Returns how many points change label.
  std::int64_t change_owner(std::size_t node, int c) {
    const std::int32_t before = std::exchange(owners_[node], c);
    const auto& [first, last, points] = tree_[node];
    if (before == c) return 0;
    if (before != several) return points;
    if (tree_.is_leaf(node)) {
      std::int64_t others = 0;
      for (std::int64_t i = first; i < last; ++i) others += labels_[i] != c ? tree_.copies(i) : 0;
      return others;
    }
    return change_owner(2 * node + 1, c) + change_owner(2 * node + 2, c);
  }

  /// Makes the owner of a node that of its halves, of a leaf the label of its points.
  void hand_down(std::size_t node) {
    const std::int32_t owner = std::exchange(owners_[node], several);
    if (owner == several) return;
    if (tree_.is_leaf(node)) std::fill(labels_.begin() + tree_[node].first, labels_.begin() + tree_[node].last, owner);
    else owners_[2 * node + 1] = owners_[2 * node + 2] = owner;
  }

  /// Labels the points of a leaf and adds them to the sums.
  template <int D>
  void label_each(std::size_t leaf, Range range, Worker& mine) {
    hand_down(leaf);
    const std::int64_t first = tree_[leaf].first, size = tree_[leaf].last - first;
    std::array<const T*, D> x;
    for (int j = 0; j < D; ++j) x[j] = tree_.values(leaf, j);
    const std::span<const int> ids = std::span(mine.candidates.ids).subspan(range.first, range.size());
    int places[most_points];  // of the nearest among the candidates
    find_nearest<D>(x, size, range, mine.candidates, places);
    mine.distances += double(size) * double(range.size());
    std::int32_t* const labels = &labels_[first];
    mine.of_leaf.assign(range.size() * D, {});
    for (std::int64_t i = 0; i < size; ++i) {
      const int c = ids[places[i]];
      const std::int32_t copies = tree_.copies(first + i);
      if (labels[i] != c) mine.changed += copies;
      labels[i] = c;
      mine.counts[c] += copies;
      for (int j = 0; j < D; ++j) add_copies(mine.of_leaf[std::size_t(places[i]) * D + j], x[j][i], copies);
    }
    for (std::size_t at = 0; at < range.size(); ++at)
      for (int j = 0; j < D; ++j) mine.sums[std::size_t(ids[at]) * D + j].add(mine.of_leaf[at * D + j].total());
  }

  /// A rounded distance decides where it differs enough from the least so far, else compare_distances does, for all candidates of that point.
  template <int D>
  void find_nearest(const std::array<const T*, D>& x, std::int64_t size, Range range, const Candidates& all, int* places) const {
    double least[most_points];
    int doubtful[most_points];
    std::fill_n(least, size, std::numeric_limits<double>::max());
    std::fill_n(places, size, 0), std::fill_n(doubtful, size, 0);
    for (std::size_t at = range.first; at < range.last; ++at) {
      double centre[D];
      for (int j = 0; j < D; ++j) centre[j] = all.at[j][at];
      const int place = int(at - range.first);
#pragma omp simd
      for (std::int64_t i = 0; i < size; ++i) {
        const double dist = sum_of<D>([&](int j) KM_INLINE { return squared(double(x[j][i]) - centre[j]); }), before = least[i];
        doubtful[i] |= std::abs(dist - before) <= fp64_doubt(D) * (dist + before) + underflow;
        places[i] = dist < before ? place : places[i];
        least[i] = dist < before ? dist : before;
      }
    }
    for (std::int64_t i = 0; i < size; ++i) {
      if (!doubtful[i]) continue;
      T point[D];
      for (int j = 0; j < D; ++j) point[j] = x[j][i];
      places[i] = nearest<D>(point, std::span(all.ids).subspan(range.first, range.size()));
    }
  }

  /// The place of the first of the nearest: candidates ascend.
  template <int D>
  int nearest(const T* x, std::span<const int> ids) const {
    const auto at = [&](int place) { return &out_.assigned_centroids[std::size_t(ids[place]) * D]; };
    int best = 0;
    for (int place = 1; place < std::ssize(ids); ++place)
      if (compare_distances(x, at(place), at(best), D) < 0) best = place;
    return best;
  }

  void update() {
    for (int c = 0; c < p_.k; ++c) {
      std::int64_t count = 0;
      for (const Worker& one : workers_) count += one.counts[c];
      if (count == 0) continue;
      for (std::size_t cell = std::size_t(c) * p_.d; cell < std::size_t(c + 1) * p_.d; ++cell) {
        ExactSum sum;
        for (const Worker& one : workers_) sum.add(one.sums[cell]);
        out_.centroids[cell] = T(sum.mean(count));
      }
    }
  }

  void write_labels() {
    const std::size_t leaves = std::size_t(1) << tree_.depth();
#pragma omp parallel for num_threads(threads_) schedule(static)
    for (std::size_t leaf = leaves - 1; leaf < 2 * leaves - 1; ++leaf) {
      std::int32_t owner = owners_[leaf];  // unless one above owns all
      for (std::size_t above = leaf; above > 0;)
        if (above = (above - 1) / 2; owners_[above] != several) owner = owners_[above];
      for (std::int64_t i = tree_[leaf].first; i < tree_[leaf].last; ++i) out_.labels[tree_.place(i)] = owner == several ? labels_[i] : owner;
    }
  }

  std::int64_t all_points_;  // with their copies
  int threads_;
  BoxTree<T> tree_;
  std::vector<std::int32_t> owners_;  // of nodes: who has all points below, whatever is noted there
  std::vector<std::int32_t> labels_;  // in the tree's order, where several own a leaf
  std::vector<Worker> workers_;
  std::vector<Task> tasks_;
  bool repeat_ = true;  // whether some centroids may be equal
};

inline std::string too_many_dimensions(const ProblemShape& p, const Config&, int) {
  return p.d <= most_dimensions ? "" : std::to_string(p.d) + " dimensions; above " + std::to_string(most_dimensions) + " boxes exclude too little";
}

inline std::vector<Parameter> tree_parameters() {
  return {{.name = "bucket", .fallback = 64, .range = {16, 32, 64, 128}, .tunable = true, .help = "points of a leaf, at most"}, threads_parameter()};
}

inline Work tree_work(const ProblemShape& p, const Config&, int value_bytes) { return {2.0 * p.k * p.d * value_bytes, 3.0 * p.k * p.d}; }

}  // namespace
}  // namespace km
