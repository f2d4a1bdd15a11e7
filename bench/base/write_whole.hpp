// Writes a file completely or not at all.
#pragma once

#include <csignal>
#include <filesystem>
#include <functional>
#include <ostream>
#include <string>

namespace km {

/// The unfinished file beside the one that a path names, through links. Removed unless kept. SIGINT and SIGTERM remove it and end the program with
/// exit code 130, unless they have another handler.
class PartFile {
 public:
  /// Throws UserError for a device, a pipe or a folder.
  explicit PartFile(const std::filesystem::path& named);
  ~PartFile();
  PartFile(PartFile&&) = delete;

  const std::filesystem::path& path() const { return part_; }
  /// Replaces the named file. Throws UserError.
  void keep();
  /// Throws UserError with the reason of an errno.
  [[noreturn]] void refuse(int error) const;

 private:
  std::filesystem::path named_, target_, part_;
  struct sigaction before_int_ {
  }, before_term_{};
};

/// Replaces the file, through a link the one it names, by what fill(stream) writes. Throws UserError; what was there then stays. A device or pipe gets
/// the text directly.
void write_whole(const std::filesystem::path& path, const std::function<void(std::ostream&)>& fill);
void write_whole(const std::filesystem::path& path, const std::string& text);

}  // namespace km
