// The library that the running case calls. An adapter notes it in prepare; the result line records it.
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace km {

struct Library {
  std::string name;
  std::string version;  // as the library reports it, or empty
};

inline std::optional<Library> last_library;

inline void note_library(Library library) { last_library = std::move(library); }
/// Returns and clears the last noted library.
inline std::optional<Library> noted_library() { return std::exchange(last_library, std::nullopt); }

}  // namespace km
