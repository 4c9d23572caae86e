// Clients that fail: they die, never answer, or answer twice. The agent neither hangs nor leaves anything running.
#include <functional>
#include <optional>

#include "integration/agent_calls.h"

namespace ralph::agent_process {
namespace {

using process::RunHandle;

/// Starts the agent with pipes of its own, waits for "$1" and dies; then the agent and what wrote its pid into `child` must
/// end by themselves.
constexpr std::string_view kDyingClient = R"sh(
export WAIT=$1; shift
bash -c '
  coproc agent { echo $BASHPID >agent; exec "$@" 2>err; }
  exec {in}>&"${agent[1]}" {out}<&"${agent[0]}"
  read -r line <line; printf "%s\n" "$line" >&"$in"
  eval "$WAIT"
  kill -9 $$
' client "$@"
for file in agent child; do
  [ -e "$file" ] || continue
  while kill -0 "$(cat "$file")" 2>/dev/null; do sleep 0.01; done
done
echo gone)sh";

struct Moment {
  std::string_view name;
  ToolCall call;
  std::string_view wait;
  std::vector<std::string> words;
};

std::vector<Moment> moments() {
  const std::string child = "echo $$ >child; exec tail -f /dev/null";
  const std::string hook = json::write(
      {{"hooks", {{"PreToolUse", {{{"hooks", {{{"type", "command"}, {"command", child}}}}}}}}}});
  const std::string server = json::write(
      {{"mcpServers",
        {{"fake",
          {{"command", RALPH_BUILD "/fake_mcp_server"}, {"args", {"pid=child", "log=log"}}}}}}});
  const std::string all = "--dangerously-skip-permissions";
  return {
      {"a command", bash(child), "until [ -s child ]; do sleep 0.01; done", {all}},
      {"a hook",
       bash("true"),
       "until [ -s child ]; do sleep 0.01; done",
       {all, "--settings", hook}},
      {"an MCP call",
       {"mcp__fake__hang", Document::object()},
       "until grep -q hang log; do sleep 0.01; done",
       {all, "--mcp-config", server}},
      {"a question",
       {"Write", {{"file_path", "a"}, {"content", "x"}}},
       "grep -qm1 can_use_tool <&\"$out\"",
       {"--permission-prompt-tool", "stdio"}},
  };
}

TEST(AgentClient, ThatDiesLeavesNothingRunning) {
  for (const auto& moment : moments()) {
    SCOPED_TRACE(moment.name);
    Stage stage(script_of({moment.call}));
    ASSERT_TRUE(write_file_atomically(stage.work() / "line", user_line("go"), 0600));
    auto command = stage.talk(moment.words);
    command.argv.insert(command.argv.begin(), {"/bin/bash", "-c", std::string(kDyingClient),
                                               "outer", std::string(moment.wait)});
    command.input = {};
    const auto ran = stage.run(command);
    EXPECT_EQ(ran.out, "gone\n") << ran.err << test::text_of(stage.work() / "err");
    EXPECT_FALSE(test::text_of(stage.work() / "agent").empty());
    EXPECT_FALSE(std::filesystem::exists(stage.work() / "a"));
    EXPECT_EQ(ran.exit.strays, 0);
    EXPECT_EQ(stage.requests().size(), 1U);
  }
}

/// What a client offers and is asked for, with the call that leads there.
struct Offer {
  std::string_view subtype;
  ToolCall call;
  Document initialize;
  Document good, bad;  // answers
};

std::vector<Offer> offers(Millis limit) {
  const double seconds = static_cast<double>(limit.count()) / 1000;
  const ToolCall write{"Write", {{"file_path", "a"}, {"content", "x"}}};
  const auto says = [](std::string_view text) {
    return Document{{"content", Document::array({{{"type", "text"}, {"text", text}}})}};
  };
  return {
      {"can_use_tool",
       write,
       Document::object(),
       {{"behavior", "allow"}, {"updatedInput", write.input}},
       {{"behavior", "deny"}, {"message", "second"}}},
      {"hook_callback",
       write,
       {{"hooks", {{"PreToolUse", {{{"hookCallbackIds", {"h"}}, {"timeout", seconds}}}}}}},
       {{"hookSpecificOutput", {{"permissionDecision", "allow"}}}},
       {{"hookSpecificOutput", {{"permissionDecision", "deny"}}}}},
      {"mcp_message",
       {"mcp__calc__add", Document::object()},
       {{"sdkMcpServers", {"calc"}}},
       says("first"),
       says("second")},
  };
}

std::string response(const Document& asked, Document payload) {
  const auto& message = asked["request"].value("message", Document::object());
  if (!message.empty()) {
    Document answer{{"jsonrpc", "2.0"}, {"id", message.value("id", 0)}};
    answer["result"] = std::move(payload);
    payload = {{"mcp_response", answer}};
  }
  const Document inner{{"subtype", "success"},
                       {"request_id", asked["request_id"]},
                       {"response", std::move(payload)}};
  return json::write({{"type", "control_response"}, {"response", inner}}) + "\n";
}

/// What a server in the client answers before its tool is called; nullopt: this is the call.
std::optional<Document> handshake(const Document& asked) {
  const auto method = asked["request"].value("message", Document::object()).value("method", "");
  if (method == "initialize") {
    return Document{{"protocolVersion", "2025-11-25"},
                    {"capabilities", {{"tools", Document::object()}}}};
  }
  if (method == "tools/list") return Document{{"tools", Document::array({{{"name", "add"}}})}};
  if (method.starts_with("notifications/")) return Document::object();
  return std::nullopt;
}

using Answers = std::function<void(const Document& asked, RunHandle& agent)>;

/// A client that answers all but the last request by the protocol. It stays until the result has come.
Ran converse(const Stage& stage, const Offer& offer, Millis limit, const Answers& answer) {
  auto initialize = offer.initialize;
  initialize["subtype"] = "initialize";
  RunHandle agent;
  agent.write(
      json::write(
          {{"type", "control_request"}, {"request_id", "1"}, {"request", std::move(initialize)}}) +
      "\n");
  agent.write(user_line("go"));
  auto command = stage.talk({"--permission-prompt-tool", "stdio", "--allowedTools", "mcp__calc"});
  command.env.push_back({"MCP_TOOL_TIMEOUT", std::to_string(limit.count())});
  return stage.run(
      command, agent, each_line([&](const Document& line, RunHandle& it) {
        if (line["type"] == "result") it.close_stdin();
        if (line["type"] != "control_request") return;
        if (const auto known = handshake(line)) {
          it.write(response(line, *known));
        } else if (line["request"]["subtype"] == offer.subtype) {
          answer(line, it);
        } else {
          it.write(response(line, {{"behavior", "allow"}, {"updatedInput", offer.call.input}}));
        }
      }));
}

bool has_effect(const Stage& stage, const Ran& ran) {
  return std::filesystem::exists(stage.work() / "a") || tool_results(ran)[0].text.contains("first");
}

constexpr Millis kShortLimit{300}, kLongLimit{60'000};

TEST(AgentClient, ThatAnswersTwiceIsHeardOnce) {
  for (const auto& offer : offers(kLongLimit)) {
    SCOPED_TRACE(offer.subtype);
    Stage stage(script_of({offer.call}));
    const auto ran =
        converse(stage, offer, kLongLimit, [&](const Document& asked, RunHandle& agent) {
          agent.write(response(asked, offer.good) + response(asked, offer.bad));
        });
    expect_finished(ran, 1);
    EXPECT_TRUE(has_effect(stage, ran)) << ran.out;
    EXPECT_FALSE(ran.out.contains("second"));
  }
}

/// Hooks and calls have a time limit. A question has none: it is open until the client interrupts or leaves.
TEST(AgentClient, ThatNeverAnswersCannotHoldUpATurn) {
  for (const auto& offer : offers(kShortLimit)) {
    SCOPED_TRACE(offer.subtype);
    Stage stage(script_of({offer.call}));
    const auto ran = converse(stage, offer, kShortLimit, [&](const Document&, RunHandle& agent) {
      if (offer.subtype == "can_use_tool") agent.close_stdin();
    });
    EXPECT_TRUE(expect_finished(ran, 1)[0].failed);
    EXPECT_FALSE(has_effect(stage, ran)) << ran.out;
  }
}

}  // namespace
}  // namespace ralph::agent_process
