#include "agent/session/scripted.h"
#include "agent/session/session.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

/// The parent's model calls a tool once; the call is answered by a child session.
class ChildSession : public ::testing::Test {
 protected:
  ChildSession() {
    parent_.model.reply(reply_of({call_block("toolu_1", "Look")}, "tool_use"));
    parent_.tools.before_call = [this](const api::Block& call) {
      EXPECT_EQ(call.id, "toolu_1");
      answered_ = child_.ask("find it", std::move(child_start_));
    };
  }

  Scripted parent_;
  ScriptedChild child_{parent_};
  SessionStart child_start_;
  std::optional<TurnReport> answered_;
};

TEST_F(ChildSession, AnswersWithItsOwnContextAndNamesTheCallInItsEvents) {
  child_.model.reply(says("Found it."));
  parent_.model.reply(says("Done."));
  EXPECT_EQ(parent_.result_of("delegate").text, "Done.");
  ASSERT_TRUE(answered_);
  EXPECT_EQ(answered_->result.text, "Found it.");
  EXPECT_EQ(parent_.sink.story(),
            "started reply:call toolu_1/started toolu_1/reply:text user reply:text");
  EXPECT_FALSE(child_.model.asked.at(0).messages.contains("delegate"));
  EXPECT_FALSE(parent_.model.asked.at(1).messages.contains("find it"));
}

TEST_F(ChildSession, WritesASideChain) {
  const test::TempFolder folder;
  const auto parent_file = folder.path() / "session-1.jsonl";
  const auto child_file = folder.path() / "agent-a1.jsonl";
  const Stamp stamp{"session-1", "/work", "1.0", "main", "default"};
  auto child_stamp = stamp;
  child_stamp.agent_id = "a1";
  child_start_.transcript.emplace(child_file, child_stamp, "");
  SessionStart start;
  start.transcript.emplace(parent_file, stamp, "");
  parent_.begin(std::move(start));
  child_.model.reply(says("Found it."));
  parent_.model.reply(says("Done."));
  parent_.result_of("delegate");

  const auto child_lines = test::text_of(child_file);
  EXPECT_TRUE(child_lines.contains(R"("isSidechain":true)"));
  EXPECT_FALSE(child_lines.contains(R"("isSidechain":false)"));
  EXPECT_TRUE(child_lines.contains(R"("agentId":"a1")"));
  EXPECT_TRUE(child_lines.contains("find it"));
  const auto parent_lines = test::text_of(parent_file);
  EXPECT_FALSE(parent_lines.contains(R"("isSidechain":true)"));
  EXPECT_FALSE(parent_lines.contains("find it"));
}

TEST_F(ChildSession, ChargesItsParentsLedger) {
  child_.model.reply(says("Found it."));
  parent_.model.reply(says("Done."));
  parent_.result_of("delegate");
  ASSERT_EQ(parent_.ledger.totals().size(), 1U);
  EXPECT_EQ(parent_.ledger.totals()[0].usage.input_tokens, 30) << "three replies of 10";
}

TEST_F(ChildSession, ABudgetItSpentEndsTheParentsTurn) {
  parent_.limits.max_budget_usd = 1;
  auto expensive = says("Found it.");
  expensive.usage.output_tokens = 1'000'000;
  child_.model.reply(expensive);
  EXPECT_EQ(parent_.result_of("delegate").subtype, ResultSubtype::max_budget);
  ASSERT_TRUE(answered_);
  EXPECT_EQ(answered_->result.subtype, ResultSubtype::max_budget);
}

TEST_F(ChildSession, RunsItsOwnToolsAndLeavesTheParentsMessagesAlone) {
  // The parent's inbox hands the first message to an idle agent: it must be at work.
  parent_.inbox.push({.content = text_content("first")});
  ASSERT_EQ(parent_.inbox.next({}).size(), 1U);
  child_.tools.offered = {"Search"};
  child_.tools.before_call = [this](const api::Block& call) {
    EXPECT_EQ(call.name, "Search");
    parent_.inbox.push({.content = text_content("also this"), .uuid = "u2"});
  };
  child_.model.reply(reply_of({call_block("toolu_2", "Search")}, "tool_use"));
  child_.model.reply(says("Found it."));
  parent_.model.reply(says("Both."));
  const auto answered = parent_.ask("delegate", "u1");
  ASSERT_TRUE(answered && answered_);
  EXPECT_EQ(child_.model.asked.at(0).tools, R"([{"name":"Search"}])");
  EXPECT_FALSE(child_.model.asked.at(1).messages.contains("also this"));
  EXPECT_TRUE(parent_.model.asked.at(1).messages.contains("also this"));
  EXPECT_EQ(answered_->folded_in, MessageIds{});
  EXPECT_EQ(answered->folded_in, MessageIds{"u2"});
}

TEST_F(ChildSession, AnInterruptEndsBothTurns) {
  child_.model.steps.push_back([this](api::Listener&) {
    parent_.control.interrupt();
    return ScriptedModel::fails({.kind = api::FailureKind::cancelled});
  });
  const auto result = parent_.result_of("delegate");
  ASSERT_TRUE(answered_);
  EXPECT_EQ(answered_->result.terminal_reason, TerminalReason::aborted_streaming);
  EXPECT_EQ(result.terminal_reason, TerminalReason::aborted_tools);
}

TEST_F(ChildSession, CompactsItsOwnConversationOnly) {
  auto full = reply_of({call_block("toolu_2", "Look")}, "tool_use");
  full.usage.input_tokens = 199'000;
  child_.model.reply(full);
  child_.model.reply(says("<summary>Half way.</summary>"));
  child_.model.reply(says("Found it."));
  parent_.model.reply(says("Done."));
  parent_.result_of("delegate");
  EXPECT_TRUE(child_.model.asked.at(2).messages.contains("Half way."));
  EXPECT_TRUE(parent_.sink.story().contains("toolu_1/boundary"));
  EXPECT_FALSE(parent_.sink.story().contains(" boundary"));
  EXPECT_TRUE(parent_.model.asked.at(1).messages.contains("delegate"));
}

}  // namespace
}  // namespace ralph::session
