#include "harness/run/harness.h"

namespace ralph::run {
namespace {

using config::Key;

std::string argv_of(Bench& bench) {
  bench.script(good_turn());
  const auto journal = bench.journal(bench.run());
  const auto begin = journal.find("\"argv\":[");
  return journal.substr(begin, journal.find(']', begin) - begin);
}

TEST(Request, TheToolsOfAModeAreRestrictedAndPermitted) {
  Bench coder;
  const auto coding = argv_of(coder);
  EXPECT_TRUE(coding.contains(R"("--tools","Read,Edit,Write,Bash,Glob,Grep")")) << coding;
  EXPECT_TRUE(coding.contains(R"("--allowedTools","Read,Edit,Write,Bash,Glob,Grep")")) << coding;
  Bench planner;
  planner.flag(Key::mode, {"planner"});
  EXPECT_TRUE(argv_of(planner).contains(R"("--tools","Read,Bash")"));
}

TEST(Request, TheToolsCanBeSaid) {
  Bench bench;
  bench.flag(Key::allowed_tools, {"Read,Grep"});
  EXPECT_TRUE(argv_of(bench).contains(R"("--tools","Read,Grep","--allowedTools","Read,Grep")"));
}

TEST(Request, AnEmptyListOfToolsIsRefused) {
  Bench bench;
  bench.flag(Key::allowed_tools, {" , "});
  bench.flag(Key::prompt, {"x"});
  EXPECT_EQ(bench.request().error().code, Code::usage);
}

TEST(Request, ASessionIdThatIsAnOptionIsRefused) {
  Bench bench;
  bench.flag(Key::prompt, {"x"});
  for (const auto* id : {"--dangerous", "a\nb"}) {
    bench.invocation.resume = id;
    EXPECT_FALSE(bench.request()) << id;
  }
  bench.invocation.resume = "5f2a9c00-0000-4000-8000-000000000001";
  EXPECT_TRUE(bench.request());
}

TEST(Request, ASessionIdThatTheAgentMadeUpIsNotStored) {
  Bench bench;
  bench.script(good_turn("All done.", "--dangerous"));
  bench.run();
  bench.invocation.continue_session = true;
  EXPECT_FALSE(bench.journal(bench.run()).contains("--resume"));
}

TEST(Request, ABackendThatCannotContinueSaysSo) {
  Bench bench;
  bench.flag(Key::command, {"cat"});
  bench.flag(Key::prompt, {"x"});
  bench.invocation.continue_session = true;
  EXPECT_EQ(bench.request().error().code, Code::usage);
}

TEST(Request, EachModeHasItsOwnSession) {
  Bench bench;
  bench.script(good_turn("Planned.", "plan-1"));
  bench.flag(Key::mode, {"planner"});
  bench.run();
  bench.script(good_turn("Coded.", "code-1"));
  bench.flag(Key::mode, {"coder"});
  bench.invocation.continue_session = true;
  EXPECT_FALSE(bench.journal(bench.run()).contains("--resume"))
      << "the planner's session is not the coder's";
}

TEST(Request, ASecretInAPromptIsRefusedUnlessAllowed) {
  const std::string prompt = "Use sk-ant-api03-" + std::string(80, 'A') + " to deploy.";
  Bench bench;
  bench.script(good_turn());
  bench.flag(Key::prompt, {prompt});
  const auto refused = bench.request();
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::usage);
  EXPECT_TRUE(refused.error().message.contains("Anthropic API key"));
  EXPECT_FALSE(refused.error().message.contains("AAAA"));
  bench.flag(Key::allow_secrets);
  auto allowed = bench.request();
  ASSERT_TRUE(allowed);
  const auto ran = bench.run_request(*std::move(allowed));
  EXPECT_TRUE(ran.has("the prompt holds a secret"));
  EXPECT_FALSE(bench.journal(ran).contains("AAAAAAAA")) << "the journal is masked";
}

TEST(Request, TheValueOfASecretVariableIsASecretToo) {
  Bench bench;
  bench.variable("DEPLOY_TOKEN=correct-horse-battery");
  bench.flag(Key::append_system_prompt, {"The token is correct-horse-battery."});
  bench.flag(Key::prompt, {"x"});
  const auto refused = bench.request();
  ASSERT_FALSE(refused);
  EXPECT_TRUE(refused.error().message.contains("system prompt"));
}

TEST(Request, ACommandAloneMeansTheBackendCustom) {
  Bench bench;
  bench.flag(Key::command, {"cat"});
  bench.flag(Key::prompt, {"x"});
  EXPECT_EQ(bench.request()->backend->name, "custom");
}

TEST(Request, TheEnvironmentIsOursPlusTheRequests) {
  Bench bench;
  bench.flag(Key::env, {"GREETING=hello world"});
  bench.script("print-env GREETING\nprint-env CLAUDECODE\nprint-cwd\n" + good_turn());
  const auto ran = bench.run();
  const auto raw = *read_file(ran.report.raw_log);
  EXPECT_TRUE(raw.contains("GREETING=hello world\n")) << raw;
  EXPECT_TRUE(raw.contains("CLAUDECODE is not set")) << raw;
  EXPECT_TRUE(raw.contains(bench.workspace().string() + "\n")) << raw;
}

TEST(Request, TheResultCarriesEverythingARunnerIsAskedFor) {
  Bench bench;
  bench.script(good_turn());
  const auto result = bench.run().result();
  for (const auto* part :
       {R"("session_id":"session-1")", R"("model":"claude-sonnet-5-5")",
        R"("agent_version":"2.1.325")", R"("text":"All done.")", R"("streamed_text":"All done.")",
        R"("usage":{)", R"("cost_usd":0.25)", R"("denials":0)", R"("raw_log":")"}) {
    EXPECT_TRUE(result.contains(part)) << part << "\n" << result;
  }
}

}  // namespace
}  // namespace ralph::run
