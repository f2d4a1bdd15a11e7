#include "bench/run/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "bench/base/error.hpp"

namespace km {

FolderLock::FolderLock(const std::filesystem::path& folder, const std::string& holder) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  file_ = ::open((folder / ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
  if (file_ < 0) throw UserError(fmt::format("cannot write to {}: {}", folder.string(), std::generic_category().message(errno)));
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0) return;
  ::close(file_);
  throw UserError(fmt::format("another {} is writing to {}; wait for it, or choose --out", holder, folder.string()));
}

FolderLock::~FolderLock() { ::close(file_); }

}  // namespace km
