#include "bench/base/write_whole.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <system_error>

#include "bench/base/error.hpp"

namespace km {

namespace fs = std::filesystem;

void write_whole(const fs::path& path, const std::function<void(std::ostream&)>& fill) {
  std::error_code error;
  const bool replace = !fs::exists(path, error) || fs::is_regular_file(path, error);  // a device or pipe is written as it stands
  const fs::path target = replace ? fs::weakly_canonical(path, error) : path;         // a link stays one
  if (target.empty()) throw UserError("cannot write {}: {}", path.string(), error.message());
  const fs::path part = replace ? fs::path(target.string() + fmt::format(".{}.part", ::getpid())) : target;
  std::ofstream out(part, std::ios::binary);
  fill(out);
  const bool written = bool(out.flush());
  const int why = errno;
  out.close();
  error.clear();
  if (written && replace) fs::rename(part, target, error);
  if (written && !error) return;
  const std::string reason = written ? error.message() : std::generic_category().message(why);
  if (replace) fs::remove(part, error);
  throw UserError("cannot write {}: {}", path.string(), reason);
}

void write_whole(const fs::path& path, const std::string& text) {
  write_whole(path, [&](std::ostream& out) { out << text; });
}

}  // namespace km
