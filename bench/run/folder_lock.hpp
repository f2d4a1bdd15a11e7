// One writer of a folder at a time: two would spoil each other's times and lines.
#pragma once

#include <filesystem>
#include <string>

namespace km {

/// Held while it lives; makes the folder. Throws UserError where that cannot be written to, or another process, `holder`, holds it.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, const std::string& holder);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace km
