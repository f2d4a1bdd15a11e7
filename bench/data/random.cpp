#include "bench/data/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace km {
namespace {

using Block = std::array<std::uint32_t, 4>;
constexpr std::int64_t batch = 1024;  // numbers per batch: buffers fit the first-level cache

inline Block rounds(Block c, std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * c[0], b = std::uint64_t{0xCD9E8D57} * c[2];
    c = {std::uint32_t(b >> 32) ^ c[1] ^ key[0], std::uint32_t(b), std::uint32_t(a >> 32) ^ c[3] ^ key[1], std::uint32_t(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return c;
}

inline double unit(std::uint32_t high, std::uint32_t low) {
  const std::int64_t bits = std::int64_t((std::uint64_t{high} << 32 | low) >> 12);
  return (double(bits) + 0.5) * 0x1p-52;
}

inline double unit(std::uint32_t word) { return (double(word) + 0.5) * 0x1p-32; }

/// log x = e log 2 + 2 atanh((m - 1) / (m + 1)) for x = m 2^e, with m within a factor of sqrt 2 of 1. x must be normal and positive.
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::int64_t>(x) - std::bit_cast<std::int64_t>(std::numbers::sqrt2 / 2);
  const std::int64_t e = bits >> 52;
  const double m = std::bit_cast<double>(std::bit_cast<std::int64_t>(x) - (e << 52));
  const double s = (m - 1) / (m + 1), z = s * s;
  double sum = 1.0 / 23;
  for (int i = 21; i > 0; i -= 2) sum = std::fma(sum, z, 1.0 / i);
  return std::fma(double(e), std::numbers::ln2, 2 * s * sum);
}

/// Calls `fill` for whole blocks of `width` numbers that cover [first, first + size), and copies the requested ones.
template <class T, class Fill>
void in_blocks(std::int64_t first, std::span<T> out, int width, Fill fill) {
  std::array<T, batch> buffer;
  for (std::int64_t at = first, end = first + std::int64_t(out.size()); at < end;) {
    const std::int64_t block = at / width, skip = at % width, count = std::min(batch - skip, end - at);
    fill(block, (skip + count + width - 1) / width, buffer.data());
    std::copy_n(buffer.data() + skip, count, out.data() + (at - first));
    at += count;
  }
}

}  // namespace

/// Taylor series around the nearest quarter turn, within an eighth, then rotation by quarters.
void turn(double u, double& cosine, double& sine) {
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

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter, std::array<std::uint32_t, 2> key) { return rounds(counter, key); }

void Random::words(std::int64_t first, std::span<std::uint32_t> out) const {
  in_blocks(first, out, 4, [&](std::int64_t block, std::int64_t count, std::uint32_t* w) {
    for (std::int64_t b = 0; b < count; ++b) {
      const Block r = rounds({std::uint32_t(block + b), std::uint32_t((block + b) >> 32), stream_, 0}, key_);
      for (int l = 0; l < 4; ++l) w[4 * b + l] = r[std::size_t(l)];
    }
  });
}

void Random::uniforms(std::int64_t first, std::span<double> out) const {
  std::array<std::uint32_t, 2 * batch> w;
  in_blocks(first, out, 1, [&](std::int64_t at, std::int64_t count, double* u) {
    words(2 * at, std::span(w).first(std::size_t(2 * count)));
    for (std::int64_t i = 0; i < count; ++i) u[i] = unit(w[std::size_t(2 * i)], w[std::size_t(2 * i + 1)]);
  });
}

void Random::exponentials(std::int64_t first, std::span<double> out) const {
  uniforms(first, out);
  for (double& x : out) x = -log_of(x);
}

void Random::normals(std::int64_t first, std::span<double> out) const {
  std::array<std::uint32_t, batch> w;
  std::array<double, batch / 2> radius;
  in_blocks(first, out, 2, [&](std::int64_t pair, std::int64_t pairs, double* x) {
    words(2 * pair, std::span(w).first(std::size_t(2 * pairs)));
    for (std::int64_t p = 0; p < pairs; ++p) radius[std::size_t(p)] = -2 * log_of(unit(w[std::size_t(2 * p)]));
    for (std::int64_t p = 0; p < pairs; ++p) radius[std::size_t(p)] = std::sqrt(radius[std::size_t(p)]);
    for (std::int64_t p = 0; p < pairs; ++p) {
      double cosine, sine;
      turn(unit(w[std::size_t(2 * p + 1)]), cosine, sine);
      x[2 * p] = radius[std::size_t(p)] * cosine;
      x[2 * p + 1] = radius[std::size_t(p)] * sine;
    }
  });
}

double Random::uniform(std::int64_t i) const {
  double u;
  uniforms(i, {&u, 1});
  return u;
}

std::int64_t Random::below(std::int64_t bound, std::int64_t i) const { return std::min(std::int64_t(uniform(i) * double(bound)), bound - 1); }

}  // namespace km
