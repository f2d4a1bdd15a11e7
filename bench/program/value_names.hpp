// What the value of a flag is called in --help and in the man page. A flag has one in all commands.
#pragma once

#include <string>
#include <string_view>

namespace km {

/// "INT" for "--k"; "VALUE" for a name that value_names.cpp lacks.
std::string_view value_name(const std::string& name);

}  // namespace km
