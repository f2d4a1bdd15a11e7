// Version and build of this program, written by CMake at every build (cmake/version.cmake).
#pragma once

#include <string>

namespace km::version {

std::string number();    // release, such as 0.1.0
std::string commit();    // git hash; outside a checkout nogit-<hash of the sources>
bool dirty();            // uncommitted changes at build time
std::string compiler();  // name and version
std::string flags();     // of the implementations
std::string build_type();
std::string cuda();  // toolkit version, or "none"

}  // namespace km::version
