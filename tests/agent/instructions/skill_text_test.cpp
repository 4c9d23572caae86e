#include <gtest/gtest.h>

#include "agent/instructions/frontmatter.h"
#include "agent/instructions/skills.h"

namespace ralph::instructions {
namespace {

TEST(Frontmatter, IsReadAsPeopleWriteIt) {
  const auto plain = parse_frontmatter("---\nname: \"a\"\ndescription: 'b: c'\n---\nBody\n");
  EXPECT_EQ(plain.value("name"), "a");
  EXPECT_EQ(plain.value("description"), "b: c");
  EXPECT_EQ(plain.body, "Body\n");
  const auto windows = parse_frontmatter(
      "\xEF\xBB\xBF---\r\ndescription: >-\r\n  two\r\n  lines\r\n---\r\n\r\nBody\r\n");
  EXPECT_EQ(windows.value("description"), "two lines");
  EXPECT_EQ(windows.body, "Body\r\n");
  const auto odd = parse_frontmatter("---\n: : :\n- x\n  y\nname: first\nname: second\n---\n");
  EXPECT_EQ(odd.value("name"), "first");
  EXPECT_EQ(odd.body, "");
}

TEST(Frontmatter, WithoutOneAllIsBody) {
  EXPECT_EQ(parse_frontmatter("Text\n---\nname: a\n---\n").body, "Text\n---\nname: a\n---\n");
  EXPECT_EQ(parse_frontmatter("---\nname: a\nnever closed").body, "---\nname: a\nnever closed");
  EXPECT_TRUE(parse_frontmatter("---\nname: a\nnever closed").fields.empty());
  EXPECT_EQ(parse_frontmatter("").body, "");
}

TEST(Arguments, MayHaveNames) {
  const std::vector<std::string> names{"who", "when"};
  const auto filled = [&](std::string_view text, std::string_view arguments) {
    return with_arguments(text, arguments, {}, names).value_or("an error");
  };
  EXPECT_EQ(filled("$who at $when, not $whom", "Bob 'twelve o clock'"),
            "Bob at twelve o clock, not $whom");
  EXPECT_EQ(filled("$who at $when.", "Bob"), "Bob at .");
  EXPECT_EQ(filled("$who-$0-$ARGUMENTS", "$when x"), "$when-$when-$when x");
  EXPECT_EQ(with_arguments("$who", "Bob").value_or(""), "$who\n\nARGUMENTS: Bob");
}

TEST(Arguments, GoWhereTheTextWantsThem) {
  EXPECT_EQ(with_arguments("[$ARGUMENTS] [$0] [$1] [$2] [$ARGUMENTS[1]]", "a 'b c'"),
            "[a 'b c'] [a] [b c] [$2] [b c]");
  EXPECT_EQ(with_arguments("[$ARGUMENTS] [$0] [$ARGUMENTS[0]] $", ""), "[] [$0] [$ARGUMENTS[0]] $");
  EXPECT_EQ(with_arguments("No place.", "a b"), "No place.\n\nARGUMENTS: a b");
  EXPECT_EQ(with_arguments("No place.", ""), "No place.");
  EXPECT_EQ(with_arguments("$0", "$ARGUMENTS"), "$ARGUMENTS");
  EXPECT_EQ(with_arguments("$99999999999999999999999 $HOME", "a"),
            "$99999999999999999999999 $HOME\n\nARGUMENTS: a");
}

}  // namespace
}  // namespace ralph::instructions
