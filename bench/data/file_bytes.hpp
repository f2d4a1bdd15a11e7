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
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  std::string_view view() const { return view_; }

 private:
  std::unique_ptr<char[]> unpacked_;
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string_view view_;
};

}  // namespace km
