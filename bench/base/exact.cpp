// Uses rounding errors: compile without contraction and fast-math.
#include "bench/base/exact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace km {
namespace {

/// An exact sum of doubles as non-overlapping terms, smallest first.
class Expansion {
 public:
  void add(double value) {
    std::size_t kept = 0;
    for (const double part : parts_) {
      const double sum = value + part, of_part = sum - value, error = (value - (sum - of_part)) + (part - of_part);
      if (error != 0) parts_[kept++] = error;
      value = sum;
    }
    parts_.resize(kept);
    if (value != 0) parts_.push_back(value);
  }
  void add_product(double p, double q) {
    const double product = p * q;
    add(std::fma(p, q, -product));
    add(product);
  }
  int sign() const { return parts_.empty() ? 0 : parts_.back() > 0 ? 1 : -1; }

 private:
  std::vector<double> parts_;
};

int lowest_bit(double value) {
  int exponent;
  const auto mantissa = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), 53));
  return exponent - 53 + __builtin_ctzll(static_cast<unsigned long long>(std::abs(mantissa)));
}

}  // namespace

template <class T>
int compare_distances(const T* x, const T* a, const T* b, int d) {
  if (std::equal(a, a + d, b)) return 0;
  double to_a = 0, to_b = 0, largest = 0;
  for (int j = 0; j < d; ++j) {
    const double da = double(x[j]) - double(a[j]), db = double(x[j]) - double(b[j]);
    to_a += da * da;
    to_b += db * db;
    largest = std::max({largest, std::abs(double(x[j])), std::abs(double(a[j])), std::abs(double(b[j]))});
  }
  if (std::isfinite(to_a + to_b) && std::abs(to_a - to_b) > fp64_doubt(d) * (to_a + to_b) + std::numeric_limits<double>::min())
    return to_a < to_b ? -1 : 1;
  const int scale = -std::ilogb(largest);
  const auto scaled = [&](T value) { return std::ldexp(double(value), scale); };
  Expansion difference;  // a² - b² - 2 x a + 2 x b
  for (int j = 0; j < d; ++j) {
    if (a[j] == b[j]) continue;
    const double xj = scaled(x[j]), aj = scaled(a[j]), bj = scaled(b[j]);
    difference.add_product(aj, aj);
    difference.add_product(-bj, bj);
    difference.add_product(-2 * xj, aj);
    difference.add_product(2 * xj, bj);
  }
  return difference.sign();
}

template <class T>
bool distances_are_exact(const T* x, const T* a, const T* b, int d) {
  int unit = std::numeric_limits<int>::max();
  double sum = 0;
  for (int j = 0; j < d; ++j) {
    for (const double value : {double(x[j]), double(a[j]), double(b[j])})
      if (value != 0) unit = std::min(unit, lowest_bit(value));
    const double reach = std::abs(double(x[j])) + std::max(std::abs(double(a[j])), std::abs(double(b[j])));
    sum += reach * reach;
  }
  return sum == 0 || sum < std::ldexp(1.0, std::numeric_limits<T>::digits + 2 * unit);
}

template int compare_distances(const float*, const float*, const float*, int);
template int compare_distances(const double*, const double*, const double*, int);
template bool distances_are_exact(const float*, const float*, const float*, int);
template bool distances_are_exact(const double*, const double*, const double*, int);

}  // namespace km
