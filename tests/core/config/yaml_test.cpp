#include "core/config/yaml.h"

#include <string>

#include <gtest/gtest.h>

namespace ralph::config {
namespace {

std::string error_of(std::string_view text) {
  const auto node = parse(text, "f.yml");
  return node ? "no error" : node.error().message;
}

std::string repeated(std::string_view piece, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += piece;
  return text;
}

TEST(Yaml, ReadsMapsListsAndScalarsWithTheirLines) {
  const auto node = parse("# first\nmodel: opus\nallowed_tools:\n  - Read\n  - 'Bash'\n", "f.yml");
  ASSERT_TRUE(node) << node.error().message;
  ASSERT_EQ(node->keys.size(), 2u);
  EXPECT_EQ(node->keys[0].text, "model");
  EXPECT_EQ(node->keys[0].line, 2);
  EXPECT_EQ(node->find("model")->text, "opus");
  const auto* tools = node->find("allowed_tools");
  ASSERT_EQ(tools->kind, Node::Kind::list);
  EXPECT_EQ(tools->items[1].text, "Bash");
  EXPECT_EQ(tools->items[1].line, 5);
  EXPECT_TRUE(tools->items[1].quoted);
  EXPECT_FALSE(tools->items[0].quoted);
  EXPECT_EQ(node->find("nothing"), nullptr);
}

TEST(Yaml, ReadsJson) {
  const auto node =
      parse("{\n\t\"a\": \"\\u00e9 \\/ \\ud83d\\ude00 \\\\ud83d\",\n\t\"b\": [true, null]\n}", "f");
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->find("a")->text, "é / 😀 \\ud83d");
  EXPECT_EQ(node->find("b")->items[0].text, "true");
  EXPECT_TRUE(node->find("b")->items[1].is_null());
  EXPECT_EQ(node->find("b")->line, 3);
}

TEST(Yaml, NothingIsAnEmptyMap) {
  for (const auto* text : {"", "\n\n", "# only words\n", "---\n", "\xEF\xBB\xBF"}) {
    const auto node = parse(text, "f");
    ASSERT_TRUE(node) << text;
    EXPECT_TRUE(node->items.empty()) << text;
  }
}

TEST(Yaml, NullIsNotAText) {
  const auto node = parse("a:\nb: ~\nc: null\nd: ''\ne: 'null'\nf: no\n", "f");
  ASSERT_TRUE(node);
  for (const auto* key : {"a", "b", "c"}) EXPECT_TRUE(node->find(key)->is_null()) << key;
  for (const auto* key : {"d", "e", "f"}) EXPECT_FALSE(node->find(key)->is_null()) << key;
}

TEST(Yaml, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("a: 1\nb: 2\na: 3\n"), "f.yml:3: key 'a' is already set in line 1");
  EXPECT_EQ(error_of("x:\n  a: 1\n  a: 2\n"), "f.yml:3: key 'a' is already set in line 2");
  EXPECT_EQ(error_of("a: 1\nb: \xE9t\xE9\n"), "f.yml:2: not valid UTF-8");
  EXPECT_EQ(error_of("a: 1\nb: x\x04y\nc: 1\n"), "f.yml:2: control character 0x04");
  EXPECT_EQ(error_of(std::string_view("a: \0b", 5)), "f.yml:1: control character 0x00");
  EXPECT_EQ(error_of("a:\n\tb: 1\n"), "f.yml:2: tabs cannot be used for indentation; use spaces");
  EXPECT_EQ(error_of("a:\n  - x\n\t- y\n"),
            "f.yml:3: tabs cannot be used for indentation; use spaces");
  EXPECT_EQ(error_of("a: b: c\n"), "f.yml:1: not valid YAML: illegal map value");
  EXPECT_EQ(error_of("a: 1\n---\nb: 2\n"), "f.yml:2: more than one document");
  EXPECT_EQ(error_of("\"a\":1"), "f.yml:1: more than one document");
  EXPECT_EQ(error_of("? [a]\n: b\n"), "f.yml:1: a key must be a single text");
  EXPECT_EQ(error_of("a: &x [*x]\n"), "f.yml:1: an alias refers to the value that contains it");
  EXPECT_EQ(error_of("a: !python/object x\n"),
            "f.yml:1: tags (words that begin with '!') are not supported");
}

