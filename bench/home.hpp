// Where the project's own files (datasets/, papers/) lie at run time.
#pragma once

#include <filesystem>

namespace km {

/// KMBENCH_HOME, else the first folder above the program or the current folder that holds datasets/ and papers/, itself (a checkout)
/// or in share/kmbench (installed). Throws UserError when there is none.
std::filesystem::path home();

/// Where lines go that nobody gave a folder: results/ of the checkout, or of the current folder where the program is installed.
std::filesystem::path results_folder();

}  // namespace km
