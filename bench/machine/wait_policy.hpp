// What OpenMP's threads do between parallel regions: spin, which starts the next region sooner, or sleep, which leaves the processor to others.
#pragma once

#include <string>

namespace km {

/// Set our choice for processes started from here on, unless the user set OMP_WAIT_POLICY or GOMP_SPINCOUNT.
void choose_wait_policy();

/// The variables in force, with our choice where the user made none: "GOMP_SPINCOUNT=3000".
std::string wait_policy();

}  // namespace km
