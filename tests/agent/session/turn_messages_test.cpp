#include "agent/session/turn_messages.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

/// The messages of a turn that has not begun.
struct MessageParts {
  explicit MessageParts(std::vector<UserMessage> given)
      : state(scripted.state()), messages(state, stats, hooks, std::move(given)) {
    scripted.inbox.push(prompt("earlier", ""));  // the agent is at work
    scripted.inbox.next({});
  }
  void answer_hooks(std::deque<hook::Answer> answers) {
    scripted.hooks.answers[hook::Event::user_prompt_submit] = std::move(answers);
  }
  /// What the model would read.
  std::string conversation() const {
    std::string all;
    for (const auto& message : state.conversation.messages()) all += message.content;
    return all;
  }

  Scripted scripted;
  SessionState state;
  TurnStats stats;
  TurnHooks hooks{state};
  TurnMessages messages;
};

TEST(TurnMessages, ReportsEachStartOnce) {
  auto known = prompt("second", "u2");
  known.started = true;
  MessageParts parts({prompt("first", "u1"), known, prompt("third", "")});
  parts.messages.begin();
  EXPECT_EQ(parts.scripted.sink.story(), "started:u1");
  EXPECT_EQ(parts.messages.answered(), (MessageIds{"u1", "u2"}));
}

TEST(TurnMessages, TheLastMessageIsThePrompt) {
  MessageParts parts({prompt("first", "u1"), prompt("second", "u2")});
  ASSERT_TRUE(std::holds_alternative<TurnMessages::Added>(parts.messages.add({})));
  EXPECT_EQ(parts.messages.prompt_uuid(), "u2");
  EXPECT_EQ(parts.conversation(),
            R"([{"type":"text","text":"first"},{"type":"text","text":"second"}])");
}

TEST(TurnMessages, TheTextOfAHookFollowsItsMessage) {
  MessageParts parts({prompt("first", "u1"), prompt("second", "u2")});
  parts.answer_hooks({{.contexts = {"of the hook"}}, {}});
  parts.messages.add({});
  EXPECT_EQ(parts.conversation(),
            R"([{"type":"text","text":"first"},{"type":"text","text":"of the hook"},)"
            R"({"type":"text","text":"second"}])");
}

TEST(TurnMessages, PutsBackWhatIsBehindTheMessageThatEndsTheTurn) {
  MessageParts parts({prompt("first", "u1"), prompt("second", "u2"), prompt("third", "u3")});
  parts.answer_hooks({{}, {.stop = "enough"}});
  parts.messages.begin();
  const auto outcome = parts.messages.add({});
  ASSERT_TRUE(std::holds_alternative<TurnMessages::Stopped>(outcome));
  EXPECT_EQ(std::get<TurnMessages::Stopped>(outcome).answer.stop, "enough");
  EXPECT_EQ(parts.messages.answered(), (MessageIds{"u1", "u2"}));
  const auto waiting = parts.scripted.inbox.take_pending();
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].uuid, "u3");
  EXPECT_TRUE(waiting[0].started) << "its start was reported";
}

TEST(TurnMessages, PutsBackFoldedInMessages) {
  MessageParts parts({prompt("first", "u1")});
  parts.messages.begin();
  for (const auto* id : {"u2", "u3"}) parts.scripted.inbox.push(prompt("more", id));
  parts.answer_hooks({{.blocked = true, .failed = true, .reason = "broken"}});
  const auto outcome = parts.messages.fold_in({});
  ASSERT_TRUE(std::holds_alternative<TurnMessages::Stopped>(outcome));
  EXPECT_TRUE(std::get<TurnMessages::Stopped>(outcome).answer.failed);
  EXPECT_EQ(parts.messages.answered(), MessageIds{"u1"});
  EXPECT_EQ(parts.messages.folded_in(), MessageIds{"u2"});
  EXPECT_EQ(parts.scripted.inbox.waiting(), MessageIds{"u3"});
}

/// The user means all messages of a turn that has asked nothing yet; later ones were sent to a turn at work.
TEST(TurnMessages, AnInterruptDropsMessagesOnlyBeforeTheFirstRequest) {
  for (const int requests : {0, 1}) {
    MessageParts parts({prompt("first", "u1"), prompt("second", "u2")});
    parts.stats.requests = requests;
    parts.answer_hooks({{.blocked = true, .reason = "cancelled"}});
    parts.messages.begin();
    std::stop_source interrupt;
    interrupt.request_stop();
    const auto outcome = parts.messages.add(interrupt.get_token());
    EXPECT_TRUE(std::holds_alternative<TurnMessages::Stopped>(outcome));
    EXPECT_EQ(parts.scripted.inbox.waiting().size(), requests == 0 ? 0U : 1U) << requests;
    EXPECT_EQ(parts.messages.answered().size(), requests == 0 ? 2U : 1U) << requests;
  }
}

TEST(TurnMessages, AreBlockedOnlyIfNoneIsLeft) {
  for (const bool second_too : {false, true}) {
    MessageParts parts({prompt("first", "u1"), prompt("second", "u2")});
    parts.answer_hooks(
        {{.blocked = true, .reason = "no"}, {.blocked = second_too, .reason = "not this"}});
    const auto outcome = parts.messages.add({});
    const auto* const blocked = std::get_if<TurnMessages::Blocked>(&outcome);
    EXPECT_EQ(blocked != nullptr, second_too);
    if (blocked != nullptr) {
      EXPECT_EQ(blocked->text,
                "UserPromptSubmit operation blocked by hook:\nnot this\n\nOriginal prompt: second");
    }
  }
}

TEST(TurnMessages, TheEndOfATaskAsksNoHook) {
  auto ended = prompt("the task has ended", "");
  ended.notification = true;
  MessageParts parts({ended});
  parts.answer_hooks({{.stop = "enough"}});
  EXPECT_TRUE(parts.messages.of_task());
  EXPECT_TRUE(std::holds_alternative<TurnMessages::Added>(parts.messages.add({})));
  EXPECT_TRUE(parts.scripted.hooks.ran.empty());
}

}  // namespace
}  // namespace ralph::session
