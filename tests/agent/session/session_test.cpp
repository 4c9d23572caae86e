#include "agent/session/session.h"

#include "agent/session/scripted.h"
#include "support/temp_folder.h"

namespace ralph::session {
namespace {

Stamp stamp(std::string agent_id = {}) {
  return {"session-1", "/work", "1.0", "main", "default", std::move(agent_id)};
}

TEST(Session, TheToolListMayChangeBetweenTurns) {
  Scripted scripted;
  scripted.model.reply(says("One."));
  scripted.model.reply(says("Two."));
  scripted.result_of("first");
  EXPECT_EQ(scripted.sink.tools, std::vector<std::string>{"Look"});
  scripted.tools.offered = {"Look", "Touch"};
  scripted.result_of("second");
  EXPECT_EQ(scripted.sink.tools, (std::vector<std::string>{"Look", "Touch"}));
  EXPECT_EQ(scripted.model.asked.at(0).tools, R"([{"name":"Look"}])");
  EXPECT_EQ(scripted.model.asked.at(1).tools, R"([{"name":"Look"},{"name":"Touch"}])");
}

TEST(Session, AChildWorksForACallOfItsParent) {
  const test::TempFolder folder;
  const auto parent_file = folder.path() / "session-1.jsonl";
  const auto child_file = folder.path() / "agent-a1.jsonl";
  Scripted scripted;
  ScriptedModel child_model;
  child_model.reply(says("Found it."));
  const Identity child_identity("session-1", "toolu_1");
  std::string found;
  scripted.tools.before_call = [&](const api::Block& call) {
    EXPECT_EQ(call.id, "toolu_1");
    Opening opening;
    opening.session_id = "session-1";
    opening.transcript.emplace(child_file, stamp("a1"), "");
    auto child = Session::create(scripted.config(), scripted.links(child_identity, child_model),
                                 std::move(opening));
    ASSERT_TRUE(child) << child.error().message;
    const auto answered = (*child)->answer({{.content = text_content("find it")}}, scripted.stop);
    ASSERT_TRUE(answered);
    found = answered->result.text;
  };
  Opening opening;
  opening.transcript.emplace(parent_file, stamp(), "");
  scripted.begin(std::move(opening));
  scripted.model.reply(reply_of({call_block("toolu_1", "Look")}, "tool_use"));
  scripted.model.reply(says("Done."));
  const auto result = scripted.result_of("delegate");

  EXPECT_EQ(found, "Found it.");
  EXPECT_EQ(result.text, "Done.");
  EXPECT_EQ(scripted.sink.story(),
            "started reply:call toolu_1/started toolu_1/reply:text user reply:text");
  // Its own context: neither sees the other's messages.
  EXPECT_FALSE(child_model.asked.at(0).messages.contains("delegate"));
  EXPECT_FALSE(scripted.model.asked.at(1).messages.contains("find it"));
  // One budget: three replies of 15 tokens.
  ASSERT_EQ(scripted.ledger.totals().size(), 1U);
  EXPECT_EQ(scripted.ledger.totals()[0].usage.input_tokens, 30);
  // Each has its transcript; the child's is a side chain.
  const auto child_lines = test::text_of(child_file);
  EXPECT_TRUE(child_lines.contains(R"("isSidechain":true)"));
  EXPECT_FALSE(child_lines.contains(R"("isSidechain":false)"));
  EXPECT_TRUE(child_lines.contains(R"("agentId":"a1")"));
  EXPECT_TRUE(child_lines.contains("find it"));
  const auto parent_lines = test::text_of(parent_file);
  EXPECT_FALSE(parent_lines.contains(R"("isSidechain":true)"));
  EXPECT_FALSE(parent_lines.contains("find it"));
}

TEST(Session, ABudgetThatAChildSpentEndsTheParentsTurn) {
  Scripted scripted;
  scripted.limits.max_budget_usd = 0.001;
  scripted.tools.before_call = [&](const api::Block&) {
    api::Usage usage;
    usage.output_tokens = 1'000'000;
    scripted.ledger.add("claude-sonnet-4-5", usage);
  };
  scripted.model.reply(reply_of({call_block("1", "Look")}, "tool_use"));
  EXPECT_EQ(scripted.result_of("delegate").subtype, ResultSubtype::max_budget);
}

TEST(Session, IsNotMadeWithTheWrongTranscript) {
  const test::TempFolder folder;
  Scripted scripted;
  const auto create = [&](const Identity& identity, const std::string& agent_id) {
    Opening opening;
    opening.session_id = "session-1";
    opening.transcript.emplace(folder.path() / "t.jsonl", stamp(agent_id), "");
    return Session::create(scripted.config(), scripted.links(identity, scripted.model),
                           std::move(opening))
        .has_value();
  };
  const Identity top("session-1"), child("session-1", "toolu_1"), other("session-2");
  EXPECT_TRUE(create(top, ""));
  EXPECT_TRUE(create(child, "a1"));
  EXPECT_FALSE(create(top, "a1"));
  EXPECT_FALSE(create(child, ""));
  EXPECT_FALSE(create(other, ""));
}

TEST(Session, SaysWhenTheTranscriptCannotBeWritten) {
  const test::TempFolder folder;
  Scripted scripted;
  Opening opening;
  folder.write("file", "");
  opening.transcript.emplace(folder.path() / "file" / "t.jsonl", stamp(), "");
  scripted.begin(std::move(opening));
  scripted.model.reply(says("Hello."));
  EXPECT_EQ(scripted.result_of("hi").text, "Hello.");
  EXPECT_EQ(scripted.warnings.size(), 1U);
  EXPECT_TRUE(scripted.sink.story().contains("lost"));
}

}  // namespace
}  // namespace ralph::session
