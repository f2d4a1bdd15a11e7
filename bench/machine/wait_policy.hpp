// OpenMP threads between parallel regions: spinning starts the next region sooner, sleeping frees the processor.
#pragma once

#include <string>

namespace km {

/// Sets our choice for processes started later, unless the user set OMP_WAIT_POLICY or GOMP_SPINCOUNT.
void choose_wait_policy();

/// Returns the variables in force, such as "GOMP_SPINCOUNT=3000".
std::string wait_policy();

}  // namespace km
