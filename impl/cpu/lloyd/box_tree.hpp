// A balanced kd-tree of points, whose nodes know their box and their sums. Built in n log n; leaves have at most `bucket` points.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bench/base/exact.hpp"
#include "bench/contract/problem.hpp"

namespace km {
namespace {

/// Adds a value `copies` times. Exact if the sum is; of floats up to 2^29 times.
template <class Sum, class T>
void add_copies(Sum& sum, T value, std::int32_t copies) {
  const double all = double(value) * copies;
  sum.add(all);
  if constexpr (sizeof(T) == 8)
    if (copies > 1) sum.add(std::fma(double(value), copies, -all));
}

/// Node 0 is the root, 2 i + 1 and 2 i + 2 are the halves of node i; all leaves are at one depth.
template <class T>
class BoxTree {
 public:
  struct Node {
    std::int64_t first = 0, last = 0;  // of its points, in the tree's order
    std::int64_t points = 0;           // with their copies
  };

  /// copies: for how many points each stands; empty: one each.
  BoxTree(const Problem<T>& p, std::span<const std::int32_t> copies, std::int64_t bucket, int threads)
      : d_(p.d), given_(copies), copies_(copies.size()), order_(p.n), keys_(p.n), points_(std::size_t(p.n) * p.d) {
    while ((std::int64_t(1) << depth_) * bucket < p.n) ++depth_;
    const std::size_t nodes = (std::size_t(2) << depth_) - 1;
    nodes_.resize(nodes), low_.resize(nodes * d_), high_.resize(nodes * d_), sums_.resize(nodes * d_);
    std::iota(order_.begin(), order_.end(), 0);
#pragma omp parallel num_threads(threads)
#pragma omp single
    split(p, 0, 0, p.n);
    std::vector<std::pair<T, std::int64_t>>().swap(keys_);
  }

  int depth() const { return depth_; }
  std::size_t size() const { return nodes_.size(); }
  bool is_leaf(std::size_t node) const { return 2 * node + 1 >= nodes_.size(); }
  const Node& operator[](std::size_t node) const { return nodes_[node]; }
  /// The least and greatest coordinates of a node's points, and their sums.
  const T* low(std::size_t node) const { return &low_[node * d_]; }
  const T* high(std::size_t node) const { return &high_[node * d_]; }
  const ExactSum* sums(std::size_t node) const { return &sums_[node * d_]; }
  /// Coordinate j of a leaf's points, in the tree's order, and where point i of this order stands in the problem.
  const T* values(std::size_t leaf, int j) const { return &points_[nodes_[leaf].first * d_ + j * (nodes_[leaf].last - nodes_[leaf].first)]; }
  std::int64_t place(std::int64_t i) const { return order_[i]; }
  std::int32_t copies(std::int64_t i) const { return copies_.empty() ? 1 : copies_[i]; }

 private:
  static constexpr std::int64_t large = 10'000;  // points worth a task

  void split(const Problem<T>& p, std::size_t node, std::int64_t first, std::int64_t last) {
    nodes_[node] = {first, last, 0};
    if (is_leaf(node)) return fill(p, node);
    const int widest = widest_of(p, first, last);
    for (std::int64_t i = first; i < last; ++i) keys_[i] = {p.points[order_[i] * d_ + widest], order_[i]};
    const std::int64_t middle = first + (last - first) / 2;
    std::nth_element(keys_.begin() + first, keys_.begin() + middle, keys_.begin() + last);
    for (std::int64_t i = first; i < last; ++i) order_[i] = keys_[i].second;
#pragma omp task if (middle - first > large)
    split(p, 2 * node + 1, first, middle);
    split(p, 2 * node + 2, middle, last);
#pragma omp taskwait
    nodes_[node].points = nodes_[2 * node + 1].points + nodes_[2 * node + 2].points;
    for (int j = 0; j < d_; ++j) {
      const std::size_t at = node * d_ + j, left = (2 * node + 1) * d_ + j, right = left + d_;
      low_[at] = std::min(low_[left], low_[right]), high_[at] = std::max(high_[left], high_[right]);
      sums_[at].add(sums_[left]), sums_[at].add(sums_[right]);
    }
  }

  /// The dimension in which a few hundred of the points reach farthest.
  int widest_of(const Problem<T>& p, std::int64_t first, std::int64_t last) const {
    int widest = 0;
    double most = -1;
    for (int j = 0; j < d_; ++j) {
      T low = std::numeric_limits<T>::max(), high = std::numeric_limits<T>::lowest();
      for (std::int64_t i = first; i < last; i += std::max<std::int64_t>(1, (last - first) / 256)) {
        const T value = p.points[order_[i] * d_ + j];
        low = std::min(low, value), high = std::max(high, value);
      }
      if (double(high) - double(low) > most) most = double(high) - double(low), widest = j;
    }
    return widest;
  }

  void fill(const Problem<T>& p, std::size_t leaf) {
    const std::int64_t first = nodes_[leaf].first, last = nodes_[leaf].last;
    for (std::int64_t i = first; i < last; ++i) {
      if (!copies_.empty()) copies_[i] = given_[order_[i]];
      nodes_[leaf].points += copies(i);
    }
    for (int j = 0; j < d_; ++j) {
      T &low = low_[leaf * d_ + j] = std::numeric_limits<T>::max(), &high = high_[leaf * d_ + j] = std::numeric_limits<T>::lowest();
      for (std::int64_t i = first; i < last; ++i) {
        const T value = points_[first * d_ + j * (last - first) + i - first] = p.points[order_[i] * d_ + j];
        low = std::min(low, value), high = std::max(high, value);
        add_copies(sums_[leaf * d_ + j], value, copies(i));
      }
    }
  }

  int d_, depth_ = 0;
  std::span<const std::int32_t> given_;
  std::vector<std::int32_t> copies_;  // the same in the tree's order
  std::vector<Node> nodes_;
  std::vector<T> low_, high_;
  std::vector<ExactSum> sums_;
  std::vector<std::int64_t> order_;
  std::vector<std::pair<T, std::int64_t>> keys_;  // a coordinate and its point, while the tree is built
  std::vector<T> points_;
};

}  // namespace
}  // namespace km
