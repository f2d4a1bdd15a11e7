// The library that the running case calls. An adapter notes it in prepare; the result line records it.
#pragma once

#include <optional>
#include <string>

namespace km {

struct Library {
  std::string name;
  std::string version;  // as the library reports it, or empty
};

void note_library(Library library);
/// Returns and clears the last noted library.
std::optional<Library> noted_library();

}  // namespace km
