// A file's bytes, read-only: mapped, or, where its name ends in .xz, unpacked into memory.
#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string_view>
#include <vector>

namespace km {

class FileBytes {
 public:
  /// At most the first `limit` bytes (of the unpacked content). Throws UserError where the file cannot be read or unpacked.
  explicit FileBytes(const std::filesystem::path& path, std::size_t limit = std::numeric_limits<std::size_t>::max());
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view view() const { return view_; }

 private:
  std::vector<char> unpacked_;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string_view view_;
};

}  // namespace km
