// What a user can mend: one line that says what was wrong and what is accepted. The program ends with exit code 2.
#pragma once

#include <stdexcept>
#include <string_view>

#include "bench/text.hpp"

namespace km {

struct UserError : std::runtime_error {
  explicit UserError(std::string_view what) : std::runtime_error(one_line(what)) {}
};

/// Known, but not on this machine: a sweep skips the case with this reason.
struct Missing : UserError {
  using UserError::UserError;
};

}  // namespace km
