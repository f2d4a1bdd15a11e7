// Where the project's own files (datasets/, papers/) lie at run time.
#pragma once

#include <filesystem>

namespace km {

/// KMBENCH_HOME, else the first folder above the program or the current folder that holds datasets/ and papers/, itself (a checkout)
/// or in share/kmbench (installed). Throws UserError when there is none.
std::filesystem::path home();

/// The recorded results: results/ of the checkout, or of the current folder where the program is installed. Commands that show read them.
std::filesystem::path results_folder();

/// Where lines go that nobody gave a folder, so that a user's never mix with the recorded ones: KMBENCH_RESULTS, else kmbench/results in
/// XDG_DATA_HOME or ~/.local/share. Throws UserError where none of these is set.
std::filesystem::path own_results_folder();

}  // namespace km
