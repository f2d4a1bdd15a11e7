// The arithmetic of random numbers and of the generators, for host and GPU (constexpr: --expt-relaxed-constexpr). Both give the same bits: every
// multiply-add is an explicit std::fma, log, sine and cosine are our own, and fp64 division and square root are rounded correctly.
// Philox4x32-10: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
// Normals: Box and Muller, "A note on the generation of random normal deviates", 1958.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace km {

/// One Philox4x32-10 block: 128 random bits from a counter and a key.
constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ key[0], std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ key[1], std::uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

/// Number in (0, 1) from 52 random bits, or from 32.
constexpr double unit(std::uint32_t high, std::uint32_t low) {
  const std::int64_t bits = std::int64_t((std::uint64_t{high} << 32 | low) >> 12);
  return (double(bits) + 0.5) * 0x1p-52;
}
constexpr double unit(std::uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }

/// log x = e log 2 + 2 atanh((m - 1) / (m + 1)) for x = m 2^e, with m within a factor of sqrt 2 of 1. x must be normal and positive.
constexpr double log_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x) - std::bit_cast<std::int64_t>(std::numbers::sqrt2 / 2);
  const std::int64_t e = bits >> 52;
  const double m = std::bit_cast<double>(std::bit_cast<std::int64_t>(x) - (e << 52));
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 1.0 / 23;
  for (int i = 21; i > 0; i -= 2) sum = std::fma(sum, z, 1.0 / i);
  return std::fma(double(e), std::numbers::ln2, 2 * s * sum);
}

/// cos and sin of 2 pi u, for u from 0 to 1: Taylor series around the nearest quarter turn, within an eighth, then rotation by quarters.
constexpr void turn(double u, double& cosine, double& sine) {
  const int quarter = int(4 * u + 0.5);
  const double x = (u - 0.25 * quarter) * (2 * std::numbers::pi), z = x * x;
  double c = 1, s = 1;
  for (int i = 16; i > 0; i -= 2) c = std::fma(c * z, -1.0 / (i * (i - 1)), 1.0);
  for (int i = 15; i > 1; i -= 2) s = std::fma(s * z, -1.0 / (i * (i - 1)), 1.0);
  s *= x;
  const double a = quarter & 1 ? s : c, b = quarter & 1 ? c : s;
  cosine = (quarter + 1) & 2 ? -a : a;
  sine = quarter & 2 ? -b : b;
}

/// Squared length of a pair of normals, from a word; the pair of a length, its direction from another word.
constexpr double length2_of_pair(std::uint32_t word) { return -2 * log_of(unit(word)); }
constexpr void pair_of_normals(double length, std::uint32_t word, double* pair) {
  double cosine = 0, sine = 0;
  turn(unit(word), cosine, sine);
  pair[0] = length * cosine;
  pair[1] = length * sine;
}

/// Factor that takes d normals to a point uniform in a ball: the first d of d + 2 normals over the length of all (Harman and Lacko, "On
/// decompositional algorithms for uniform sampling from n-spheres and n-balls", 2010). The squares of the last two sum to twice an exponential
/// variable.
constexpr double scale_to_ball(const double* x, int d, double exponential, double radius) {
  double length2 = 2 * exponential;
  for (int j = 0; j < d; ++j) length2 = std::fma(x[j], x[j], length2);
  return radius / std::sqrt(length2);
}

/// Whole number from `low` on, one of `codes`: the group's own with probability `purity`, else any. All but these are uniform in (0, 1).
constexpr double code_of(double choice, double purity, double own, double any, double low, double codes) {
  return low + std::floor((choice < purity ? own : any) * codes);
}

}  // namespace km
