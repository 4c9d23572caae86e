#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

/// The content of a message is a string, or blocks and strings.
TEST(TurnHooks, APromptHookSeesTheWholePromptInEachForm) {
  for (const auto* original :
       {R"("delete it")", R"(["delete it"])", R"([{"type":"text","text":"delete it"}])"}) {
    Scripted scripted;
    scripted.hooks.answers[hook::Event::user_prompt_submit] = {{.blocked = true, .reason = "no"}};
    scripted.begin().answer({{.content = text_content("expanded"), .original = original}},
                            scripted.control.begin_turn());
    ASSERT_EQ(scripted.hooks.ran.size(), 1U);
    EXPECT_EQ(scripted.hooks.ran[0], R"(UserPromptSubmit  {"prompt":"delete it"})");
    EXPECT_TRUE(scripted.model.asked.empty());
  }
}

TEST(TurnHooks, TheReportOfABlockedPromptNamesIt) {
  Scripted scripted;
  scripted.hooks.answers[hook::Event::user_prompt_submit] = {{.blocked = true, .reason = "no"}};
  const auto answered =
      scripted.begin().answer({{.content = text_content("expanded"), .original = R"("delete it")"}},
                              scripted.control.begin_turn());
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->result.text,
            "UserPromptSubmit operation blocked by hook:\nno\n\nOriginal prompt: delete it");
}

}  // namespace
}  // namespace ralph::session
