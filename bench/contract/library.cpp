#include "bench/contract/library.hpp"

#include <utility>

namespace km {
namespace {

std::optional<Library>& note() {
  static std::optional<Library> last;
  return last;
}

}  // namespace

void note_library(Library library) { note() = std::move(library); }
std::optional<Library> noted_library() { return std::exchange(note(), std::nullopt); }

std::set<int>& kept_processes() {
  static std::set<int> processes;
  return processes;
}

}  // namespace km
