// The library that the running case calls. An adapter notes it in prepare; the result line records it.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>

namespace km {

struct Library {
  std::string name;
  std::string version;  // as the library reports it, or empty
  double start_s = 0;   // seconds to start its process and import it, which prepare_s leaves out
};

inline std::optional<Library> last_library;

inline void note_library(Library library) { last_library = std::move(library); }
/// Returns and clears the last noted library.
inline std::optional<Library> noted_library() { return std::exchange(last_library, std::nullopt); }

/// Processes that adapters keep for the next case, such as a Python that has imported its library. A case does not leave them behind.
inline std::set<int> kept_processes;

}  // namespace km
