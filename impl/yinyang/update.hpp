// The parameter `update` of the Yinyang implementations. "incremental" is the published one (taylor2021, Section III.C): a mean from the previous
// mean and the points that left and joined, (c old_count - left + joined) / new_count, in T.
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
