#include "bench/machine/wait_policy.hpp"

#include <cstdlib>

namespace km {
namespace {

/// libgomp spins 300,000 times by default. A hundredth of that costs nothing on a quiet machine and up to 20 times less on a busy one
/// (results/h200/wait_policies.txt). Spinning for good (active) would count as computing after the run.
constexpr const char *chosen = "GOMP_SPINCOUNT", *value = "3000";

}  // namespace

void choose_wait_policy() {
  if (!std::getenv("OMP_WAIT_POLICY") && !std::getenv("GOMP_SPINCOUNT")) ::setenv(chosen, value, 1);
}

std::string wait_policy() {
  std::string text;
  for (const char* variable : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT"})
    if (const char* set = std::getenv(variable)) text += std::string(text.empty() ? "" : " ") + variable + "=" + set;
  return text.empty() ? std::string(chosen) + "=" + value : text;
}

}  // namespace km
