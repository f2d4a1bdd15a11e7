// OpenMP threads between parallel regions: spinning starts the next region sooner, sleeping frees the processor.
#pragma once

#include <strings.h>

#include <cstdlib>
#include <string>

namespace km {

/// libgomp spins 300,000 times by default. Beside two busy loops, 16 threads then take 7 to 40 times as long as with 3,000. On a quiet machine, 3,000
/// costs at most a quarter, and no spinning up to three times the time (results/h200/wait_policies.txt).
constexpr const char* our_spin_count = "3000";

/// Sets our choice for processes started later, unless the user set OMP_WAIT_POLICY or GOMP_SPINCOUNT.
inline void choose_wait_policy() {
  if (!std::getenv("OMP_WAIT_POLICY")) ::setenv("GOMP_SPINCOUNT", our_spin_count, 0);
}

/// Returns the variables in force, such as "GOMP_SPINCOUNT=3000".
inline std::string wait_policy() {
  std::string text;
  for (const char* variable : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"})
    if (const char* set = std::getenv(variable)) text += std::string(text.empty() ? "" : " ") + variable + "=" + set;
  return text.empty() ? std::string("GOMP_SPINCOUNT=") + our_spin_count : text;
}

/// True if threads may spin for longer than by our choice.
inline bool threads_spin() {
  if (const char* count = std::getenv("GOMP_SPINCOUNT")) return std::strtod(count, nullptr) > std::strtod(our_spin_count, nullptr);
  const char* policy = std::getenv("OMP_WAIT_POLICY");
  return policy && ::strcasecmp(policy, "passive") != 0;
}

}  // namespace km
