// The Python that adapters of Python libraries run in.
#pragma once

#include <string>

namespace km {

/// KMBENCH_PYTHON, else the project's .venv, else python3.
std::string python();
/// Does that Python have the module? Found, not imported; imported where it must have an attribute. Asked once.
bool python_has(const std::string& module, const std::string& attribute = "");

}  // namespace km
