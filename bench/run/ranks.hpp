// The ranks of a worker that a launcher started (kmbench run --launch): one process each, met through MPI, or none in a build without it.
#pragma once

#include "bench/contract/group.hpp"

namespace km {

class Ranks : public Group {
 public:
  /// From rank 0 to all. A rank that waits leaves its processor to others.
  virtual void broadcast(void* bytes, std::size_t count) = 0;
  /// The last call: the other ranks are at it too, or, if `at_once`, end wherever they are.
  virtual void leave(bool at_once) = 0;

  struct Place {
    int node;          // counted from 0 in the order of ranks
    int processors;    // Group::processors()
    int idle;          // of the node's processors, those that no rank may use
    std::string mask;  // processors that the rank may use, such as 0-3,8
  };
  /// Where each rank is.
  virtual const std::vector<Place>& places() const = 0;
  /// The library by which they meet, with its version.
  virtual std::string library() const = 0;
};

/// Why this build has no ranks, or "".
std::string no_ranks();
/// Joins the ranks of the launcher that started this process. Call it once, before other threads exist.
void join_ranks();
/// Null before join_ranks().
Ranks* ranks();

/// All ranks as an implementation and the judge see them: null for one process.
inline Group* all_ranks() { return ranks() && ranks()->size() > 1 ? ranks() : nullptr; }
/// True in the process that reports: all ranks measure and judge alike.
inline bool is_first_rank() { return !ranks() || ranks()->rank() == 0; }

}  // namespace km
