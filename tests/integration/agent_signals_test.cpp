// Signals and standard descriptors of our agent, as those who start it meet them.
#include "integration/agent_harness.h"

namespace ralph::agent_process {
namespace {

using process::RunHandle;

/// Some words come, then the stream hangs.
constexpr std::string_view kHanging =
    R"({"steps":[{"text":"word word ","trouble":{"at":"in_block","do":"silence"}},{"text":"after"}]})";

/// Sends a signal once, when the agent has printed this.
Stage::OnOutput signal_at(std::string_view text, int number) {
  return [text, number, sent = false](std::string_view so_far, RunHandle& watch) mutable {
    if (!so_far.contains(text) || std::exchange(sent, true)) return;
    watch.send_signal(number);
  };
}

struct SignalCase {
  int number;
  int code;
  std::size_t results;
};

TEST(AgentSignals, EachHasItsExitCode) {
  for (const auto& [number, code, results] :
       {SignalCase{SIGINT, 130, 1}, SignalCase{SIGTERM, 143, 0}, SignalCase{SIGHUP, 129, 0}}) {
    Stage stage(kHanging);
    const auto ran = stage.run(stage.agent({"hi", "--include-partial-messages"}),
                               signal_at("word word", number));
    EXPECT_EQ(ran.code(), code);
    EXPECT_EQ(ran.of_type("result").size(), results);
    expect_understood(ran.out);
    EXPECT_EQ(stage.ask("again", {"--continue"}).code(), 0) << "after signal " << number;
  }
}

TEST(AgentSignals, TheExitCodeOfAnInterruptCanBeTheOriginals) {
  Stage stage(kHanging);
  auto command = stage.agent({"hi", "--include-partial-messages"});
  command.env.push_back({"RALPH_AGENT_SIGINT_EXIT", "0"});
  const auto ran = stage.run(command, signal_at("word word", SIGINT));
  EXPECT_EQ(ran.code(), 0);
  EXPECT_EQ(ran.result()["subtype"], "error_during_execution");
}

TEST(AgentSignals, AnAgentThatWaitsForInputLeavesToo) {
  for (const auto& [number, code] : {std::pair{SIGINT, 130}, {SIGTERM, 143}, {SIGHUP, 129}}) {
    Stage stage;
    RunHandle watch;
    watch.write(user_line("hi"));
    const auto ran = stage.run(stage.talk(), watch, signal_at("{\"type\":\"result\"", number));
    EXPECT_EQ(ran.code(), code);
  }
}

/// Through a shell: what is to happen to the agent's descriptors is said there.
process::Command through_shell(const Stage& stage, std::string_view script) {
  return stage.command({"/bin/bash", "-c", std::string(script)});
}

TEST(AgentDescriptors, AReaderThatLeavesEndsTheRun) {
  Stage stage(R"({"steps":[{"text":"a b c d e f g h","chunk_size":2,"chunk_delay_ms":20}]})");
  const auto ran = stage.run(through_shell(
      stage,
      "ralph agent -p hi --output-format stream-json --verbose --include-partial-messages"
      " </dev/null | head -n 1; echo ${PIPESTATUS[0]}"));
  EXPECT_TRUE(ran.out.ends_with("\n1\n")) << ran.out;
  EXPECT_TRUE(ran.err.contains("stdout is closed")) << ran.err;
}

TEST(AgentDescriptors, ASlowReaderGetsEveryLine) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "words ";
  Stage stage(R"({"steps":[{"text":")" + text + R"(","chunk_size":6}]})");
  auto child = process::start(stage.agent({"hi", "--include-partial-messages"}));
  ASSERT_TRUE(child);
  Ran ran;
  RunHandle watch;
  int patience = 200;  // how often it is asked whether it reads; its pipe is full long before
  const process::Sinks sinks{
      process::append_to(ran.out), process::append_to(ran.err), {}, [&](process::EndedBy) {
        return --patience < 0;
      }};
  ran.exit = process::supervise(*std::move(child), sinks, watch, {});
  EXPECT_EQ(ran.code(), 0);
  std::string heard;
  for (const auto& event : ran.of_type("stream_event")) {
    const auto delta = event["event"].value("delta", Document::object());
    heard += delta.value("text", "");
  }
  EXPECT_EQ(heard, text);
  EXPECT_EQ(ran.result()["result"], text);
  expect_understood(ran.out);
}

TEST(AgentDescriptors, WithoutStdinThePromptIsEnough) {
  Stage stage;
  const auto ran = stage.run(through_shell(stage, "exec ralph agent -p hi <&-"));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.out, "Hello.\n");
}

TEST(AgentDescriptors, WithoutStdinAConversationHasNoTurn) {
  Stage stage;
  const auto ran = stage.run(
      through_shell(stage,
                    "exec ralph agent -p --input-format stream-json --output-format stream-json "
                    "--verbose <&-"));
  EXPECT_EQ(ran.code(), 0) << ran.err;
  EXPECT_EQ(ran.of_type("result").size(), 0U);
  EXPECT_TRUE(stage.requests().empty());
}

TEST(AgentDescriptors, WithoutStdoutItFails) {
  Stage stage;
  const auto ran = stage.run(through_shell(stage, "exec ralph agent -p hi </dev/null >&-"));
  EXPECT_EQ(ran.code(), 1);
  EXPECT_TRUE(ran.err.contains("stdout")) << ran.err;
}

}  // namespace
}  // namespace ralph::agent_process
