// Errors that the user can correct: one line with the fault and the accepted values. The program exits with code 2.
#pragma once

#include <stdexcept>
#include <string_view>

#include "bench/base/text.hpp"

namespace km {

struct UserError : std::runtime_error {
  explicit UserError(std::string_view what) : std::runtime_error(one_line(what)) {}
};

/// Known, but absent on this machine: a sweep skips the case with this reason.
struct Missing : UserError {
  using UserError::UserError;
};

}  // namespace km
