#include "bench/machine/wait_policy.hpp"

#include <cstdlib>

namespace km {
namespace {

/// libgomp spins 300,000 times by default, which wastes time slices on a busy machine. A hundredth costs at most a tenth on a quiet machine, in a
/// few rounds of a small loop (results/h200/wait_policies.txt).
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
