#include "bench/plan/pattern.hpp"

#include <re2/re2.h>

#include "bench/base/error.hpp"

namespace km {

Pattern::Pattern(std::string_view flag, const std::string& text) {
  constexpr std::size_t most_bytes = 1000;
  if (text.size() > most_bytes) throw UserError("{}: a regular expression of {} bytes; accepted: up to {}", flag, text.size(), most_bytes);
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(4 << 20);
  expression_ = std::make_shared<re2::RE2>(text, options);
  if (!expression_->ok()) throw UserError("{} '{}' is not a regular expression (RE2's syntax): {}", flag, text, expression_->error());
}

bool Pattern::matches(std::string_view text) const { return re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *expression_); }

}  // namespace km
