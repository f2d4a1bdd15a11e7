#include "bench/machine/wait_policy.hpp"

#include <cstdlib>

namespace km {
namespace {

/// Of the policies in results/intel-xeon-2t/wait_policies.txt the one that loses least on a busy machine and nothing on a quiet one.
constexpr const char *chosen = "GOMP_SPINCOUNT", *value = "10000";

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
