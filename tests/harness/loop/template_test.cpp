#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "harness/loop/builtin_template.h"
#include "harness/loop/prompt.h"

namespace ralph::loop {
namespace {

std::string filled(std::string text, const std::vector<Template::Value>& values) {
  const auto form = Template::parse(std::move(text), "t.md");
  return form ? form->fill(values) : "error: " + form.error().message;
}

std::string error_of(std::string text) {
  const auto form = Template::parse(std::move(text), "t.md");
  return form ? "" : form.error().message;
}

TEST(Template, PutsPartsIn) {
  EXPECT_EQ(filled("a {{goal}} b {{ goal }}{{history}}", {{"goal", "G"}}), "a G b G");
  EXPECT_EQ(filled("", {}), "");
}

TEST(Template, SectionsAreThereOnlyWithTheirPart) {
  const std::string text = "[{{#goal}}yes {{goal}}{{/goal}}{{^goal}}no{{/goal}}]";
  EXPECT_EQ(filled(text, {{"goal", "G"}}), "[yes G]");
  EXPECT_EQ(filled(text, {}), "[no]");
}

TEST(Template, SectionsNest) {
  const std::string text =
      "{{#goal}}a{{#history}}b{{/history}}{{^commits}}c{{/commits}}d{{/goal}}e";
  EXPECT_EQ(filled(text, {{"goal", "1"}, {"history", "1"}}), "abcde");
  EXPECT_EQ(filled(text, {{"goal", "1"}, {"commits", "1"}}), "ade");
  EXPECT_EQ(filled(text, {{"history", "1"}}), "e");
}

TEST(Template, WhatIsPutInIsNotLookedAtAgain) {
  EXPECT_EQ(filled("{{goal}}{{history}}", {{"goal", "{{history}}{{"}, {"history", "h"}}),
            "{{history}}{{h");
}

TEST(Template, ALineWithOnlyASectionsTagIsNotInTheText) {
  EXPECT_EQ(filled("a\n  {{#goal}}  \nb\n{{/goal}}\nc\n", {{"goal", "G"}}), "a\nb\nc\n");
  EXPECT_EQ(filled("a\n{{#goal}}\nb\n{{/goal}}\nc\n", {}), "a\nc\n");
  EXPECT_EQ(filled("a\r\n{{#goal}}\r\nb\r\n{{/goal}}", {{"goal", "G"}}), "a\r\nb\r\n");
  EXPECT_EQ(filled("{{#goal}}\n{{/goal}}\n{{#goal}}\n{{/goal}}", {{"goal", "G"}}), "");
  EXPECT_EQ(filled("{{goal}}\nb", {}), "\nb") << "a part's line stays";
  EXPECT_EQ(filled("a {{#goal}}\nb{{/goal}}", {{"goal", "G"}}), "a \nb");
}

TEST(Template, ErrorsNameFileAndLine) {
  EXPECT_EQ(error_of("a\nb {{gaol}}"), "t.md:2: 'gaol' is not a part of the prompt");
  EXPECT_EQ(error_of("{{#goal}}\n\nx\n{{nothing}}"),
            "t.md:4: 'nothing' is not a part of the prompt");
  EXPECT_EQ(error_of("a\n\n{{goal"), "t.md:3: '{{' without '}}' on its line");
  EXPECT_EQ(error_of("{{go\nal}}"), "t.md:1: '{{' without '}}' on its line");
  EXPECT_EQ(error_of("\n{{#goal}}\n{{#history}}{{/history}}\n"),
            "t.md:2: the section 'goal' is not closed");
  EXPECT_TRUE(error_of("\n{{/goal}}").starts_with("t.md:2: {{/goal}} ends a section"));
  EXPECT_TRUE(
      error_of("{{#goal}}{{#history}}{{/goal}}{{/history}}").starts_with("t.md:1: {{/goal}}"));
  EXPECT_TRUE(error_of("{{}}").starts_with("t.md:1: ''"));
}

TEST(Template, TheHintListsTheParts) {
  const auto form = Template::parse("{{gaol}}", "t.md");
  ASSERT_FALSE(form);
  EXPECT_NE(form.error().hint.find("goal, agents_md"), std::string::npos);
}

TEST(Template, KnowsWhichPartsItHas) {
  const auto form = Template::parse("{{#goal}}{{ history }}{{/goal}}", "t.md");
  ASSERT_TRUE(form);
  EXPECT_TRUE(form->has("history"));
  EXPECT_FALSE(form->has("goal")) << "a section alone does not show it";
}

TEST(Template, TheBuiltInOneHasEveryPart) {
  ASSERT_TRUE(Template::parse(std::string(builtin_template()), "built-in"));
  for (const std::string name : {"iteration", "goal", "agents_md", "history", "verification",
                                 "guidance", "verify_commands", "answer"}) {
    EXPECT_NE(builtin_template().find("{{" + name + "}}"), std::string::npos) << name;
  }
}

/// What the documentation says is true: it names every part, and its example is a template.
TEST(Template, TheDocumentationKnowsThemAll) {
  const auto page = read_file(RALPH_FIXTURES "/../../docs/prompt-template.md");
  ASSERT_TRUE(page);
  std::string names = Template::parse("{{gaol}}", "t.md").error().hint;
  names.erase(0, names.find(": ") + 2);
  for (std::size_t at = 0; at < names.size();) {
    const auto end = std::min(names.find(", ", at), names.size());
    const auto name = names.substr(at, end - at);
    EXPECT_NE(page->find("| `" + name + "` |"), page->npos) << name;
    at = end + 2;
  }
  const std::string_view fence = "```markdown\n";
  const auto begin = page->find(fence);
  ASSERT_NE(begin, page->npos);
  const auto example =
      page->substr(begin + fence.size(), page->find("\n```", begin) - begin - fence.size());
  const auto form = Template::parse(example, "example");
  ASSERT_TRUE(form) << form.error().message;
  EXPECT_NE(form->fill({{"goal", "GOAL"}}).find("# The goal\n\nGOAL\n"), std::string::npos);
}

}  // namespace
}  // namespace ralph::loop
