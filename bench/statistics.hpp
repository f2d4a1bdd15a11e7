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

}  // namespace km
