// The processes that share one problem, each with its own rows (its shard). Every member calls the same functions in the same order.
#pragma once

#include <cstdint>
#include <span>

namespace km {

class Group {
 public:
  virtual ~Group() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Processors for this rank's threads: those it may use, divided among the ranks of its machine that may use the same.
  virtual int processors() const = 0;
  /// The ranks of this machine, and this one's number among them.
  virtual int local_size() const = 0;
  virtual int local_rank() const = 0;
  /// Replaces each number by its sum over all ranks: the same bits everywhere, whatever the order.
  virtual void sum(std::span<std::int64_t> numbers) = 0;
  /// Replaces each number by the greatest of all ranks.
  virtual void max(std::span<std::int64_t> numbers) = 0;
  virtual void barrier() = 0;
};

/// A rank's rows are `first` and those after it, of `total`.
struct Shard {
  std::int64_t first = 0, total = 0;
};

}  // namespace km
