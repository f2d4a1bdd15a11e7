// is_text and one_line: text is UTF-8 without control characters; a quoted mess becomes one line.
#include "bench/base/text.hpp"

#include <gtest/gtest.h>

#include "bench/base/error.hpp"

namespace km {
namespace {

TEST(Text, IsUtf8WithoutControlCharacters) {
  for (const char* text : {"", "plain", "é ü 中 𝄞", "a\"b'c\\"}) EXPECT_TRUE(is_text(text)) << text;
  for (const char* text : {"\xff", "a\xc3", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\x80", "a\nb", "\t",
                           "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\x1b[31m"})
    EXPECT_FALSE(is_text(text)) << text;
  EXPECT_FALSE(is_text(std::string_view("a\0b", 3)));
}

TEST(Text, IsShownInOneLine) {
  EXPECT_EQ(one_line("a\nb\xff\x1b"
                     "c é"),
            "a?b??c é");
  for (const std::string& unit : {std::string("x"), std::string("é"), std::string("𝄞"), std::string("\xff")}) {
    std::string much;
    while (much.size() < 100'000) much += unit;
    const std::string shown = one_line("begin " + much + " end");
    EXPECT_TRUE(is_text(shown));
    EXPECT_LE(shown.size(), 2100u);
    EXPECT_TRUE(shown.starts_with("begin ") && shown.ends_with(" end")) << shown;
  }
  EXPECT_STREQ(UserError("two\nlines").what(), "two?lines");
}

TEST(Text, NamesTheNearestKnownWord) {
  const std::vector<std::string> known = {"blobs", "cpu/lloyd/naive", "cpu/lloyd/two_step", "--implementation"};
  EXPECT_EQ(did_you_mean("two_setp", known), "; did you mean cpu/lloyd/two_step?") << "after the last '/', two letters swapped";
  EXPECT_EQ(did_you_mean("--out", known), "");
  EXPECT_EQ(did_you_mean("", known), "");
  EXPECT_EQ(did_you_mean(std::string(100'000, 'x'), known), "");
}

}  // namespace
}  // namespace km
