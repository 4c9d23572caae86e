#include "agent/wire/client_requests.h"

#include <future>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/session/scripted.h"
#include "agent/tool/workspace.h"
#include "agent/wire/client_approver.h"
#include "agent/wire/tool_approver.h"
#include "support/temp_folder.h"

namespace ralph::wire {
namespace {

using json::Document;

/// The client's end: what was written, and requests to it.
struct Client {
  Client()
      : io{.out = [this](std::string_view lines) { return take(lines); }, .err = {}},
        writer(io, settings::Format::stream_json, true, [] {}),
        requests(writer) {}

  bool take(std::string_view lines) {
    const std::lock_guard lock(mutex);
    written.push_back(json::parse(lines).value_or(Document()));
    changed.notify_all();
    return true;
  }
  /// Waits for the line with this number.
  Document line(std::size_t number) {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(
        changed.wait_for(lock, std::chrono::minutes(1), [&] { return written.size() > number; }));
    return written.size() > number ? written[number] : Document::object();
  }
  std::size_t count() {
    const std::lock_guard lock(mutex);
    return written.size();
  }
  std::future<Result<Document>> ask(const char* subtype, std::stop_token stop = {}) {
    return std::async(std::launch::async, [this, subtype, stop = std::move(stop)] {
      return requests.ask({{"subtype", subtype}}, stop);
    });
  }
  void answer(const Document& request, Document payload) {
    requests.accept({request.value("request_id", ""), std::move(payload)});
  }

