#include "bench/base/write_whole.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "bench/base/error.hpp"

namespace km {

namespace fs = std::filesystem;

void write_whole(const fs::path& path, const std::function<void(std::ostream&)>& fill) {
  const fs::path part = path.string() + fmt::format(".{}.part", ::getpid());
  std::error_code error;
  std::ofstream out(part, std::ios::binary);
  fill(out);
  const bool written = bool(out.flush());
  const int why = errno;
  out.close();
  if (written) fs::rename(part, path, error);
  if (written && !error) return;
  const std::string reason = written ? error.message() : std::generic_category().message(why);
  fs::remove(part, error);
  throw UserError("cannot write {}: {}", path.string(), reason);
}

void write_whole(const fs::path& path, const std::string& text) {
  write_whole(path, [&](std::ostream& out) { out << text; });
}

}  // namespace km
