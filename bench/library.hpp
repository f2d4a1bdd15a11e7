// Whose library the running case calls: an adapter says it in prepare, and the result line keeps it.
#pragma once

#include <optional>
#include <string>

namespace km {

struct Library {
  std::string name;
  std::string version;  // as the library says it; empty where it does not
};

void note_library(Library library);
/// The last that was noted since the last call, or nothing.
std::optional<Library> noted_library();

}  // namespace km
