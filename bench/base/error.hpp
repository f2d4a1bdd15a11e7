// Errors that the user can correct: one line with the fault and the accepted values. The program exits with code 2.
#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>
#include <utility>

#include "bench/base/text.hpp"

namespace km {

struct UserError : std::runtime_error {
  explicit UserError(std::string_view what) : std::runtime_error(one_line(what)) {}
  /// Formats the sentence.
  template <class... Args>
  requires(sizeof...(Args) > 0) explicit UserError(fmt::format_string<Args...> what, Args&&... args)
      : UserError(fmt::format(what, std::forward<Args>(args)...)) {}
};

/// Known, but absent on this machine: a sweep skips the case with this reason.
struct Missing : UserError {
  using UserError::UserError;
};

}  // namespace km
