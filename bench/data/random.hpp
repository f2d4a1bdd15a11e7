// Counter-based random numbers: number i of a stream depends on (seed, stream, i) alone. Data are therefore identical for every number of threads
// and on every machine. log, sine and cosine are our own, and every multiply-add is an explicit std::fma.
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Normals: Box and Muller, "A note on the generation of random normal deviates", 1958.
#pragma once

#include <array>
#include <cstdint>
#include <span>

namespace km {

/// One Philox4x32-10 block: 128 random bits from a counter and a key.
std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key);

/// cos and sin of 2 pi u, for u from 0 to 1.
void turn(double u, double& cosine, double& sine);

class Random {
 public:
  /// Streams of one seed are independent.
  Random(std::uint64_t seed, std::uint32_t stream) : key_{std::uint32_t(seed), std::uint32_t(seed >> 32)}, stream_(stream) {}

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

}  // namespace km
