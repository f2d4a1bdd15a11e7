// Clocks of several ranks: all take the same readings, so that they decide alike. Without a group each function returns what it gets.
#pragma once

#include <cstdint>
#include <string>

#include "bench/contract/group.hpp"
#include "bench/contract/trace.hpp"
#include "bench/run/timing.hpp"

namespace km {

/// The seconds of the slowest rank.
double slowest(Group* group, double s);

/// Rank 0's wall clock, the delay of the most disturbed rank, and the slowest rank's reset.
Timing shared(Group* group, Timing timing);

/// The sums of all ranks' counters.
Trace::Series of_all_ranks(Group* group, const Trace::Series& mine);

/// Waits for all ranks: the slowest one's end is the run's. True if all made as many iterations.
bool ended_together(Group& group, int iters);

/// Why not every rank has a GPU of its own, or "". The launcher may show each its own alone.
std::string explain_shared_gpu(Group& group);

}  // namespace km
