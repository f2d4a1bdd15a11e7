// Values in which no rank may differ from the others.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>

#include "bench/contract/group.hpp"

namespace km {

/// Thrown on all ranks at once: none waits for another.
struct AgreedFailure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws AgreedFailure if a rank's value is not rank 0's: "rank 1 <what> than rank 0".
inline void must_agree(Group* group, std::int64_t value, const char* what) {
  const auto all = gathered<std::int64_t>(group, {value});
  const auto other = std::ranges::find_if(all, [&](std::int64_t one) { return one != all[0]; });
  if (other != all.end()) throw AgreedFailure(fmt::format("rank {} {} than rank 0", other - all.begin(), what));
}

}  // namespace km
