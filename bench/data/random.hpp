// Random numbers by address: number i of a stream is a function of (seed, stream, i) alone, so threads share nothing, every
// number of threads gives the same data, and so does every machine: log, sine and cosine are ours, and each multiply-add is
// written as std::fma, which leaves a compiler nothing to contract.
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Normals: Box and Muller, "A note on the generation of random normal deviates", 1958.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace km {

/// One Philox4x32-10 block: 128 random bits of a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

class Random {
 public:
  /// Streams of one seed are independent of each other.
  Random(std::uint64_t seed, std::uint32_t stream) : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, stream_(stream) {}

  double uniform(std::int64_t i) const;                          // number i, in (0, 1), 52 bits
  std::int64_t below(std::int64_t bound, std::int64_t i) const;  // a whole number in [0, bound), made of number i

  // Fill with numbers first, first + 1, …
  void words(std::int64_t first, std::span<std::uint32_t> out) const;
  void uniforms(std::int64_t first, std::span<double> out) const;
  void exponentials(std::int64_t first, std::span<double> out) const;  // mean 1
  void normals(std::int64_t first, std::span<double> out) const;       // mean 0, variance 1, |x| < 6.8

 private:
  std::array<std::uint32_t, 2> key_;
  std::uint32_t stream_;
};

}  // namespace km
