#include "bench/home.hpp"

#include <cstdlib>

#include "bench/error.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) { return fs::is_directory(folder / "datasets") && fs::is_directory(folder / "papers"); }

fs::path find_home() {
  if (const char* named = std::getenv("KMBENCH_HOME")) {
    if (!is_home(named)) throw UserError(std::string("KMBENCH_HOME=") + named + " holds no datasets/ and papers/");
    return fs::canonical(named);
  }
  std::error_code unknown;
  for (const fs::path& start : {fs::read_symlink("/proc/self/exe", unknown).parent_path(), fs::current_path()})
    for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
      if (is_home(folder)) return folder;
      if (folder == folder.root_path()) break;
    }
  throw UserError("no folder above the program or the current one holds datasets/ and papers/: set KMBENCH_HOME to kmbench's folder");
}

}  // namespace

std::filesystem::path home() { return find_home(); }

}  // namespace km
