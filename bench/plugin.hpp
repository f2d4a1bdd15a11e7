// Implementations from a shared library that speaks bench/plugin.h.
#pragma once

#include <string>

namespace km {

/// Register what a library offers, as plugin/NAME. Throws UserError for a file that is none, or offers nothing, or has another ABI or a bad name.
void load_plugin(const std::string& path);

}  // namespace km
