// The processes that share one problem, each with its own rows (its shard). Every member calls the same functions in the same order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

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
  /// All ranks' bytes, in the order of ranks, on every rank.
  virtual std::vector<std::byte> gather(std::span<const std::byte> mine) = 0;
};

/// A rank's rows are `first` and those after it, of `total`.
struct Shard {
  std::int64_t first = 0, total = 0;
};

/// The first row of a rank's share of `total`; that of rank `size` is `total`.
constexpr std::int64_t first_row(std::int64_t total, int rank, int size) { return std::int64_t(__int128(total) * rank / size); }

// ---- without a group, one process has all: these return what it has ------------------------------------------------------------------

/// All ranks' values, in the order of ranks.
template <class V, class Allocator = std::allocator<V>>
std::vector<V, Allocator> gathered(Group* group, std::vector<V, Allocator> mine) {
  static_assert(std::is_trivially_copyable_v<V>);
  if (!group) return mine;
  const auto bytes = group->gather(std::as_bytes(std::span(mine)));
  std::vector<V, Allocator> all(bytes.size() / sizeof(V));
  if (!all.empty()) std::memcpy(all.data(), bytes.data(), bytes.size());
  return all;
}

inline std::int64_t summed(Group* group, std::int64_t mine) {
  if (group) group->sum({&mine, 1});
  return mine;
}

/// Rank 0's value.
template <class V>
V of_first(Group* group, V mine) {
  return gathered<std::array<V, 1>>(group, {{mine}}).front()[0];
}

/// The sentence of the lowest rank that has one, or "".
inline std::string agreed(Group* group, std::string mine) {
  if (!group) return mine;
  mine.resize(std::strlen(mine.c_str()) + 1);  // each ends in 0
  const std::vector<char> all = gathered<char>(group, {mine.begin(), mine.end()});
  std::size_t at = 0;
  while (at + 1 < all.size() && all[at] == 0) ++at;
  return all.data() + at;
}

}  // namespace km
