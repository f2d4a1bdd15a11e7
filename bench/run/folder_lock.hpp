// Allows one writer per folder. Two would disturb each other's times and mix their lines.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "bench/base/error.hpp"

namespace km {

class FolderLock {
 public:
  /// Creates the folder and locks it for this object's lifetime. Throws UserError if it is not writable or another process, `holder`, has the lock.
  FolderLock(const std::filesystem::path& folder, const std::string& holder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    file_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (file_ < 0) throw UserError("cannot write to {}: {}", folder.string(), std::generic_category().message(errno));
    if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
    ::close(file_);
    throw UserError("another {} is writing to {}; wait for it, or choose --out", holder, folder.string());
  }
  ~FolderLock() { ::close(file_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int file_;
};

}  // namespace km
