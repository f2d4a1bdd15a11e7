// Host memory of this process and machine, from /proc. Bytes; 0 where /proc does not tell.
#pragma once

#include <cstdint>

namespace km::memory {

std::int64_t total_bytes();
/// What the machine, and the control group that this process is in, leave.
std::int64_t available_bytes();
/// Peak resident memory since reset_peak() (or since the start, where the kernel refuses the reset).
std::int64_t peak_bytes();
void reset_peak();

}  // namespace km::memory
