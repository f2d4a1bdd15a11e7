// What the adapters of flash-kmeans share: where they find it, and its limits.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "impl/library/out_of_process.hpp"

namespace km {

/// Why flash-kmeans cannot solve the problem here, or "".
inline std::string no_flash_kmeans(const ProblemShape& p) {
  if (p.tolerance >= 0) return "flash-kmeans stops by how far centroids move, not by labels: leave the tolerance out";
  for (const char* module : {"torch", "triton"})
    if (!python_has(module)) return not_installed(std::string(module) + ", which flash-kmeans needs,");
  const char* const folder = std::getenv("KMBENCH_FLASH_KMEANS");
  if (!folder || !*folder)
    return python_has("flash_kmeans") ? "" : not_installed("flash-kmeans") + "; KMBENCH_FLASH_KMEANS may name the folder that holds flash_kmeans/";
  std::error_code unreadable;
  if (std::filesystem::exists(std::filesystem::path(folder) / "flash_kmeans" / "assign_euclid_triton.py", unreadable)) return "";
  return std::string("KMBENCH_FLASH_KMEANS = ") + folder + " holds no flash_kmeans/assign_euclid_triton.py";
}

/// Blocks of 256 labels, then atomicAdd.
inline std::int64_t flash_kmeans_depth(const ProblemShape& p, const Config&) { return p.n / 256 + 256; }

}  // namespace km
