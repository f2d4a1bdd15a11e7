// Host memory of this process and machine in bytes, from /proc; 0 if unknown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace km::memory {

std::int64_t total_bytes();
/// Memory left on the machine and in this process's control groups.
std::int64_t available_bytes();
/// Memory left in the listed control groups below `mount`, and in those above them; the largest number without a limit.
std::int64_t left_in_groups(const std::string& list = "/proc/self/cgroup", const std::string& mount = "/sys/fs/cgroup");
/// Peak resident memory since reset_peak(), or since the start if the kernel refuses the reset.
std::int64_t peak_bytes();
void reset_peak();

/// Throws UserError if n x d values of that size exceed the available memory. `what` starts the sentence, `advice` ends it.
void check(const std::string& what, std::int64_t n, int d, std::size_t value_bytes, const std::string& advice = "");

}  // namespace km::memory
