// One tuning of a device at a time: two would spoil each other's times.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "bench/error.hpp"

namespace km {

/// Held while it lives. Throws UserError where the folder cannot be written to, or another process holds it.
class TuningLock {
 public:
  explicit TuningLock(const std::filesystem::path& folder) {
    std::error_code failed;
    std::filesystem::create_directories(folder, failed);
    file_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (file_ < 0) throw UserError(fmt::format("cannot write to {}: {}", folder.string(), std::generic_category().message(errno)));
    if (::flock(file_, LOCK_EX | LOCK_NB) != 0) throw UserError(fmt::format("another kmbench tune is writing to {}; wait for it", folder.string()));
  }
  ~TuningLock() { ::close(file_); }
  TuningLock(const TuningLock&) = delete;
  TuningLock& operator=(const TuningLock&) = delete;

 private:
  int file_;
};

}  // namespace km
