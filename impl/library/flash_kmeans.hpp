// Where the adapters of flash-kmeans find it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include "impl/library/python.hpp"

namespace km {

/// Why flash-kmeans cannot be found, or "".
inline std::string flash_kmeans_missing() {
  for (const char* module : {"torch", "triton"})
    if (!python_has(module)) return not_installed(std::string(module) + ", which flash-kmeans needs,");
  const char* const folder = std::getenv("KMBENCH_FLASH_KMEANS");
  if (!folder || !*folder)
    return python_has("flash_kmeans") ? "" : not_installed("flash-kmeans") + "; KMBENCH_FLASH_KMEANS may name the folder that holds flash_kmeans/";
  std::error_code unreadable;
  if (std::filesystem::exists(std::filesystem::path(folder) / "flash_kmeans" / "assign_euclid_triton.py", unreadable)) return "";
  return std::string("KMBENCH_FLASH_KMEANS = ") + folder + " holds no flash_kmeans/assign_euclid_triton.py";
}

}  // namespace km
