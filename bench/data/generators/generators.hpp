// Point generators. Point i depends on the seed and i alone (bench/data/random.hpp). Values are computed in fp64 and rounded to T: identical for
// every number of threads, and the fp32 set is the rounded fp64 set.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bench/data/dataset.hpp"

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
  void (*make_f)(const Recipe&, std::span<float> points);
  void (*make_d)(const Recipe&, std::span<double> points);
  Settings settings;       // names and defaults
  int fixed_d = 0;         // 0: any d
  bool has_ideal = false;  // group_centroids are the ideal result

  /// True if the setting `groups` is their number; 0: k.
  bool has_groups() const { return settings.contains("groups"); }
  template <class T>
  void make(const Recipe& recipe, std::span<T> points) const {
    if constexpr (sizeof(T) == 4) make_f(recipe, points);
    else make_d(recipe, points);
  }
};

/// balls | gaussians | uniform | integers | household | moons | rings | spirals | ellipses
const std::vector<Generator>& generators();

/// Centres of balls and gaussians, k x d: the table's, else uniform in [low, high]^d.
std::vector<double> group_centroids(const Recipe& recipe);

}  // namespace km
