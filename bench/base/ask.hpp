// Asks foreign code in a child process, because the code may crash.
#pragma once

#include <functional>
#include <string>

namespace km {

/// Returns the answer of a child process, cut to 4000 bytes. Throws std::runtime_error ("it died of signal 11") if there is none within 10 s.
std::string answer_of_child(const std::function<std::string()>& ask);

}  // namespace km
