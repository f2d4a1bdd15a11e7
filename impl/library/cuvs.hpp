// What the adapters of cuVS share.
#pragma once

#include <string>

#include "impl/library/out_of_process.hpp"

namespace km {

constexpr const char* cuvs_departs = "once the centroids rest, it makes none of the other iterations";

/// Why cuVS cannot solve the problem here, or "".
inline std::string no_cuvs(const ProblemShape& p) {
  if (p.tolerance >= 0) return "cuVS stops by how far centroids move, not by labels: leave the tolerance out";
  for (const char* module : {"cuvs", "cupy"})
    if (!python_has(module)) return not_installed(module);
  return "";
}

}  // namespace km
