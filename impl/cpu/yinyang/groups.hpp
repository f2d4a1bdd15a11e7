// Groups of centroids, fixed for a run (Ding et al., "Yinyang k-means", ICML 2015, Section 3.1): five iterations of k-means on the initial
// centroids. Each group's layout suits distances from one point to all its centroids, a vector at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "bench/base/vectors.hpp"
#include "impl/cpu/lloyd/strips.hpp"

namespace km {
namespace {

template <class T>
using Lanes = strips::Vector<T, vector_bytes>;
template <class T>
constexpr int lanes = vector_bytes / int(sizeof(T));

/// Distance² from a point to a centroid, a vector of dimensions at a time; the last vector overlaps the previous one.
template <class T>
T distance(const T* x, const T* c, int d) {
  constexpr int width = lanes<T>;
  using V = Lanes<T>;
  T sum = 0;
  if (d < width) {
    for (int j = 0; j < d; ++j) sum += (x[j] - c[j]) * (x[j] - c[j]);
    return sum;
  }
  const auto difference = [&](int j) {
    V a, b;
    std::memcpy(&a, x + j, sizeof a);
    std::memcpy(&b, c + j, sizeof b);
    return a - b;
  };
  V sums[2] = {};
  int j = 0;
  for (; j + 2 * width <= d; j += 2 * width)
    for (int s = 0; s < 2; ++s) {
      const V diff = difference(j + s * width);
      sums[s] += diff * diff;
    }
  if (j + width <= d) {
    const V diff = difference(j);
    sums[0] += diff * diff;
    j += width;
  }
  if (j < d) {
    V diff = difference(d - width);
    for (int l = 0; l < width; ++l) diff[l] = l >= width - (d - j) ? diff[l] : T(0);
    sums[1] += diff * diff;
  }
  sums[0] += sums[1];
  for (int l = 0; l < width; ++l) sum += sums[0][l];
  return sum;
}

/// Returns each centroid's group, at most `groups` of them; none is empty.
template <class T>
std::vector<int> group_centroids(const std::vector<T>& centroids, int k, int d, int groups, int threads) {
  std::vector<int> group(k);
  if (groups <= 1) return group;
  std::vector<T> middles(std::size_t(groups) * d);
  for (int g = 0; g < groups; ++g) std::copy_n(&centroids[std::int64_t(g) * k / groups * d], d, &middles[std::size_t(g) * d]);
  for (int round = 0; round < 5; ++round) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int c = 0; c < k; ++c) {
      T least = std::numeric_limits<T>::infinity();
      for (int g = 0; g < groups; ++g)
        if (const T dist = distance(&centroids[std::size_t(c) * d], &middles[std::size_t(g) * d], d); dist < least) least = dist, group[c] = g;
    }
    std::vector<T> sums(middles.size());
    std::vector<int> counts(groups);
    for (int c = 0; c < k; ++c) {
      ++counts[group[c]];
      for (int j = 0; j < d; ++j) sums[std::size_t(group[c]) * d + j] += centroids[std::size_t(c) * d + j];
    }
    std::size_t cell = 0;
    for (T& middle : middles) {
      if (const int count = counts[cell / d]; count > 0) middle = sums[cell] / T(count);
      ++cell;
    }
  }
  std::vector<int> used(groups);
  for (const int g : group) used[g] = 1;
  std::exclusive_scan(used.begin(), used.end(), used.begin(), 0);
  for (int& g : group) g = used[g];
  return group;
}

/// Centroids of each group, adjacent by dimension, padded to whole vectors with infinity.
template <class T>
class Groups {
 public:
  Groups() = default;
  Groups(std::vector<int> group, int d) : group_(std::move(group)), d_(d), first_(1) {
    count_ = 1 + *std::ranges::max_element(group_);
    std::vector<std::vector<int>> members(count_);
    for (int c = 0; c < int(group_.size()); ++c) members[group_[c]].push_back(c);
    for (const auto& of_group : members) {
      sizes_.push_back(int(of_group.size()));
      for (const int c : of_group) members_.push_back(c), fillings_.push_back(0);
      while (members_.size() % lanes<T> != 0) members_.push_back(-1), fillings_.push_back(std::numeric_limits<T>::infinity());
      first_.push_back(int(members_.size() / lanes<T>));
    }
    values_.resize(members_.size() * d);
  }

  int count() const { return count_; }
  int of(int c) const { return group_[c]; }
  int size(int g) const { return sizes_[g]; }
  int first(int g) const { return first_[g]; }  // in vectors; the next group starts at its end
  int member(int place) const { return members_[place]; }
  bool is_twin(int c) const { return twin_[c]; }

