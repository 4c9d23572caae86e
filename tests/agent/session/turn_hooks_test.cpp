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

TEST(TurnHooks, ABlockedMessageIsLeftOutAndTheOthersAreAnswered) {
  Scripted scripted;
  scripted.hooks.answers[hook::Event::user_prompt_submit] = {
      {}, {.blocked = true, .reason = "no"}, {}};
  scripted.model.reply(says("Done."));
  const auto answered = scripted.begin().answer(
      {prompt("first", "u1"), prompt("secret", "u2"), prompt("third", "u3")},
      scripted.control.begin_turn());
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->result.text, "Done.");
  EXPECT_EQ(answered->messages, (MessageIds{"u1", "u2", "u3"}));
  const auto& asked = scripted.model.asked.at(0).messages;
  EXPECT_TRUE(asked.contains("first") && asked.contains("third")) << asked;
  EXPECT_FALSE(asked.contains("secret"));
}

TEST(TurnHooks, MessagesBehindTheOneThatEndsTheTurnWaitForTheNext) {
  const hook::Answer endings[] = {{.stop = "enough"},
                                  {.blocked = true, .failed = true, .reason = "broken"}};
  for (const auto& ending : endings) {
    Scripted scripted;
    scripted.hooks.answers[hook::Event::user_prompt_submit] = {ending};
    auto& session = scripted.begin();
    const auto answered = session.answer({prompt("first", "u1"), prompt("second", "u2")},
                                         scripted.control.begin_turn());
    ASSERT_TRUE(answered);
    EXPECT_EQ(answered->messages, MessageIds{"u1"}) << "u2 is not answered";
    EXPECT_EQ(answered->result.answers, MessageIds{"u1"});
    EXPECT_EQ(scripted.inbox.waiting(), MessageIds{"u2"});
    scripted.model.reply(says("Done."));
    const auto next = session.answer(scripted.inbox.take_pending(), scripted.control.begin_turn());
    ASSERT_TRUE(next);
    EXPECT_EQ(next->messages, MessageIds{"u2"});
    EXPECT_TRUE(scripted.model.asked.at(0).messages.contains("second"));
    EXPECT_EQ(scripted.sink.story().find("started:u2"), scripted.sink.story().rfind("started:u2"));
  }
}

TEST(TurnHooks, AnInterruptedTurnAnswersNoneOfItsMessages) {
  Scripted scripted;
  scripted.hooks.answers[hook::Event::user_prompt_submit] = {
      {.blocked = true, .failed = true, .reason = "cancelled"}};
  auto& session = scripted.begin();
  const auto stop = scripted.control.begin_turn();
  scripted.control.interrupt();
  const auto answered = session.answer({prompt("first", "u1"), prompt("second", "u2")}, stop);
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->messages, (MessageIds{"u1", "u2"}));
  EXPECT_TRUE(scripted.inbox.waiting().empty());
}

TEST(TurnHooks, ABlockedMessageDoesNotEndTheTurnItArrivesIn) {
  Scripted scripted;
  scripted.tools.before_call = [&](const api::Block&) {
    scripted.inbox.push(prompt("secret", "u2"));
    scripted.inbox.push(prompt("third", "u3"));
  };
  scripted.inbox.push(prompt("first", ""));  // the agent is at work
  ASSERT_EQ(scripted.inbox.next({}).size(), 1U);
  scripted.hooks.answers[hook::Event::user_prompt_submit] = {
      {}, {.blocked = true, .reason = "no"}, {}};
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  scripted.model.reply(says("Done."));
  const auto answered = scripted.ask("look", "u1");
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->result.text, "Done.");
  EXPECT_EQ(answered->folded_in, (MessageIds{"u2", "u3"}));
  const auto& asked = scripted.model.asked.at(1).messages;
  EXPECT_TRUE(asked.contains("third") && !asked.contains("secret")) << asked;
}

TEST(TurnHooks, AHookThatStopsATurnLeavesLaterMessagesInTheInbox) {
  Scripted scripted;
  scripted.tools.before_call = [&](const api::Block&) {
    scripted.inbox.push(prompt("second", "u2"));
    scripted.inbox.push(prompt("third", "u3"));
  };
  scripted.inbox.push(prompt("first", ""));  // the agent is at work
  ASSERT_EQ(scripted.inbox.next({}).size(), 1U);
  scripted.hooks.answers[hook::Event::user_prompt_submit] = {{}, {.stop = "enough"}};
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  const auto answered = scripted.ask("look", "u1");
  ASSERT_TRUE(answered);
  EXPECT_EQ(answered->result.text, "enough");
  EXPECT_EQ(answered->folded_in, MessageIds{"u2"});
  EXPECT_EQ(scripted.inbox.waiting(), MessageIds{"u3"});
}

}  // namespace
}  // namespace ralph::session
