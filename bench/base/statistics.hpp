#pragma once

#include <algorithm>
#include <vector>

namespace km {

inline double median(std::vector<double> values) {
  std::ranges::sort(values);
  const auto half = values.size() / 2;
  return values.size() % 2 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The lower of the two middle values of a non-empty list.
inline double lower_median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[(values.size() - 1) / 2];
}

}  // namespace km
