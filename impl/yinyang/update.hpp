// The parameter `update` of the Yinyang implementations. The published one is "incremental" (taylor2021, Section III.C): (c old_count - left +
// joined) / new_count in T, from the previous mean c and what left and joined.
#pragma once

#include "bench/contract/implementation.hpp"

namespace km::yinyang {

inline Parameter update_parameter() {
  return {.name = "update", .fallback = "exact", .range = {"exact", "incremental"}, .help = "incremental: as published, means from means"};
}

inline bool is_incremental(const Config& config) { return config.word("update") == "incremental"; }

/// Longest chain of additions behind a mean whose exact sum is rounded once.
inline std::int64_t chain_of_update(const ProblemShape& p, const Config& config) { return is_incremental(config) ? p.n : 1; }

}  // namespace km::yinyang
