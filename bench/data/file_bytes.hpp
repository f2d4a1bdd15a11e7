// Read-only bytes of a file: mapped, or unpacked into memory if its name ends in .xz; of a .npz its array.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>

#include "bench/base/descriptor.hpp"

namespace km {

bool is_packed(const std::filesystem::path& path);

/// Opens a file for reading. A pipe without a writer does not block. Throws UserError.
Descriptor open_to_read(const std::filesystem::path& path);

class FileBytes {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// Provides at most the first `limit` bytes of the unpacked content. Packed files need a limit, because they may unpack to thousands of times
  /// their size. Throws UserError if the file is not regular, is empty, or cannot be read or unpacked.
  explicit FileBytes(const std::filesystem::path& path, std::size_t limit = all);

  std::string_view view() const { return view_; }

 private:
  struct Mapping {
    Mapping(std::size_t bytes, int file);  // maps a file, or for -1 zeroed memory
    ~Mapping();
    Mapping(Mapping&&) = delete;
    char* data;
    std::size_t bytes;
  };
  std::unique_ptr<Mapping> mapping_;
  std::string_view view_;
};

}  // namespace km
