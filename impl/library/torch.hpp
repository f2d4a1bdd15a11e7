// Shared by the two PyTorch files.
#pragma once

#include <string>

#include "impl/library/out_of_process.hpp"
#include "impl/library/python.hpp"

namespace km {

inline std::string without_torch(const ProblemShape&, const Config&, int) {
  return python_has("torch") ? "" : "PyTorch is not installed for " + python();
}

}  // namespace km
