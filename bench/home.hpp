// Where the project's own files (datasets/, papers/) lie at run time.
#pragma once

#include <filesystem>

namespace km {

/// KMBENCH_HOME, else the first folder above the program or the current folder that holds datasets/ and papers/.
/// Throws UserError when there is none.
std::filesystem::path home();

}  // namespace km