  /// Finds twins: centroids equal to one of a lower index. No point can belong to them, so they are set to infinity. Returns true if a former twin
  /// has parted, because lower bounds do not cover it.
  bool find_twins(const std::vector<T>& centroids) {
    const int k = int(group_.size());
    std::vector<std::pair<double, int>> keys(k);
    for (int c = 0; c < k; ++c) keys[c] = {std::accumulate(&centroids[std::size_t(c) * d_], &centroids[std::size_t(c) * d_] + d_, 0.0), c};
    std::ranges::sort(keys);
    const auto before = std::exchange(twin_, std::vector<char>(k));
    for (int at = 1; at < k; ++at)
      for (int other = at - 1; other >= 0 && keys[other].first == keys[at].first && !twin_[keys[at].second]; --other) {
        const T *const row = &centroids[std::size_t(keys[at].second) * d_], *const earlier = &centroids[std::size_t(keys[other].second) * d_];
        twin_[keys[at].second] = std::equal(row, row + d_, earlier);
      }
    bool parted = false;
    for (int c = 0; c < int(before.size()); ++c) parted |= before[c] && !twin_[c];
    for (std::size_t place = 0; place < members_.size(); ++place)
      if (members_[place] >= 0) fillings_[place] = twin_[members_[place]] ? std::numeric_limits<T>::infinity() : T(0);
    return parted;
  }

  void take(const std::vector<T>& centroids, int threads) {
#pragma omp parallel for num_threads(threads) schedule(static)
    for (std::size_t place = 0; place < members_.size(); ++place) {
      if (members_[place] < 0) continue;
      const T* const c = &centroids[std::size_t(members_[place]) * d_];
      T* const to = &values_[place / lanes<T> * lanes<T> * d_ + place % lanes<T>];
      for (int j = 0; j < d_; ++j) to[std::size_t(j) * lanes<T>] = c[j];
    }
  }

  /// Calls sink(p, v, V distances²) for P points and each vector v of a group. U sums per distance² hide the latency of additions.
  template <int P, int U, class Sink>
  [[gnu::always_inline]] void scan(int g, const T* const (&x)[P], Sink sink) const {
    using V = Lanes<T>;
    for (int v = first_[g]; v < first_[g + 1]; ++v) {
      const V* const c = reinterpret_cast<const V*>(values_.data()) + std::size_t(v) * d_;
      V sums[P][U] = {};
      int j = 0;
      for (; j + U <= d_; j += U)
        for (int s = 0; s < U; ++s)
          for (int p = 0; p < P; ++p) {
            const V diff = c[j + s] - x[p][j + s];
            sums[p][s] += diff * diff;
          }
      for (; j < d_; ++j)
        for (int p = 0; p < P; ++p) {
          const V diff = c[j] - x[p][j];
          sums[p][0] += diff * diff;
        }
      const V filling = reinterpret_cast<const V*>(fillings_.data())[v];
      for (int p = 0; p < P; ++p) {
        for (int s = 1; s < U; ++s) sums[p][0] += sums[p][s];
        sink(p, v, sums[p][0] + filling);
      }
    }
  }

 private:
  std::vector<int> group_, sizes_, members_;
  std::vector<char> twin_;
  int count_ = 0, d_ = 0;
  std::vector<int> first_;
  strips::Buffer<T> values_, fillings_;
};

template <int by, class V, int... l>
[[gnu::always_inline]] inline V exchanged(V v, std::integer_sequence<int, l...>) {
  return __builtin_shufflevector(v, v, (l ^ by)...);
}
/// Minimum over a vector's `width` lanes.
template <int width, int by = width / 2, class V>
[[gnu::always_inline]] inline auto least_lane(V v) {
  const V other = exchanged<by>(v, std::make_integer_sequence<int, width>());
  const V least = other < v ? other : v;
  if constexpr (by == 1) return least[0];
  else return least_lane<width, by / 2>(least);
}

/// The two least distances² that Groups::scan finds, and the place of the least; the lowest place wins a tie.
template <class T>
class TwoLeast {
  using V = Lanes<T>;
  using I = decltype(V{} < V{});

 public:
  /// Every choice compares: GCC 13 and 14 move a comparison that is kept from masks to vectors.
  [[gnu::always_inline]] void add(int vector, Lanes<T> dist) {
    const V other = dist < first_ ? first_ : dist;
    second_ = other < second_ ? other : second_;
    at_ = dist < first_ ? I{} + vector : at_;
    first_ = dist < first_ ? dist : first_;
  }

  struct Result {
    T first, second;
    int place;  // vector * lanes + lane
  };
  [[gnu::always_inline]] Result result() const {
    const T least = least_lane<lanes<T>>(first_);
    const I place = first_ == least ? at_ * lanes<T> + lane() : I{} + std::numeric_limits<int>::max();
    const auto at = least_lane<lanes<T>>(place);
    const V others = place == at ? second_ : first_;
    return {least, least_lane<lanes<T>>(others), int(at)};
  }

 private:
  static I lane() {
    I lane;
    for (int l = 0; l < lanes<T>; ++l) lane[l] = l;
    return lane;
  }
  V first_ = V{} + std::numeric_limits<T>::infinity(), second_ = first_;
  I at_ = {};
};

}  // namespace
}  // namespace km
