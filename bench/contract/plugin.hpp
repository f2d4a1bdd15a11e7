// Implementations from outside: shared libraries with the ABI of include/kmbench/plugin.h, and a program.
#pragma once

#include <string>
#include <vector>

namespace km {

/// Registers the library's implementations as plugin/NAME. Throws UserError for another kind of library or ABI, no implementation, or a bad name.
void load_plugin(const std::string& path);

/// Sets the program that library/external runs. Its words are separated by spaces; python3 as the first is python(). Throws UserError for a first
/// word that is no program.
void name_external_program(const std::string& command);
/// Returns the program's words; empty if none was named.
const std::vector<std::string>& external_program();

}  // namespace km
