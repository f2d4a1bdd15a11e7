// A regular expression from a flag, matched in time linear in the text (RE2: no look-around, no back-references).
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
  /// Throws UserError, beginning with the flag, for what is no expression or a needlessly long one.
  explicit Pattern(std::string_view flag, std::string text);
  ~Pattern();
  Pattern(Pattern&&) noexcept;

  /// Does it match anywhere in the text?
  bool matches(std::string_view text) const;

 private:
  std::unique_ptr<re2::RE2> expression_;
};

}  // namespace km
