// The array of a .npz file: a member of a zip archive (PKWARE, APPNOTE 6.3), stored or deflated.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace km {

struct ZipMember {
  std::string_view packed;  // its bytes in the archive
  std::size_t bytes = 0;    // unpacked, as the archive says
  bool deflated = false;
};

/// Returns the only .npy of an archive, or of several the one named points or X. Throws UserError, starting with `path`.
ZipMember array_of_zip(std::string_view archive, const std::string& path);

/// Unpacks at most `limit` bytes of a deflated member to `out`. Returns their number. Throws UserError, starting with `path`.
std::size_t inflate(const ZipMember& member, char* out, std::size_t limit, const std::string& path);

}  // namespace km
