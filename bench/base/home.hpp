// Finds the project's files (datasets/, papers/) at run time.
#pragma once

#include <filesystem>
#include <string>

namespace km {

/// The value of an environment variable, or "".
std::string variable(const char* name);

/// Returns KMBENCH_HOME, else a folder with datasets/ and papers/: the first checkout or share/kmbench (installed) above the program or the current
/// folder. Throws UserError if there is none.
std::filesystem::path home();

/// This program's file.
std::filesystem::path program();

/// The Python of commands and adapters: KMBENCH_PYTHON, else .venv of home(), else the one beside the program (a wheel), else python3.
std::string python();

/// Default folder of new lines: KMBENCH_RESULTS, else kmbench/results in XDG_DATA_HOME or ~/.local/share. Throws UserError if none of these is set.
std::filesystem::path own_results_folder();

}  // namespace km