  Io io;
  EventWriter writer;
  ClientRequests requests;
  std::mutex mutex;
  std::condition_variable changed;
  std::vector<Document> written;
};

TEST(ClientRequests, EachGetsItsOwnAnswer) {
  Client client;
  auto first = client.ask("a");
  const auto line = client.line(0);
  auto second = client.ask("b");
  const auto other = client.line(1);
  EXPECT_EQ(line["type"], "control_request");
  EXPECT_EQ(line["request"]["subtype"], "a");
  client.answer(other, {{"n", 2}});
  client.answer(line, {{"n", 1}});
  EXPECT_EQ((*first.get())["n"], 1);
  EXPECT_EQ((*second.get())["n"], 2);
}

TEST(ClientRequests, OtherIdsAndSecondAnswersAreIgnored) {
  Client client;
  client.requests.accept({"nobody", Document("early")});
  auto asked = client.ask("a");
  const auto line = client.line(0);
  client.requests.accept({"nobody", Document("wrong")});
  client.requests.accept({"", Document("empty")});
  client.answer(line, "first");
  client.answer(line, "second");
  EXPECT_EQ(*asked.get(), "first");
  client.answer(line, "late");
  auto again = client.ask("a");
  client.answer(client.line(1), "new");
  EXPECT_EQ(*again.get(), "new");
}

TEST(ClientRequests, AnErrorAnswerIsAnError) {
  Client client;
  auto asked = client.ask("a");
  client.requests.accept(
      {client.line(0).value("request_id", ""), fail(Code::unavailable, "kaput")});
  EXPECT_EQ(asked.get().error().message, "kaput");
}

TEST(ClientRequests, AStopRequestWithdrawsOnce) {
  Client client;
  std::stop_source stop;
  auto asked = client.ask("a", stop.get_token());
  const auto line = client.line(0);
  stop.request_stop();
  EXPECT_FALSE(asked.get());
  EXPECT_EQ(client.count(), 2U);
  EXPECT_EQ(client.line(1),
            Document({{"type", "control_cancel_request"}, {"request_id", line["request_id"]}}));
  EXPECT_FALSE(client.requests.ask({{"subtype", "a"}}, stop.get_token()));
  EXPECT_EQ(client.count(), 2U) << "asked after the stop request";
}

/// The client reads that the request is withdrawn before whoever waits for it continues.
TEST(ClientRequests, AWithdrawnRequestWaitsForItsEnd) {
  Client client;
  auto asked = client.ask("can_use_tool");
  auto other = client.ask("hook_callback");
  client.line(1);
  const auto request = client.requests.waiting("can_use_tool").at(0);
  client.requests.withdraw("can_use_tool");
  EXPECT_EQ(client.line(2),
            Document({{"type", "control_cancel_request"}, {"request_id", request["request_id"]}}));
  EXPECT_TRUE(client.requests.waiting("can_use_tool").empty());
  client.answer(request, "too late");
  EXPECT_EQ(asked.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  client.requests.end_withdrawn();
  EXPECT_FALSE(asked.get());
  EXPECT_EQ(client.count(), 3U);
  EXPECT_EQ(other.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  client.requests.close();
  EXPECT_FALSE(other.get());
}

TEST(ClientRequests, ATimeLimitWithdraws) {
  Client client;
  const auto answer = client.requests.ask({{"subtype", "a"}}, {}, Millis{1});
  EXPECT_EQ(answer.error().message, "no answer within 1 ms");
  EXPECT_EQ(client.line(1)["type"], "control_cancel_request");
}

TEST(ClientRequests, AClientThatIsGoneIsNotAsked) {
  Client client;
  client.requests.close();
  EXPECT_FALSE(client.requests.ask({{"subtype", "a"}}, {}));
  EXPECT_EQ(client.count(), 0U);
}

/// What answers apply to.
struct Targets {
  permission::Policy policy{permission::Mode::standard, {}};
  session::RecordingSink sink;
  session::Identity identity{"s"};
  session::ModeSwitch modes{policy, session::SessionEvents(sink, identity)};
  AnswerTargets targets{policy, modes};

  Result<session::Approval> read(std::string_view answer) {
    return read_approval(*json::parse(answer), targets);
  }
};

TEST(Approval, IsReadFromAnAnswer) {
  Targets to;
  const auto deny = to.read(R"({"behavior":"deny","message":"No."})");
  ASSERT_TRUE(deny);
  EXPECT_FALSE(deny->allowed);
  EXPECT_EQ(deny->message, "No.");
  EXPECT_FALSE(deny->interrupt);
  EXPECT_TRUE(to.read(R"({"behavior":"deny","interrupt":true})")->interrupt);
  EXPECT_FALSE(to.read(R"({"behavior":"deny"})")->message.empty());
  const auto allow = to.read(R"({"behavior":"allow","updatedInput":{"a":1}})");
  ASSERT_TRUE(allow);
  EXPECT_TRUE(allow->allowed);
  EXPECT_EQ(*allow->input, Document({{"a", 1}}));
  EXPECT_FALSE(to.read(R"({"behavior":"allow"})")->input);
}

TEST(Approval, AnythingElseAllowsNothing) {
  Targets to;
  for (const auto* answer :
       {"null", "[]", "\"allow\"", "{}", R"({"behavior":"Allow"})", R"({"behavior":true})",
        R"({"behavior":"allow","updatedInput":[]})", R"({"behavior":"allow","updatedInput":"x"})",
        R"({"behavior":"allow","updatedPermissions":{}})"}) {
    EXPECT_FALSE(to.read(answer)) << answer;
  }
  for (
      const auto* update :
      {R"({"type":"addRules","behavior":"deny","rules":[{"toolName":"Write"},{"toolName":"Bad("}]})",
       R"({"type":"replaceRules","behavior":"allow","rules":[{}]})",
       R"({"type":"addRules","behavior":"deny","rules":"Write"})",
       R"({"type":"addRules","behavior":"sometimes","rules":[{"toolName":"Read"}]})"}) {
    const auto answer = fmt::format(
        R"({{"behavior":"allow","updatedPermissions":[{{"type":"setMode","mode":"acceptEdits"}},{}]}})",
        update);
    EXPECT_FALSE(to.read(answer)) << answer;
    EXPECT_EQ(to.policy.mode(), permission::Mode::standard) << "nothing of it is applied";
    EXPECT_TRUE(to.policy.rules().deny.empty());
  }
  auto many = Document::array();
  for (int i = 0; i < 5000; ++i) many.push_back({{"type", "addRules"}});
  EXPECT_FALSE(read_approval({{"behavior", "allow"}, {"updatedPermissions", many}}, to.targets));
}

TEST(Approval, ChangesRulesAndModeOfTheSession) {
  Targets to;
  const auto added = to.read(R"({"behavior":"allow","updatedPermissions":[
      {"type":"addRules","behavior":"allow","rules":[{"toolName":"Bash","ruleContent":"make *"}]},
      {"type":"addRules","behavior":"deny","rules":[{"toolName":"Write"}]},
      {"type":"unknown"}, 7]})");
  ASSERT_TRUE(added);
  EXPECT_TRUE(added->always);
  EXPECT_EQ(to.policy.rules().allow, std::vector<std::string>{"Bash(make *)"});
  EXPECT_EQ(to.policy.rules().deny, std::vector<std::string>{"Write"});
  to.read(R"({"behavior":"allow","updatedPermissions":[
      {"type":"removeRules","behavior":"deny","rules":[{"toolName":"Write"}]},
      {"type":"replaceRules","behavior":"allow","rules":[{"toolName":"Read"}]}]})");
  EXPECT_TRUE(to.policy.rules().deny.empty());
  EXPECT_EQ(to.policy.rules().allow, std::vector<std::string>{"Read"});
  to.read(R"({"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"acceptEdits"}]})");
  EXPECT_EQ(to.policy.mode(), permission::Mode::accept_edits);
  EXPECT_EQ(to.sink.words.size(), 1U) << "the client is not told";
  to.read(
      R"({"behavior":"allow","updatedPermissions":[{"type":"setMode","mode":"bypassPermissions"}]})");
  EXPECT_EQ(to.policy.mode(), permission::Mode::accept_edits);
}

