#include "core/options/option_reader.h"

#include <gtest/gtest.h>

namespace ralph::options {
namespace {

/// Each item as "KIND:option=value" or "KIND:word", and the words after "--" as "rest:word".
std::vector<std::string> read(const std::vector<std::string>& words) {
  const std::vector<Declaration> declarations{
      {{"-v", "--verbose"}, Takes::nothing}, {{"-q"}, Takes::nothing},
      {{"--box"}, Takes::attached},          {{"-r", "--resume"}, Takes::optional},
      {{"-p", "--prompt"}, Takes::value},    {{"--tools"}, Takes::list}};
  OptionReader reader(declarations, words);
  std::vector<std::string> found;
  while (const auto item = reader.next()) {
    const auto& name = declarations[item->option].names.back();
    const auto value = item->value ? "=" + *item->value : "";
    switch (item->kind) {
      case Item::Kind::option: found.push_back(std::string(name) + value); break;
      case Item::Kind::operand: found.push_back(item->word); break;
      case Item::Kind::unknown_option: found.push_back("unknown " + item->word); break;
      case Item::Kind::missing_value: found.push_back("missing " + std::string(name)); break;
      case Item::Kind::unexpected_value: found.push_back("unexpected " + item->word); break;
    }
  }
  for (const auto& word : reader.rest()) found.push_back("rest " + word);
  return found;
}

using Found = std::vector<std::string>;

TEST(OptionReader, FlagsAndTheirBundles) {
  EXPECT_EQ(read({"-v", "--verbose", "-vq"}), (Found{"--verbose", "--verbose", "--verbose", "-q"}));
  EXPECT_EQ(read({"--verbose=1"}), Found{"unexpected --verbose=1"});
  EXPECT_EQ(read({"-vx"}), (Found{"--verbose", "unknown -x"}));
}

TEST(OptionReader, ValuesAreTheNextWordOrAttached) {
  const Found expected{"--prompt=a"};
  EXPECT_EQ(read({"-p", "a"}), expected);
  EXPECT_EQ(read({"-pa"}), expected);
  EXPECT_EQ(read({"--prompt", "a"}), expected);
  EXPECT_EQ(read({"--prompt=a"}), expected);
  EXPECT_EQ(read({"-vpa"}), (Found{"--verbose", "--prompt=a"}));
  EXPECT_EQ(read({"--prompt="}), Found{"--prompt="});
  EXPECT_EQ(read({"--prompt", ""}), Found{"--prompt="});
}

TEST(OptionReader, ARequiredValueMayLookLikeAnOption) {
  EXPECT_EQ(read({"-p", "-v"}), Found{"--prompt=-v"});
  EXPECT_EQ(read({"-p", "--", "-v"}), (Found{"--prompt=--", "--verbose"}));
  EXPECT_EQ(read({"-v", "-p"}), (Found{"--verbose", "missing --prompt"}));
}

TEST(OptionReader, AnOptionalValueMayNot) {
  EXPECT_EQ(read({"-r"}), Found{"--resume"});
  EXPECT_EQ(read({"-r", "-v"}), (Found{"--resume", "--verbose"}));
  EXPECT_EQ(read({"-r", "id"}), Found{"--resume=id"});
  EXPECT_EQ(read({"-rid"}), Found{"--resume=id"});
}

TEST(OptionReader, AnAttachedValueIsNeverTheNextWord) {
  EXPECT_EQ(read({"--box", "strict"}), (Found{"--box", "strict"}));
  EXPECT_EQ(read({"--box=strict"}), Found{"--box=strict"});
}

TEST(OptionReader, AListEndsAtTheNextOption) {
  EXPECT_EQ(read({"--tools", "a", "b", "-v", "c"}),
            (Found{"--tools=a", "--tools=b", "--verbose", "c"}));
  EXPECT_EQ(read({"--tools=a", "b"}), (Found{"--tools=a", "b"}));
}

TEST(OptionReader, OperandsUnknownOptionsAndTheRest) {
  EXPECT_EQ(
      read({"a", "-", "", "--nope", "--nope=1", "-x1", "---"}),
      (Found{"a", "-", "", "unknown --nope", "unknown --nope=1", "unknown -x1", "unknown ---"}));
  EXPECT_EQ(read({"a", "--", "-v", "--"}), (Found{"a", "rest -v", "rest --"}));
}

}  // namespace
}  // namespace ralph::options
