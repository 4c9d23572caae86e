#include <cstdlib>

#include <fcntl.h>

#include "agent/wire/harness.h"
#include "agent/wire/reader.h"
#include "core/base/unique_fd.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kThreeAnswers =
    R"({"steps":[{"text":"A0"},{"text":"A1"},{"text":"A2"}]})";
const std::string kFirst = "11111111-1111-4111-8111-111111111111";
const std::string kSecond = "22222222-2222-4222-8222-222222222222";
const std::string kThird = "33333333-3333-4333-8333-333333333333";

TEST(Input, EachMessageBehindAResultIsATurnOfTheSameSession) {
  Bench bench(kThreeAnswers);
  bench.say("one");
  bench.when("\"result\":\"A0\"", [](Bench& it) {
    it.say("two");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.story(),
            "system/init assistant result/success system/init assistant result/success");
  const auto results = ran.of_type("result");
  EXPECT_EQ(results[0]["session_id"], results[1]["session_id"]);
  EXPECT_EQ(results[1]["result_index"], 1);
  EXPECT_EQ(results[1]["num_turns"], 1);
  EXPECT_EQ(results[1]["usage"]["output_tokens"], results[0]["usage"]["output_tokens"])
      << "of this turn, not of both";
  EXPECT_GT(results[1]["total_cost_usd"].get<double>(), results[0]["total_cost_usd"].get<double>());
  EXPECT_EQ(ran.requests.at(1)["messages"].size(), 3U);
}

/// What was written at once is two turns: the first message alone, the others together.
TEST(Input, MessagesThatWaitAreAnsweredTogether) {
  Bench bench(R"({"steps":[{"text":"A0","delay_ms":300},{"text":"A1"}]})");
  bench.say("one");
  bench.say("two");
  bench.say("three");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(ran.story(),
            "system/init assistant result/success system/init assistant result/success");
  ASSERT_EQ(ran.requests.size(), 2U);
  EXPECT_EQ(ran.requests[0]["messages"].back()["content"].back()["text"], "one");
  EXPECT_EQ(texts(ran.requests[1]["messages"].back()), "twothree");
}

TEST(Input, AMessageWithAnIdIsFollowedFromTheQueueToItsEnd) {
  Bench bench(R"({"steps":[{"text":"A0","delay_ms":300},{"text":"A1"}]})");
  bench.say("one", kFirst);
  bench.say("two", kSecond);
  bench.say("three", kThird);
  bench.say("three again", kThird);
  bench.hang_up();
  const auto ran = bench.converse();
  std::string states;
  for (const auto& event : ran.of_type("command_lifecycle")) {
    states += event.value("command_uuid", "").substr(0, 1) + event.value("state", "") + " ";
  }
  EXPECT_EQ(states,
            "1queued 1started 2queued 3queued 1completed 2started 3started 2completed 3completed ");
  const auto results = ran.of_type("result");
  ASSERT_EQ(results.size(), 2U) << "the same message twice is one";
  EXPECT_EQ(results[1]["user_message_uuids"], Document({kSecond, kThird}));
  EXPECT_EQ(ran.of_type("assistant")[0]["user_message_uuid"], kFirst);
}

TEST(Input, ReplaysComeBehindInit) {
  Bench bench;
  bench.say("one", kFirst);
  bench.hang_up();
  const auto ran = bench.converse({"--replay-user-messages"});
  EXPECT_EQ(ran.story(),
            "command_lifecycle command_lifecycle system/init user assistant result/success "
            "command_lifecycle");
  const auto replay = ran.of_type("user")[0];
  EXPECT_EQ(replay["isReplay"], true);
  EXPECT_EQ(replay["uuid"], kFirst);
  EXPECT_EQ(replay["message"]["content"], "one");
}

TEST(Input, TheLastLineNeedsNoNewlineAndOthersAreIgnored) {
  Bench bench;
  bench.say_line("");
  bench.say_line(R"({"type":"keep_alive"})");
  bench.say_line(R"({"type":"something_new","x":1})");
  bench.say_line(
      R"({"type":"user","session_id":"","message":{"role":"user","content":[{"type":"text","text":"blocks","cache_control":{"type":"ephemeral"}}]}})");
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(texts(ran.requests.at(0)["messages"].back()).ends_with("blocks"));
}

TEST(Input, NoMessageIsSentWithoutContent) {
  for (const auto* content : {R"("")", "[]", R"({"a":1})", R"([{"type":"text","text":" "}])"}) {
    Bench bench;
    bench.say_line(std::string(R"({"type":"user","message":{"role":"user","content":)") + content +
                   "}}");
    bench.hang_up();
    const auto ran = bench.converse();
    EXPECT_EQ(ran.code, 0) << content;
    for (const auto& block : ran.requests.at(0)["messages"].back()["content"]) {
      EXPECT_FALSE(block.value("text", "").empty()) << content;
    }
    EXPECT_TRUE(texts(ran.requests[0]["messages"].back()).ends_with("(an empty message)"))
        << content;
  }
}

TEST(Control, IdsComeBackAsTheyWere) {
  Bench bench;
  bench.say_line(R"({"type":"control_request","request_id":7,"request":{"subtype":"initialize"}})");
  bench.say_line(
      R"({"type":"control_request","request_id":"m","request":{"subtype":"set_model","model":1}})");
  bench.hang_up();
  const auto answers = bench.converse().of_type("control_response");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["response"]["request_id"], 7);
  EXPECT_EQ(answers[1]["response"]["subtype"], "error");
}

