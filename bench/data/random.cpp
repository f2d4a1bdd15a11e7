#include "bench/data/random.hpp"

#include <algorithm>
#include <cmath>

namespace km {
namespace {

constexpr std::int64_t batch = 1024;  // numbers per batch: buffers fit the first-level cache

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

void Random::words(std::int64_t first, std::span<std::uint32_t> out) const {
  in_blocks(first, out, 4, [&](std::int64_t begin, std::int64_t count, std::uint32_t* w) {
    for (std::int64_t b = 0; b < count; ++b) {
      const auto r = block(begin + b);
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
  std::array<double, batch / 2> length;
  in_blocks(first, out, 2, [&](std::int64_t pair, std::int64_t pairs, double* x) {
    words(2 * pair, std::span(w).first(std::size_t(2 * pairs)));
    for (std::int64_t p = 0; p < pairs; ++p) length[std::size_t(p)] = length2_of_pair(w[std::size_t(2 * p)]);
    for (std::int64_t p = 0; p < pairs; ++p) length[std::size_t(p)] = std::sqrt(length[std::size_t(p)]);
    for (std::int64_t p = 0; p < pairs; ++p) pair_of_normals(length[std::size_t(p)], w[std::size_t(2 * p + 1)], x + 2 * p);
  });
}

double Random::uniform(std::int64_t i) const {
  double u;
  uniforms(i, {&u, 1});
  return u;
}

std::int64_t Random::below(std::int64_t bound, std::int64_t i) const { return std::min(std::int64_t(uniform(i) * double(bound)), bound - 1); }

}  // namespace km
