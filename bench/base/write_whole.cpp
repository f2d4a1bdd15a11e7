#include "bench/base/write_whole.hpp"

#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <optional>
#include <string_view>
#include <system_error>

#include "bench/base/error.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_file(const fs::path& path, const std::string& why) { throw UserError("cannot write {}: {}", path.string(), why); }

const char* volatile unfinished = nullptr;  // what a signal removes

void remove_and_end(int) {
  constexpr std::string_view said = "\ninterrupted\n";
  if (const char* const part = unfinished) ::unlink(part);
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, said.data(), said.size());
  ::_exit(130);
}

/// Takes a signal that would end the program.
void take(int signal, struct sigaction& before) {
  struct sigaction action {};
  action.sa_handler = remove_and_end;
  ::sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_DFL) ::sigaction(signal, &action, nullptr);
}

/// False for a device, a pipe or a folder.
bool can_replace(const fs::path& path) {
  std::error_code error;
  return !fs::exists(path, error) || fs::is_regular_file(path, error);
}

}  // namespace

PartFile::PartFile(const fs::path& named) : named_(named) {
  if (!can_replace(named)) refuse_file(named, "not a regular file");
  std::error_code error;
  target_ = fs::weakly_canonical(fs::absolute(named, error), error);
  if (target_.empty()) refuse_file(named, error.message());
  if (fs::is_symlink(target_, error)) target_ = target_.parent_path() / fs::read_symlink(target_, error);  // to a file that is not there yet
  part_ = target_.string() + fmt::format(".{}.part", ::getpid());
  unfinished = part_.c_str();
  take(SIGINT, before_int_);
  take(SIGTERM, before_term_);
}

PartFile::~PartFile() {
  std::error_code error;
  fs::remove(part_, error);
  ::sigaction(SIGINT, &before_int_, nullptr);
  ::sigaction(SIGTERM, &before_term_, nullptr);
  unfinished = nullptr;
}

void PartFile::keep() {
  std::error_code error;
  fs::rename(part_, target_, error);
  if (error) refuse_file(named_, error.message());
}

void PartFile::refuse(int error) const { refuse_file(named_, std::generic_category().message(error)); }

void write_whole(const fs::path& path, const std::function<void(std::ostream&)>& fill) {
  std::optional<PartFile> part;
  if (can_replace(path)) part.emplace(path);
  std::ofstream out(part ? part->path() : path, std::ios::binary);
  fill(out);
  if (!out.flush()) refuse_file(path, std::generic_category().message(errno));
  out.close();
  if (!out) refuse_file(path, std::generic_category().message(errno));
  if (part) part->keep();
}

void write_whole(const fs::path& path, const std::string& text) {
  write_whole(path, [&](std::ostream& out) { out << text; });
}

}  // namespace km
