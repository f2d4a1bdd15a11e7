// A file's bytes, read-only: mapped, or, where its name ends in .xz, unpacked into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <memory>
#include <string_view>

namespace km {

class FileBytes {
 public:
  static constexpr std::size_t all = std::numeric_limits<std::size_t>::max();

  /// At most the first `limit` bytes, of the unpacked content where it is packed (then a limit is needed: what packs well unpacks
  /// to thousands of times its size). Throws UserError where the file is no regular one, is empty, or cannot be read or unpacked.
  explicit FileBytes(const std::filesystem::path& path, std::size_t limit = all);

  std::string_view view() const { return view_; }

 private:
  struct Mapping {
    Mapping(std::size_t bytes, int file);  // of a file, or, where it is -1, zeros that take no memory before they are written to
    ~Mapping();
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    char* data;
    std::size_t bytes;
  };
  std::unique_ptr<Mapping> mapping_;
  std::string_view view_;
};

}  // namespace km
