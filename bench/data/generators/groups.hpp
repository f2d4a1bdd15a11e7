// Shared by generators: parallel tiles of points, and the group of each point.
#pragma once

#include <algorithm>

#include "bench/data/generators/generators.hpp"
#include "bench/data/random.hpp"

namespace km {

/// Random streams of one seed.
enum Stream : std::uint32_t { of_centroids, of_values, of_radii, of_groups, of_choices };

/// Points per tile of one thread: fits the second-level cache.
inline std::int64_t tile_size(int d) { return std::max<std::int64_t>(1, 16384 / d); }

/// Calls make(first, count) for every tile of [0, n) in parallel. Each thread has its own `make`, which may hold buffers.
template <class Maker>
void for_tiles(std::int64_t n, std::int64_t tile, const Maker& prototype) {
#pragma omp parallel
  {
    Maker make = prototype;
#pragma omp for schedule(dynamic, 4)
    for (std::int64_t first = 0; first < n; first += tile) make(first, std::min(tile, n - first));
  }
}

/// Groups of equal size. Ordered: group after group. Otherwise every run of `run` points (a multiple of k, about a thousand) holds each group
/// equally often in random order (Fisher and Yates), so any prefix is a fair sample. All runs but the last are independent of n.
class Groups {
 public:
  Groups(std::int64_t n, int k, std::uint64_t seed, bool ordered)
      : n_(n), k_(k), ordered_(ordered), run_(k * ((1023 + k) / k)), random_(seed, of_groups) {}

  std::int64_t run() const { return run_; }

  /// Returns the groups of the run that starts at `first`, a multiple of run(). Valid until the next call.
  std::span<const int> of_run(std::int64_t first) {
    const auto count = std::size_t(std::min(run_, n_ - first));
    groups_.resize(count);
    if (ordered_) {
      for (std::size_t i = 0; i < count; ++i) groups_[i] = int(__int128(first + std::int64_t(i)) * k_ / n_);
      return groups_;
    }
    words_.resize(count);
    for (std::size_t i = 0; i < count; ++i) groups_[i] = int(std::int64_t(i) % k_);
    random_.words(first, words_);
    for (std::size_t i = count - 1; i > 0; --i) std::swap(groups_[i], groups_[std::size_t((words_[i] * (i + 1)) >> 32)]);
    return groups_;
  }

 private:
  std::int64_t n_;
  int k_;
  bool ordered_;
  std::int64_t run_;
  Random random_;
  std::vector<int> groups_;
  std::vector<std::uint32_t> words_;
};

/// Calls make(i0, groups, out) for every tile; groups[i] is the group of point i0 + i.
template <class T, class Maker>
void for_grouped_tiles(const Recipe& r, std::span<T> points, const Maker& make) {
  const auto ordered = r.settings.find("ordered");
  const Groups groups(r.n, r.k, r.seed, ordered != r.settings.end() && ordered->second != 0);
  for_tiles(r.n, groups.run(), [&, mine = groups, buffer = std::vector<double>()](std::int64_t first, std::int64_t count) mutable {
    const std::span<const int> of_run = mine.of_run(first);
    const std::int64_t tile = tile_size(r.d);
    for (std::int64_t at = 0; at < count; at += tile)
      make(first + at, of_run.subspan(std::size_t(at), std::size_t(std::min(tile, count - at))), buffer, points.data() + (first + at) * r.d);
  });
}

}  // namespace km
