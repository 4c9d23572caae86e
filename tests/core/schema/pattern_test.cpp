// ECMA-262 regular expressions, where PCRE2 would say something else.
#include <gtest/gtest.h>

#include "core/schema/ecma_pattern.h"

namespace ralph::schema {
namespace {

using Outcome = EcmaPattern::Outcome;

class Endless final : public MatchBudget {
 public:
  bool spend(std::uint64_t) override { return true; }
};

bool matches(std::string_view pattern, std::string_view text) {
  const auto compiled = EcmaPattern::compile(pattern);
  EXPECT_TRUE(compiled) << pattern << ": " << compiled.error().message;
  Endless budget;
  return compiled && compiled->search(text, 1'000'000, budget) == Outcome::found;
}

std::string error_of(std::string_view pattern) {
  const auto compiled = EcmaPattern::compile(pattern);
  return compiled ? "" : compiled.error().message;
}

struct Meaning {
  const char* pattern;
  const char* text;
  bool found;
};

class EcmaPatternMeaning : public testing::TestWithParam<Meaning> {};

TEST_P(EcmaPatternMeaning, IsThatOfEcma) {
  EXPECT_EQ(matches(GetParam().pattern, GetParam().text), GetParam().found)
      << GetParam().pattern << " in " << GetParam().text;
}

const Meaning kMeanings[] = {
    {"b", "abc", true},
    {"^b", "abc", false},
    {"^abc$", "abc\n", false},
    {"^abc$", "x\nabc", false},
    {R"(^\d$)", "7", true},
    {R"(^\d$)", "٣", false},
    {R"(^\D$)", "٣", true},
    {R"(^\w$)", "é", false},
    {R"(^\W$)", "é", true},
    {R"(^[\W]$)", "é", true},
    {R"(^[\W]$)", "_", false},
    {R"(^[^\W]$)", "_", true},
    {R"(^\s$)", "\u00a0", true},
    {R"(^\s$)", "\ufeff", true},
    {R"(^\s$)", "\u2003", true},
    {R"(^\s$)", "\u2028", true},
    {R"(^\s$)", "\v", true},
    {R"(^\s$)", "\u0085", false},
    {R"(^[\s]$)", "\ufeff", true},
    {R"(^[\S]$)", "\ufeff", false},
    {R"(^\S$)", "\u0085", true},
    {R"(^\cC$)", "\x03", true},
    {R"(^\cc$)", "\x03", true},
    {R"(^\c1$)", "\\c1", true},
    {R"(^a\/b$)", "a/b", true},
    {R"(^a\Z$)", "aZ", true},
    {R"(^\Aa\z$)", "Aaz", true},
    {R"(^\Qa.\E$)", "QaxE", true},
    {R"(^\h\R\K$)", "hRK", true},
    {R"(^\v$)", "\v", true},
    {R"(^\v$)", "\n", false},
    {"^[^]$", "\n", true},
    {"^[^]$", "😀", true},
    {"[]", "a", false},
    {"^a[]*$", "a", true},
    {"^.$", "\r", false},
    {"^.$", "\u2028", false},
    {"^.$", "\u0085", true},
    {"^.$", "😀", true},
    {"^[😀-😂]$", "😁", true},
    {R"(^\u{1F600}$)", "😀", true},
    {R"(^\uD83D\uDE00$)", "😀", true},
    {R"(^[\uD83D\uDE00]$)", "😀", true},
    {R"(\uD83D)", "😀", false},
    {R"(^\u0061\x62$)", "ab", true},
    {R"(^\p{Letter}\p{Lu}$)", "éÉ", true},
    {R"(^\p{gc=Uppercase_Letter}\P{Letter}$)", "É1", true},
    {R"(^\p{Script=Greek}+$)", "λόγος", true},
    {R"(^\p{sc=Latin}$)", "λ", false},
    {R"(^\p{Alphabetic}$)", "é", true},
    {R"(^[\p{L}\d]+$)", "é1", true},
    {"(?<=a)b", "ab", true},
    {"(?<!a)b", "ab", false},
    {R"(^(?<first>.)(?<$second>.)\k<$second>\k<first>$)", "abba", true},
    {R"(^(?<first>.)\k<first>$)", "ab", false},
    {R"(^(a)?\1b$)", "b", true},
    {R"(^[\b]$)", "\b", true},
    {"^[[:alpha:]]$", ":]", true},
    {"^[[:alpha:]]$", "b", false},
    {R"(^[\w-.]+$)", "a-.", true},
    {"^a{,2}$", "a{,2}", true},
    {"^a{$", "a{", true},
    {"^]}$", "]}", true},
    {"^a # b$", "a # b", true},
};
INSTANTIATE_TEST_SUITE_P(All, EcmaPatternMeaning, testing::ValuesIn(kMeanings));

TEST(EcmaPattern, RefusesWhatOnlyPcreKnows) {
  for (const auto* const pattern : {"(*ACCEPT)", "(*LIMIT_MATCH=1)a", "(?>a)", "(?i)a", "(?#x)",
                                    "(?R)", "(?P<n>a)", "(?<n", "(?|a)"}) {
    EXPECT_TRUE(error_of(pattern).starts_with("this kind of group does not exist")) << pattern;
  }
  for (const auto* const pattern : {"a++", "a**", "*", "a|*", "(?:+)", "^*", "a{2}{3}", R"(\b+)"}) {
    EXPECT_TRUE(error_of(pattern).starts_with("there is nothing to repeat")) << pattern;
  }
}

TEST(EcmaPattern, SaysWhereAPatternIsWrong) {
  EXPECT_EQ(error_of("é("), "a group is not closed at character 3");
  EXPECT_EQ(error_of("a)"), "')' closes nothing at character 2");
  EXPECT_EQ(error_of("[a"), "'[' is not closed at character 3");
  EXPECT_EQ(error_of("[b-a]"), "a range is out of order at character 5");
  EXPECT_EQ(error_of("\\"), "nothing follows the backslash at character 1");
  EXPECT_EQ(error_of("(a)\\2"), "a reference to a group that does not exist at character 6");
  EXPECT_EQ(error_of("\\k<a>"), "a reference to a group that does not exist at character 6");
  EXPECT_NE(error_of("\\p{NoSuchProperty}"), "");
  EXPECT_NE(error_of("\xff"), "");
}

TEST(EcmaPattern, ALongTextIsSearchedToItsEnd) {
  const std::string letters(20'000, 'a');
  std::string wide;
  for (int i = 0; i < 5'000; ++i) wide += "é😀";
  EXPECT_TRUE(matches("[bc]$", letters + "b"));
  EXPECT_TRUE(matches("[bc]$", wide + "b"));
  EXPECT_TRUE(matches("(?:a|é|😀)+b", wide + "b"));
  EXPECT_FALSE(matches("[bc]", wide));
  EXPECT_TRUE(matches("$", wide));
  EXPECT_TRUE(matches("^(a|b)*$", letters));
}

TEST(EcmaPattern, InvalidUtf8IsSearchedAsIfRepaired) {
  EXPECT_TRUE(matches("^a.b$",
                      "a\xff"
                      "b"));
}

TEST(EcmaPattern, GivesUpOnAHostilePattern) {
  const auto pattern = EcmaPattern::compile("(a+)+$").value();
  Endless budget;
  EXPECT_EQ(pattern.search(std::string(20'000, 'a') + "!", 100'000, budget), Outcome::too_hard);
  EXPECT_EQ(pattern.search(std::string(20'000, 'a'), 100'000, budget), Outcome::found);
}

TEST(EcmaPattern, StopsWhenItsBudgetIsSpent) {
  class Spent final : public MatchBudget {
   public:
    bool spend(std::uint64_t) override { return ++calls < 3; }
    int calls = 0;
  } budget;
  const auto pattern = EcmaPattern::compile("[bc]").value();
  EXPECT_EQ(pattern.search(std::string(1'000'000, 'a'), 100'000, budget), Outcome::too_hard);
  EXPECT_EQ(budget.calls, 3);
}

}  // namespace
}  // namespace ralph::schema
