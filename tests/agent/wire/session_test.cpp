#include "agent/session/transcript.h"
#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

TEST(Sessions, GoOnWithTheirHistoryIdAndCosts) {
  Bench bench(R"({"steps":[{"text":"A0"},{"text":"A1"}]})");
  const auto first = bench.ask("one");
  const auto second = bench.ask("two", {"--continue"});
  EXPECT_EQ(second.result()["session_id"], first.result()["session_id"]);
  EXPECT_EQ(second.requests.back()["messages"].size(), 3U);
  EXPECT_GT(second.result()["total_cost_usd"].get<double>(),
            first.result()["total_cost_usd"].get<double>());
  EXPECT_EQ(second.result()["result_index"], 0);
  EXPECT_EQ(bench.sessions().size(), 1U);
}

TEST(Sessions, AreFoundByTheirId) {
  Bench bench(R"({"steps":[{"text":"A0"},{"text":"A1"},{"text":"A2"}]})");
  const auto id = bench.ask("one").result().value("session_id", "");
  bench.ask("another");
  const auto ran = bench.ask("two", {"--resume", id});
  EXPECT_EQ(ran.result()["session_id"], id);
  EXPECT_TRUE(texts(ran.requests.back()["messages"][0]).ends_with("one"));
}

TEST(Sessions, AForkHasAnIdOfItsOwnAndLeavesTheOtherAlone) {
  Bench bench(R"({"steps":[{"text":"A0"},{"text":"A1"},{"text":"A2"}]})");
  const auto id = bench.ask("one").result().value("session_id", "");
  const auto before = read_file(bench.sessions().at(0)).value_or("");
  const auto fork = bench.ask("two", {"--resume", id, "--fork-session"});
  EXPECT_NE(fork.result()["session_id"], id);
  EXPECT_EQ(fork.requests.back()["messages"].size(), 3U);
  EXPECT_EQ(bench.sessions().size(), 2U);
  EXPECT_EQ(bench.ask("three", {"--resume", fork.result().value("session_id", "")})
                .requests.back()["messages"]
                .size(),
            5U);
  const auto original = transcript_path(bench.home() / ".claude", bench.work(), id);
  EXPECT_EQ(read_file(original).value_or(""), before);
}

TEST(Sessions, OneThatIsNotThereIsAnErrorInBothLanguages) {
  Bench bench;
  const std::string id = "00000000-0000-4000-8000-000000000001";
  const auto ran = bench.ask("hi", {"--resume", id});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.story(), "result/error_during_execution");
  EXPECT_EQ(ran.result()["errors"][0], "No conversation found with session ID: " + id);
  EXPECT_TRUE(ran.err.contains(id));
  EXPECT_EQ(bench.run({"-p", "hi", "--resume", id}).out, "");
}

TEST(Sessions, GoOnBehindAnError) {
  Bench bench(R"({"steps":[{"error":{"status":403,"message":"no"}},{"text":"yes"}]})");
  bench.ask("first");
  const auto ran = bench.ask("second", {"-c"});
  const auto messages = ran.requests.back()["messages"];
  ASSERT_EQ(messages.size(), 1U);
  const auto said = texts(messages[0]);
  EXPECT_LT(said.find("first"), said.find("second")) << said;
}

TEST(Sessions, ContinueWithoutOneBegins) {
  Bench bench;
  EXPECT_EQ(bench.ask("hi", {"--continue"}).code, 0);
}

TEST(Sessions, AnIdCanBeChosenOnce) {
  Bench bench;
  const std::string id = "11111111-1111-4111-8111-111111111111";
  EXPECT_EQ(bench.ask("hi", {"--session-id", id}).result()["session_id"], id);
  const auto again = bench.ask("hi", {"--session-id", id});
  EXPECT_EQ(again.code, 1);
  EXPECT_TRUE(again.err.contains("already in use")) << again.err;
}

TEST(Sessions, CanBeKeptOutOfTheFiles) {
  Bench bench;
  EXPECT_EQ(bench.ask("hi", {"--no-session-persistence"}).code, 0);
  EXPECT_TRUE(bench.sessions().empty());
}

TEST(Sessions, HaveNames) {
  Bench bench(R"({"steps":[{"text":"A0"},{"text":"A1"}]})");
  const auto first = bench.ask("one", {"--name", "My Session"});
  EXPECT_EQ(first.story(), "system/session_title_changed system/init assistant result/success");
  const auto second = bench.ask("two", {"--resume", "My Session"});
  EXPECT_EQ(second.result()["session_id"], first.result()["session_id"]);
}

