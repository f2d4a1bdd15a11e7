// Clocks of several ranks: all take the same readings, so that they decide alike. Without a group each function returns what it gets.
#pragma once

#include "bench/contract/group.hpp"
#include "bench/contract/trace.hpp"
#include "bench/run/timing.hpp"

namespace km {

/// The seconds of the slowest rank.
double slowest(Group* group, double s);

/// Rank 0's wall clock, the delay of the most disturbed rank, the slowest rank's reset, and own_s of each.
Timing shared(Group* group, Timing timing, double own_s);

/// The sums of all ranks' counters.
Trace::Series of_all_ranks(Group* group, const Trace::Series& mine);

/// A hash of each rank's GPU, its first if it has several. All ranks make the first call together.
const std::vector<std::size_t>& gpus_of(Group& group);

/// Why not every rank has a GPU of its own, or "". The launcher may show each its own alone. gpus: gpus_of() the ranks.
std::string explain_shared_gpu(const Group& group, std::vector<std::size_t> gpus);

}  // namespace km
