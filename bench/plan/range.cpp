// Parses numbers, words and ranges.
#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "bench/base/error.hpp"
#include "bench/plan/sweep.hpp"

namespace km {
namespace {

/// Returns an integer if the value is one and a double holds it exactly.
Scalar scalar_of(double number) {
  if (number == std::floor(number) && std::abs(number) < 9e15) return std::int64_t(number);
  return number;
}

}  // namespace

Scalar parse_scalar(const std::string& text) {
  std::int64_t whole = 0;
  const char* end = text.data() + text.size();
  if (const auto [at, error] = std::from_chars(text.data(), end, whole); error == std::errc() && at == end) return whole;
  double number = 0;
  if (const auto [at, error] = std::from_chars(text.data(), end, number); error == std::errc() && at == end && std::isfinite(number))
    return scalar_of(number);
  return text;
}

std::optional<double> number_of(const Scalar& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return double(*whole);
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return std::nullopt;
}

std::vector<Scalar> parse_range(const std::string& range) {
  const auto refuse = [&] { return UserError(fmt::format("'{}' is not a range; write 1e4:1e6:x10 or 64:1024:+64", range)); };
  const auto one = range.find(':'), two = one == range.npos ? range.npos : range.find(':', one + 1);
  if (one == range.npos) return {parse_scalar(range)};
  if (two == range.npos || two + 2 >= range.size() || range.find(':', two + 1) != range.npos) throw refuse();
  const bool factor = range[two + 1] == 'x';
  if (!factor && range[two + 1] != '+') throw refuse();
  const auto number = [&](std::size_t from, std::size_t to) {
    const auto value = number_of(parse_scalar(range.substr(from, to - from)));
    if (!value) throw refuse();
    return *value;
  };
  const double low = number(0, one), high = number(one + 1, two), by = number(two + 2, range.size());
  if (!(low <= high) || !(factor ? by > 1 && low > 0 : by > 0)) throw refuse();
  std::vector<Scalar> values;
  const double end = high + 1e-12 * std::max(std::abs(low), std::abs(high));
  for (std::size_t at = 0;; ++at) {
    const double value = factor ? low * std::pow(by, double(at)) : low + double(at) * by;
    if (!(value <= end)) break;
    if (at == 10'000) throw UserError(fmt::format("'{}' holds more than 10000 values", range));
    values.push_back(scalar_of(value));
  }
  return values;
}

}  // namespace km