TEST(Sessions, ANameThatSeveralHaveIsNoName) {
  Bench bench;
  const auto first = bench.ask("one", {"--name", "Same"}).result().value("session_id", "");
  const auto second = bench.ask("two", {"--name", "same"}).result().value("session_id", "");
  const auto ran = bench.ask("three", {"--resume", "SAME"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("matches 2 sessions")) << ran.err;
  EXPECT_TRUE(ran.err.contains(first) && ran.err.contains(second)) << ran.err;
}

TEST(Sessions, KeepTheSystemPromptTheyBeganWith) {
  Bench bench(R"({"steps":[{"text":"A0"},{"text":"A1"}]})");
  bench.ask("one", {"--system-prompt", "The first."});
  const auto ran = bench.ask("two", {"--continue", "--system-prompt", "The second."});
  EXPECT_EQ(ran.requests.back()["system"][0]["text"], "The first.");
}

/// A session that cannot be kept is no reason to stop working.
TEST(Sessions, ReportsOnceThatTheFileCannotBeWritten) {
  Bench bench;
  bench.folder().write("home/.claude", "a file where a folder belongs");
  const auto ran = bench.ask("hi");
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.result()["result"], "Hello.");
  EXPECT_TRUE(ran.err.contains("session file is incomplete")) << ran.err;
  EXPECT_TRUE(ran.story().contains("system/session_writes_lost"));
}

TEST(StructuredOutput, AValidCallEndsTheTurn) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"StructuredOutput","input":{"summary":"done"}}}]})");
  const auto ran = bench.ask(
      "go",
      {"--tools", "", "--json-schema",
       R"({"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]})"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.requests.size(), 1U);
  EXPECT_EQ(ran.story(), "system/init assistant user result/success");
  EXPECT_EQ(ran.result()["structured_output"]["summary"], "done");
  EXPECT_EQ(ran.result()["result"], R"({"summary":"done"})");
  EXPECT_EQ(ran.events()[0]["tools"], Document({"StructuredOutput"}));
  EXPECT_EQ(ran.requests[0]["tools"][0]["input_schema"]["required"][0], "summary");
}

/// What a client does that wants a form: the agent demands it once, the client up to three times, all in one process.
TEST(StructuredOutput, TheClientsCorrectionsWork) {
  Bench bench(R"({"steps":[{"text":"no so 1"},{"text":"no so 2"},
      {"tool_use":{"name":"StructuredOutput","input":{"summary":5}}},
      {"tool_use":{"name":"StructuredOutput","input":{"summary":"third time"}}}]})");
  bench.set("MAX_THINKING_TOKENS=16384");
  bench.say("go");
  bench.when("no so 2\",\"stop_reason\":\"end_turn\"", [](Bench& it) {
    it.say(
        R"(You must use the StructuredOutput tool. Return: {"summary": "what you accomplished"})");
    it.hang_up();
  });
  const auto ran = bench.run(
      {"-p", "--model", "sonnet", "--tools",
       "Read,Write,Edit,Glob,Grep,Bash,Skill,StructuredOutput", "--verbose", "--input-format",
       "stream-json", "--output-format", "stream-json", "--json-schema",
       R"({"type":"object","properties":{"summary":{"type":"string"}},"required":["summary"]})"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.story(),
            "system/init assistant user assistant result/success "
            "system/init assistant user assistant user result/success");
  const auto results = ran.of_type("result");
  EXPECT_FALSE(results[0].contains("structured_output"));
  EXPECT_EQ(results[1]["structured_output"]["summary"], "third time");
  EXPECT_EQ(ran.of_type("user")[1]["message"]["content"][0]["content"],
            "Output does not match required schema: /summary: must be string");
}

TEST(StructuredOutput, FiveBadCallsAreEnough) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"StructuredOutput","input":{"summary":5}}}]})");
  const auto ran = bench.ask(
      "go", {"--json-schema", R"({"type":"object","properties":{"summary":{"type":"string"}}})"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_EQ(ran.requests.size(), 5U);
  EXPECT_EQ(ran.result()["subtype"], "error_max_structured_output_retries");
  EXPECT_EQ(ran.result()["terminal_reason"], "structured_output_retry_exhausted");
}

TEST(StructuredOutput, AnInvalidSchemaIsAnError) {
  for (const auto* schema : {"nonsense", "[]", R"({"type":"strnig"})"}) {
    const auto ran = Bench().ask("go", {"--json-schema", schema});
    EXPECT_EQ(ran.code, 1) << schema;
    EXPECT_EQ(ran.out, "") << schema;
    EXPECT_FALSE(ran.err.empty()) << schema;
  }
}

}  // namespace
}  // namespace ralph::wire
