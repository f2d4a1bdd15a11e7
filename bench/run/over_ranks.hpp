// An implementation on several ranks. Rank 0 measures and judges as ever; what it calls makes every rank do the same with its own rows.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "bench/plan/case.hpp"

namespace km {

class Inbox;

/// Rank 0: the implementation whose verbs run on all ranks; itself where there is one. It sends each rank its rows in prepare. In download it gathers the
/// labels and throws if a rank ended with other centroids. Its clock stops when the slowest rank has ended.
const Implementation* over_ranks(const Implementation* implementation);

/// Other ranks: follows the verbs of rank 0 until it leaves. A rank that throws says so in the inbox.
[[noreturn]] void follow(const Inbox& inbox);

/// Rank 0: ends all ranks.
[[noreturn]] void leave_ranks();

/// The line's field `ranks`: the launcher's words, and where this process is a rank, where all are. Null for a case without a launcher.
Json ranks_of(const Case& c);

}  // namespace km
