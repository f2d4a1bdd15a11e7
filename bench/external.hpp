// The program that --external names. impl/library/external.cpp runs it as an implementation.
#pragma once

#include <string>
#include <vector>

namespace km {

/// Splits the command at its spaces. Workers parse the same flag.
void name_external_program(const std::string& command);
/// Returns its words; empty if none was named.
const std::vector<std::string>& external_program();

}  // namespace km
