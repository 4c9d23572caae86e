// The program under the name `claude`, called as clients of Claude Code call it.
#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

constexpr std::string_view kCorrection =
    R"(You must use the StructuredOutput tool. Return: {"summary": "what you accomplished"})";
/// An answer that forgets the tool, again when it is reminded, and then remembers it.
constexpr std::string_view kForgetful = R"({"steps":[
    {"text":"All is well."},
    {"text":"All is well, really."},
    {"tool_use":{"name":"StructuredOutput","input":{"summary":"did it"}}},
    {"text":"Told."}]})";

struct AgentCall {
  std::string_view command, model;
};

TEST(AgentAsClaude, WhatRalphRunsDoes) {
  for (const auto& [script, model] :
       {AgentCall{kWorker, "claude-sonnet"}, AgentCall{kSummarizer, "claude-haiku"}}) {
    Stage stage(kForgetful);
    auto login = stage.command({ralph(), "auth", "login"});
    login.input = process::StdinText{"sk-ant-stored-key\n"};
    ASSERT_EQ(stage.run(login).code(), 0);

    auto command = stage.command({"/bin/sh", "-c", std::string(script)});
    command.input = process::StdinOpen{};
    const auto ran = stage.converse(command, {user_line("Do it."), user_line(kCorrection)});
    EXPECT_EQ(ran.code(), 0) << ran.err;
    expect_understood(ran.out);
    auto results = ran.of_type("result");
    ASSERT_EQ(results.size(), 2U) << ran.out;
    EXPECT_FALSE(results[0].contains("structured_output")) << results[0];
    EXPECT_EQ(results[1]["structured_output"], (Document{{"summary", "did it"}}));
    for (const auto* name : {"input_tokens", "output_tokens", "cache_read_input_tokens",
                             "cache_creation_input_tokens"}) {
      EXPECT_TRUE(results[1]["usage"].contains(name)) << name;
    }
    EXPECT_EQ(ran.of_type("system", "init").front()["session_id"], results[1]["session_id"]);

    auto requests = stage.requests();
    ASSERT_GE(requests.size(), 3U);
    EXPECT_TRUE(requests[0]["body"]["model"].get<std::string>().starts_with(model));
    EXPECT_TRUE(requests[0]["headers"].contains("x-api-key")) << requests[0]["headers"];
    EXPECT_TRUE(json::write(requests[2]["body"]["messages"]).contains("You must use the Struct"));
  }
}

TEST(AgentAsClaude, NobodyIsLoggedIn) {
  Stage stage;
  auto command = stage.command({"/bin/sh", "-c", std::string(kWorker)});
  command.input = process::StdinOpen{};
  const auto ran = stage.converse(command, {user_line("Do it.")});
  EXPECT_EQ(ran.code(), 1);
  EXPECT_EQ(ran.result()["is_error"], true);
  EXPECT_TRUE(stage.requests().empty());
  expect_understood(ran.out);
}

TEST(AgentAsClaude, SaysWhichVersionItStandsInFor) {
  const Stage stage;
  for (const auto* option : {"--version", "-v"}) {
    const auto ran = stage.run(stage.command({"claude", option}));
    EXPECT_EQ(ran.code(), 0);
    EXPECT_TRUE(ran.out.starts_with("2.1.325 (Claude Code")) << ran.out;
  }
}

TEST(AgentAsClaude, ListsItsOptions) {
  const Stage stage;
  const auto ran = stage.run(stage.command({"claude", "--help"}));
  EXPECT_EQ(ran.code(), 0);
  for (const auto* option : {"--print", "--model", "--json-schema", "--resume"}) {
    EXPECT_TRUE(ran.out.contains(option)) << option;
  }
}

}  // namespace
}  // namespace ralph::agent_process
