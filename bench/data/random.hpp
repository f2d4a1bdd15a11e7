// Counter-based random numbers: number i of a stream depends on (seed, stream, i) alone. Data are therefore identical for every number of threads,
// on every machine, and on the GPU.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "bench/data/arithmetic.hpp"

namespace km {

class Random {
 public:
  /// Streams of one seed are independent.
  Random(std::uint64_t seed, std::uint32_t stream) : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, stream_(stream) {}

  /// Words 4 i to 4 i + 3 of the stream. Here and in kernels.
  constexpr std::array<std::uint32_t, 4> block(std::int64_t i) const { return philox({std::uint32_t(i), std::uint32_t(i >> 32), stream_, 0}, key_); }
  double uniform(std::int64_t i) const;                          // number i, in (0, 1), 52 bits
  std::int64_t below(std::int64_t bound, std::int64_t i) const;  // integer in [0, bound), from number i

  // Fill `out` with numbers first, first + 1, …
  void words(std::int64_t first, std::span<std::uint32_t> out) const;
  void uniforms(std::int64_t first, std::span<double> out) const;
  void exponentials(std::int64_t first, std::span<double> out) const;  // mean 1
  void normals(std::int64_t first, std::span<double> out) const;       // mean 0, variance 1, |x| < 6.8

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
};

/// Mixes two words reproducibly (SplitMix64, Steele et al. 2014). Word: one word, or a vector of them.
template <class Word>
Word mixed(Word i, std::uint64_t j) {
  Word z = (i * 0x9E3779B97F4A7C15u) ^ (j + 0x632BE59BD9B4E019u) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

/// Reproducible value in [0, 1).
inline double noise(std::uint64_t i, std::uint64_t j) { return double(mixed(i, j) >> 11) * 0x1p-53; }

}  // namespace km
