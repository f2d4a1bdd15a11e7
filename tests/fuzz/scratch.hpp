// Helpers of the fuzz targets: the input as a file, and the one right kind of refusal.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "bench/base/error.hpp"

namespace km {

/// This process's file of that name, with these bytes. Its folder goes when the process ends.
inline std::filesystem::path scratch_file(const char* name, const std::uint8_t* data, std::size_t bytes) {
  static const std::filesystem::path folder = [] {
    const std::filesystem::path memory = "/dev/shm";
    const auto made = (is_directory(memory) ? memory : std::filesystem::temp_directory_path()) / ("kmbench_fuzz_" + std::to_string(getpid()));
    std::filesystem::create_directories(made);
    return made;
  }();
  static const int at_end = std::atexit([] { std::filesystem::remove_all(folder); });
  (void)at_end;
  std::ofstream(folder / name, std::ios::binary).write(reinterpret_cast<const char*>(data), std::streamsize(bytes));
  return folder / name;
}

/// Any other exception than UserError is a finding, and so is a refusal of more than one line.
template <class Call>
int refusing(Call call) {
  try {
    call();
  } catch (const UserError& error) {
    if (std::string_view(error.what()).empty() || !is_text(error.what())) std::abort();
  }
  return 0;
}

}  // namespace km
