// Statistics of a few values.
#pragma once

#include <algorithm>
#include <vector>

namespace km {

/// Median of a non-empty list.
inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The middle value of a non-empty list, the lower of two: half of the values are at least as large.
inline double lower_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

}  // namespace km
