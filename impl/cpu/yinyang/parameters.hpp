#pragma once

#include <algorithm>

#include "bench/contract/implementation.hpp"
#include "impl/yinyang/update.hpp"

namespace km {
namespace {

const Parameter groups_parameter = {.name = "groups", .fallback = 0, .range = {0, 7, 1000000}, .help = "of centroids; 0: k / 10"};
const Parameter update_parameter = yinyang::update_parameter();

using yinyang::is_incremental;

/// taylor2021, Section IV.D, after Ding et al.: k / 10.
inline int groups_of(const ProblemShape& p, const Config& config) {
  const auto asked = config.number("groups");
  return int(std::clamp<std::int64_t>(asked > 0 ? asked : p.k / 10, 1, p.k));
}

}  // namespace
}  // namespace km
