// The rows of each card: a contiguous share.
#pragma once

#include <algorithm>
#include <cstdint>

namespace km::many {

struct Share {
  std::int64_t first, size;
};

/// The share of a rank: n / cards points, one more for the first n mod cards. It may be empty.
inline Share share_of(std::int64_t n, int cards, int rank) {
  const std::int64_t each = n / cards, more = n % cards;
  return {rank * each + std::min<std::int64_t>(rank, more), each + (rank < more)};
}

}  // namespace km::many
