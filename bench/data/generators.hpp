// Point generators. Point i depends on the seed and i alone (bench/data/random.hpp). Values are computed in fp64 and rounded to T: identical for
// every number of threads, and the fp32 set is the rounded fp64 set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/data/dataset.hpp"
#include "bench/data/random.hpp"

namespace km {

/// Parameters of a generator. Generators without groups ignore k.
struct Recipe {
  std::int64_t n = 0;
  int d = 0, k = 0;  // k: number of groups
  std::uint64_t seed = 0;
  Settings settings;              // every setting of the generator
  std::vector<double> centroids;  // k x d from the table; empty: the generator draws them

  double operator[](const std::string& name) const { return settings.at(name); }
};

struct Generator {
  std::string name;
  void (*make_f)(const Recipe&, std::int64_t begin, std::span<float> points);
  void (*make_d)(const Recipe&, std::int64_t begin, std::span<double> points);
  Settings settings;       // names and defaults
  int fixed_d = 0;         // 0: any d
  bool has_ideal = false;  // group_centroids are the ideal result

  /// True if the setting `groups` is their number; 0: k.
  bool has_groups() const { return settings.contains("groups"); }
  /// Makes the points from row `begin` on, as many as there is room for: on the GPU where a forecast finds that faster, else by all threads.
  template <class T>
  void make(const Recipe& recipe, std::int64_t begin, std::span<T> points) const;
};

/// balls | gaussians | uniform | integers | household | moons | rings | spirals | ellipses
const std::vector<Generator>& generators();

/// Whether this process may use its GPU. False in the parent of workers, which holds no context.
inline bool& generates_on_device() {
  static bool allowed = false;
  return allowed;
}

/// Centres of balls and gaussians, k x d: the table's, else uniform in [low, high]^d.
std::vector<double> group_centroids(const Recipe& recipe);
/// Standard deviation of gaussians.
double deviation(const Recipe& recipe);
/// The code of each group in each column of `integers`, k x d, uniform in (0, 1).
std::vector<double> own_codes(const Recipe& recipe);
/// The groups of the points from row `begin` on, as many as there is room for.
void groups_from(const Recipe& recipe, std::int64_t begin, std::span<std::int32_t> groups);

/// Random streams of one seed.
enum Stream : std::uint32_t { of_centroids, of_values, of_radii, of_groups, of_choices };

/// Groups of equal size. Ordered: group after group. Otherwise every run of `run` points (a multiple of k, about a thousand) holds each group equally
/// often in random order (Fisher and Yates). Any prefix is thus a fair sample. All runs but the last are independent of n.
class Groups {
 public:
  explicit Groups(const Recipe& r)
      : n_(r.n), k_(r.k), ordered_(r.settings.contains("ordered") && r["ordered"] != 0), run_(k_ * ((1023 + k_) / k_)), random_(r.seed, of_groups) {}

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

}  // namespace km
