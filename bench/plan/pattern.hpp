// A regular expression from a flag, matched in linear time (RE2: no look-around, no back-references).
#pragma once

#include <memory>
#include <string>
#include <string_view>

namespace re2 {
class RE2;
}

namespace km {

class Pattern {
 public:
  /// Throws UserError, starting with the flag, if the expression is invalid or too long.
  explicit Pattern(std::string_view flag, const std::string& text);

  /// True if it matches anywhere in the text.
  bool matches(std::string_view text) const;

 private:
  std::shared_ptr<const re2::RE2> expression_;
};

}  // namespace km