TEST(Input, WithoutInputNothingHappens) {
  Bench bench;
  bench.hang_up();
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "");
}

TEST(Input, ALineThatIsNoMessageEndsTheAgentAtOnce) {
  Bench bench(R"({"steps":[{"text":"slow","delay_ms":60000}]})");
  bench.say("one");
  bench.when("system", [](Bench& it) { it.say_line("{not json"); });
  auto ran = bench.converse();
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("Error parsing streaming input line")) << ran.err;
  EXPECT_EQ(ran.of_type("result").size(), 0U);

  Bench other;
  other.say_line(R"({"type":"user","message":{"role":"assistant","content":"x"}})");
  ran = other.converse();
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("Expected message role 'user', got 'assistant'")) << ran.err;
}

TEST(Input, TheLastResultDecidesTheExitCode) {
  Bench good(R"({"steps":[{"error":400},{"text":"fine"}]})");
  good.say("one");
  good.when("\"is_error\":true", [](Bench& it) {
    it.say("two");
    it.hang_up();
  });
  EXPECT_EQ(good.converse().code, 0);
  Bench bad(R"({"steps":[{"text":"fine"},{"error":400}]})");
  bad.say("one");
  bad.when("\"is_error\":false", [](Bench& it) {
    it.say("two");
    it.hang_up();
  });
  EXPECT_EQ(bad.converse().code, 1);
}

TEST(Control, RequestsAreAnsweredAlsoDuringATurn) {
  Bench bench(R"({"steps":[{"text":"slow","delay_ms":60000},{"text":"after"}]})");
  bench.say_line(
      R"({"type":"control_request","request_id":"i","request":{"subtype":"initialize"}})");
  bench.say("one");
  bench.when_asked([](Bench& it) {
    it.say_line(
        R"({"type":"control_request","request_id":"m","request":{"subtype":"set_model","model":"haiku"}})");
    it.say_line(R"({"type":"control_request","request_id":"n","request":{"subtype":"nonsense"}})");
    it.say_line(R"({"type":"control_request","request_id":"r","request":{"subtype":"interrupt"}})");
  });
  bench.when("error_during_execution", [](Bench& it) {
    it.say("two");
    it.hang_up();
  });
  const auto ran = bench.converse();
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(
      ran.story(),
      "control_response system/init control_response user control_response control_response user "
      "result/error_during_execution system/init assistant result/success");
  const auto answers = ran.of_type("control_response");
  EXPECT_EQ(answers[0]["response"]["response"]["claude_code_version"], "2.1.325");
  EXPECT_EQ(answers[1]["response"]["response"]["model"], "claude-haiku-5-5");
  EXPECT_EQ(answers[2]["response"]["error_code"], "unsupported_request");
  EXPECT_EQ(ran.requests.back()["model"], "claude-haiku-5-5");
}

TEST(TextInput, ArgumentAndStdinAreOnePrompt) {
  Bench bench;
  bench.say_line("from stdin");
  const auto ran = bench.run({"-p", "from the words"});
  EXPECT_EQ(ran.requests.at(0)["messages"].back()["content"].back()["text"],
            "from the words\nfrom stdin\n");
}

TEST(TextInput, NothingToAskIsAnError) {
  auto ran = Bench().run({"-p"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("Input must be provided")) << ran.err;
  ran = Bench().run({"-p", "  \n "});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("only whitespace")) << ran.err;
}

TEST(TextInput, ATerminalWithoutAPromptIsAnError) {
  const UniqueFd terminal(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(terminal);
  const auto prompt = read_prompt("", {.out = {}, .err = {}, .in = terminal.get()}, {});
  ASSERT_FALSE(prompt);
  EXPECT_TRUE(prompt.error().message.contains("no interactive mode")) << prompt.error().message;
}

}  // namespace
}  // namespace ralph::wire
