#include "bench/base/home.hpp"

#include <cstdlib>

#include "bench/base/error.hpp"

namespace km {
namespace {

namespace fs = std::filesystem;

bool is_home(const fs::path& folder) {
  std::error_code error;  // name too long or a loop of links: no home
  return fs::is_directory(folder / "datasets", error) && fs::is_directory(folder / "papers", error);
}

}  // namespace

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

fs::path home() {
  if (const char* named = std::getenv("KMBENCH_HOME")) {
    if (!is_home(named)) throw UserError(std::string("KMBENCH_HOME=") + named + " holds no datasets/ and papers/");
    return fs::canonical(named);
  }
  std::error_code unknown;
  for (const fs::path& start : {fs::read_symlink("/proc/self/exe", unknown).parent_path(), fs::current_path(unknown)})
    for (fs::path folder = start; !folder.empty(); folder = folder.parent_path()) {
      for (const fs::path& home : {folder, folder / "share" / "kmbench"})
        if (is_home(home)) return home;
      if (folder == folder.root_path()) break;
    }
  throw UserError("no folder above the program or the current one holds datasets/ and papers/: set KMBENCH_HOME to kmbench's folder");
}

fs::path program() { return fs::read_symlink("/proc/self/exe"); }

std::string python() {
  if (const std::string chosen = variable("KMBENCH_PYTHON"); !chosen.empty()) return chosen;
  std::error_code error;
  for (const fs::path& beside : {home() / ".venv/bin/python3", program().parent_path() / "python3"})
    if (fs::exists(beside, error)) return beside.string();
  return "python3";
}

fs::path own_results_folder() {
  if (const fs::path named = variable("KMBENCH_RESULTS"); !named.empty()) return named;
  if (const fs::path data = variable("XDG_DATA_HOME"); data.is_absolute()) return data / "kmbench/results";
  if (const fs::path user = variable("HOME"); user.is_absolute()) return user / ".local/share/kmbench/results";
  throw UserError("HOME is not set: say with --out where the lines go");
}

}  // namespace km
