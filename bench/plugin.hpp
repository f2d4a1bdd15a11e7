// Loads implementations from a shared library with the ABI of bench/plugin.h.
#pragma once

#include <string>

namespace km {

/// Registers the library's implementations as plugin/NAME. Throws UserError if it is no such library, offers nothing, or has another ABI or a bad
/// name.
void load_plugin(const std::string& path);

}  // namespace km
