// A library that this build lacks keeps its name, for exhibits and filters, and is skipped with the reason.
#pragma once

#include "bench/contract/implementation.hpp"

namespace km {

/// summary as usual, `library` as users call it, `package` as in Debian. The result is for a constant of the calling file.
template <class... T>
bool register_missing(const std::string& name, const char* summary, const std::string& library, const std::string& package) {
  const std::string reason = "this kmbench was built without " + library + " (Debian: " + package + "; then configure and build again)";
  Implementation implementation{.name = name,
                                .description = {.summary = summary,
                                                .parameters = {threads_parameter()},
                                                .unsupported = [reason](const ProblemShape&, const Config&, int) { return reason; }}};
  const auto refuse = [reason](const auto&, const Config&, Trace&) -> std::nullptr_t { throw std::runtime_error(reason); };
  if constexpr ((std::is_same_v<T, float> || ...)) implementation.fp32 = refuse;
  if constexpr ((std::is_same_v<T, double> || ...)) implementation.fp64 = refuse;
  register_implementation(std::move(implementation));
  return true;
}

}  // namespace km