TEST(Approval, LeavesTheRulesOfOthersAlone) {
  Targets to;
  to.policy.change_rules(permission::RuleSource::start,
                         [](permission::Rules& rules) { rules.deny = {"Write", "Edit"}; });
  to.read(R"({"behavior":"allow","updatedPermissions":[
      {"type":"removeRules","behavior":"deny","rules":[{"toolName":"Write"}]},
      {"type":"replaceRules","behavior":"deny","rules":[{"toolName":"Read"}]}]})");
  EXPECT_EQ(to.policy.rules().deny, (std::vector<std::string>{"Write", "Edit", "Read"}));
}

TEST(Approval, OfADenialChangesNothing) {
  Targets to;
  to.read(R"({"behavior":"deny","updatedPermissions":[{"type":"setMode","mode":"acceptEdits"}]})");
  EXPECT_EQ(to.policy.mode(), permission::Mode::standard);
}

/// Answers with the text of the test.
class PromptTool final : public tool::Tool {
 public:
  std::string_view name() const override { return "mcp__gate__ask"; }
  std::string_view description() const override { return ""; }
  std::string_view schema() const override { return R"({"type":"object"})"; }
  tool::Access access(const Document&, const tool::Workspace&) const override { return {}; }
  tool::Outcome run(const Document& input, const tool::Access&, tool::Workspace&,
                    const std::stop_token&) const override {
    asked = input;
    return {.content = content, .is_error = is_error, .detail = {}};
  }
  mutable Document asked;
  std::string content;
  std::optional<bool> is_error;
};

TEST(ToolApprover, AsksTheToolOfItsName) {
  const test::TempFolder folder;
  tool::Workspace::Setup setup;
  setup.root = folder.path();
  tool::Workspace workspace(setup);
  Targets to;
  PromptTool prompt;
  ToolApprover approver(
      "mcp__gate__ask",
      [&](std::string_view name) { return name == prompt.name() ? &prompt : nullptr; }, to.targets,
      workspace);
  const auto call = session::call_block("t1", "Write");
  const Document input{{"file_path", "a"}};
  const permission::Access access;
  const permission::Decision decision;
  const auto ask = [&] { return approver.ask({call, input, access, decision}, {}); };
  prompt.content =
      R"([{"type":"text","text":"{\"behavior\":\"allow\",\"updatedInput\":{\"b\":1}}"}])";
  const auto allowed = ask();
  ASSERT_TRUE(allowed);
  EXPECT_TRUE(allowed->allowed);
  EXPECT_EQ(*allowed->input, Document({{"b", 1}}));
  EXPECT_EQ(prompt.asked,
            Document({{"tool_name", "Write"}, {"input", input}, {"tool_use_id", "t1"}}));
  prompt.content = R"("{\"behavior\":\"deny\",\"message\":\"No.\"}")";
  EXPECT_EQ(ask()->message, "No.");
  prompt.content = R"("yes")";
  EXPECT_FALSE(ask());
  prompt.content = R"("{\"behavior\":\"allow\"}")";
  EXPECT_TRUE(ask()->allowed);
  prompt.is_error = true;
  EXPECT_FALSE(ask());

  ToolApprover lost(
      "mcp__other__ask", [](std::string_view) { return nullptr; }, to.targets, workspace);
  EXPECT_TRUE(
      lost.ask({call, input, access, decision}, {}).error().message.contains("mcp__other__ask"));
}

}  // namespace
}  // namespace ralph::wire
