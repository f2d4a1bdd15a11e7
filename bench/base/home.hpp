// Finds the project's files (datasets/, papers/) at run time.
#pragma once

#include <filesystem>

namespace km {

/// Returns KMBENCH_HOME, else the first folder above the program or the current folder with datasets/ and papers/ in it (a checkout) or in its
/// share/kmbench (installed). Throws UserError if there is none.
std::filesystem::path home();

/// Recorded results, for commands that show them: results/ of the checkout, or of the current folder if installed.
std::filesystem::path results_folder();

/// Default folder of new lines: KMBENCH_RESULTS, else kmbench/results in XDG_DATA_HOME or ~/.local/share. Throws UserError if none of these is set.
std::filesystem::path own_results_folder();

}  // namespace km
