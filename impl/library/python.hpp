// The Python interpreter of adapters.
#pragma once

#include <string>

namespace km {

/// KMBENCH_PYTHON, else the project's .venv, else python3.
std::string python();
/// True if that Python has the module, and the attribute if named. Imports it only for an attribute. Cached.
bool python_has(const std::string& module, const std::string& attribute = "");

}  // namespace km
