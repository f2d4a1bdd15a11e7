// What a user can mend: one line that says what was wrong and what is accepted. The program ends with exit code 2.
#pragma once

#include <stdexcept>

namespace km {

struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Known, but not on this machine: a sweep skips the case with this reason.
struct Missing : UserError {
  using UserError::UserError;
};

}  // namespace km