TEST(Yaml, ATabInsideATextIsFine) {
  const auto node = parse("a: |\n  \tindented\n  x\ty\n", "f");
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->find("a")->text, "\tindented\nx\ty\n");
}

TEST(Yaml, AliasesRepeatTheirValue) {
  const auto node = parse("a: &x [1, 2]\nb: *x\n", "f");
  ASSERT_TRUE(node) << node.error().message;
  ASSERT_EQ(node->find("b")->items.size(), 2u);
  EXPECT_EQ(node->find("b")->items[1].text, "2");
  EXPECT_EQ(node->find("b")->line, 2);
}

TEST(Yaml, DeepNestingIsRefused) {
  for (const auto* piece : {"[", "{", "{a: ", "[{b: ", "- ", "[\n"}) {
    const auto message = error_of(repeated(piece, 10'000));
    EXPECT_NE(message.find("nested too deeply"), std::string::npos) << piece << message;
  }
  EXPECT_TRUE(parse(repeated("[", 100) + repeated("]", 100), "f"));
  EXPECT_FALSE(parse(repeated("[", 101) + repeated("]", 101), "f"));
}

TEST(Yaml, TooMuchIsRefused) {
  EXPECT_NE(error_of(std::string(kMaxBytes + 1, 'a')).find("too large"), std::string::npos);
  EXPECT_NE(error_of(repeated("- a\n", kMaxNodes + 1)).find("too many values"), std::string::npos);
  EXPECT_NE(error_of(repeated("- []\n", kMaxNodes + 1)).find("too many values"), std::string::npos);
  const auto laughs = "a: &x " + std::string(500'000, 'l') + "\nb: [" + repeated("*x, ", 50) + "]";
  EXPECT_NE(error_of(laughs).find("too many values"), std::string::npos);
}

TEST(Yaml, TextsThatSendYamlCppIntoAnEndlessLoopEnd) {
  for (const auto* text : {",", "{a: b},", "[a,b]\n,[a,b]\n,", "]", "}"}) {
    EXPECT_FALSE(parse(text, "f")) << text;
  }
}

TEST(Yaml, AQuoteThatIsNotClosedSwallowsNothing) {
  for (const auto* text :
       {"model: \"sonnet\nmax_cost: 5\n", "model: 'sonnet\nmax_cost: 5\n", "model: \"sonnet",
        "model: &a \"sonnet\nmax_cost: 5", "model: \"sonnet\nmax_cost: 5\n#\"\n",
        "model: \"a\\\"\nmax_cost: 5\n", "model: 'it''s\nmax_cost: 5\n"}) {
    EXPECT_NE(error_of(text).find("f.yml:1: the quote opened here is not closed"),
              std::string::npos)
        << text << error_of(text);
  }
  EXPECT_NE(
      error_of("# \xc3\xa4\r\nb: '\xc3\xa4'\r\na: \"x\r\nc: 1\r\n").find("f.yml:3: the quote"),
      std::string::npos);
}

TEST(Yaml, AQuotedTextMayGoOnInIndentedLines) {
  const auto node =
      parse("# \xc3\xa4\na: \"one\n  two\"\nb: 'it''s'\nc: don't\nd: \"\"\ne: \"\\\"\"\n", "f");
  ASSERT_TRUE(node) << node.error().message;
  EXPECT_EQ(node->find("a")->text, "one two");
  EXPECT_EQ(node->find("b")->text, "it's");
  EXPECT_EQ(node->find("c")->text, "don't");
  EXPECT_EQ(node->find("e")->text, "\"");
}

}  // namespace
}  // namespace ralph::config
