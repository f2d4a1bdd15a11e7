// Allows one writer per folder. Two would disturb each other's times and mix their lines.
#pragma once

#include <filesystem>
#include <string>

namespace km {

/// Creates the folder and locks it for this object's lifetime. Throws UserError if it is not writable or another process, `holder`, has
/// the lock.
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
