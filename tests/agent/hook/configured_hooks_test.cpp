#include "agent/hook/configured_hooks.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/base/file.h"
#include "support/temp_folder.h"

namespace ralph::hook {
namespace {

using json::Document;

constexpr Event kBlockable[] = {
    Event::pre_tool_use,   Event::permission_request, Event::user_prompt_submit, Event::stop,
    Event::subagent_start, Event::subagent_stop,      Event::pre_compact};

class Recorder final : public Observer {
 public:
  void on_start(const HookStart& start) override {
    const std::lock_guard lock(mutex_);
    started.push_back(start.name);
  }
  void on_end(const HookStart&, const HookEnd& end) override {
    const std::lock_guard lock(mutex_);
    ended.push_back(end);
  }
  std::vector<std::string> started;
  std::vector<HookEnd> ended;

 private:
  std::mutex mutex_;
};

class Client final : public Callback {
 public:
  Result<Document> call(std::string_view id, const Document& input, std::string_view tool_use_id,
                        Millis limit, const std::stop_token&) override {
    const std::lock_guard lock(mutex_);
    asked.push_back(std::string(id) + " " + std::string(tool_use_id) + " " +
                    std::to_string(limit.count()) + " " + input.value("hook_event_name", ""));
    return answer;
  }
  Result<Document> answer = Document::object();
  std::vector<std::string> asked;

 private:
  std::mutex mutex_;
};

/// The hooks of one event, in a directory of their own.
struct Bench {
  ConfiguredHooks make(Event event, const std::vector<std::string>& commands,
                       Millis timeout = Millis{60'000}, std::string matcher = "") {
    ConfiguredHooksParts parts;
    for (const auto& command : commands) {
      parts.commands.push_back({event, *Matcher::compile(matcher), command, timeout, "file"});
    }
    parts.place = {folder / ".", {{"CLAUDE_PROJECT_DIR", (folder / ".").string()}}};
    parts.masker = Masker({"API_TOKEN=very-secret-value-1"});
    parts.common = [] { return Document{{"session_id", "s"}, {"cwd", "/x"}}; };
    parts.observer = &recorder;
    parts.callback = &client;
    return ConfiguredHooks(std::move(parts));
  }
  Answer run(Event event, const std::vector<std::string>& commands,
             Millis timeout = Millis{60'000}) {
    auto hooks = make(event, commands, timeout);
    const Document details{{"tool_name", "Bash"}};
    return hooks.run({.event = event, .subject = "Bash", .details = details}, {});
  }

  test::TempFolder folder;
  Recorder recorder;
  Client client;
};

/// Whatever goes wrong, what the hook guards does not happen.
TEST(ConfiguredHooks, AFailingHookBlocksWhereTheEventCanBeBlocked) {
  const struct {
    std::string_view name, command, why;
    Millis timeout;
  } cases[] = {
      {"missing", "./no-such-hook", "exit code 127", Millis{60'000}},
      {"not executable", "touch here; ./here", "exit code 126", Millis{60'000}},
      {"slow", "sleep 600", "still running after", Millis{200}},
      {"killed", "kill -9 $$", "a signal ended it", Millis{60'000}},
      {"child killed", "sh -c 'kill -9 $$'; exit $?", "a signal ended it", Millis{60'000}},
      {"garbage", "echo '{\"decision\": \"bl'", "no valid JSON", Millis{60'000}},
      {"wrong answer", "echo '{\"decision\": \"maybe\"}'", "not block or approve", Millis{60'000}},
      {"100 MB", "head -c 100000000 /dev/zero", "more than 1048576 bytes", Millis{60'000}},
      {"endless stderr", "yes >&2", "more than 1048576 bytes", Millis{60'000}},
  };
  for (const auto& each : cases) {
    for (const auto event : kBlockable) {
      SCOPED_TRACE(std::string(each.name) + " " + std::string(to_string(event)));
      Bench bench;
      const auto answer = bench.run(event, {std::string(each.command), "exit 0"}, each.timeout);
      EXPECT_TRUE(answer.blocked);
      EXPECT_TRUE(answer.failed);
      EXPECT_TRUE(answer.reason.contains(each.why)) << answer.reason;
      const auto failed = std::ranges::find_if(
          bench.recorder.ended, [](const HookEnd& end) { return !end.problem.empty(); });
      ASSERT_NE(failed, bench.recorder.ended.end());
      EXPECT_TRUE(failed->blocks);
      EXPECT_EQ(failed->outcome, HookEnd::Outcome::error);
      EXPECT_LE(failed->out.size() + failed->err.size(), std::size_t{8} << 20);
    }
  }
}

TEST(ConfiguredHooks, AFailureElsewhereIsOnlyReported) {
  for (const auto event :
       {Event::post_tool_use, Event::session_start, Event::session_end, Event::notification}) {
    Bench bench;
    EXPECT_FALSE(bench.run(event, {"./no-such-hook"}).blocked);
    EXPECT_FALSE(bench.recorder.ended[0].problem.empty());
    EXPECT_FALSE(bench.recorder.ended[0].blocks);
  }
}

TEST(ConfiguredHooks, ADirectoryThatIsGoneBlocks) {
  Bench bench;
  ConfiguredHooksParts parts;
  parts.commands.push_back({Event::stop, *Matcher::compile(""), "true", Millis{1000}, "file"});
  parts.place.cwd = bench.folder / "gone";
  ConfiguredHooks hooks(std::move(parts));
  EXPECT_TRUE(hooks.run({.event = Event::stop, .details = Document::object()}, {}).failed);
}

TEST(ConfiguredHooks, CommandsGetTheirInputAndTheDirectory) {
  Bench bench;
  bench.run(Event::pre_tool_use, {"cat >input; pwd >where; echo \"$CLAUDE_PROJECT_DIR\" >project"});
  const auto input = json::parse(*read_file(bench.folder / "input"));
  ASSERT_TRUE(input.has_value());
  EXPECT_EQ(*input, Document({{"session_id", "s"},
                              {"cwd", "/x"},
                              {"hook_event_name", "PreToolUse"},
                              {"tool_name", "Bash"}}));
  EXPECT_TRUE(read_file(bench.folder / "where").has_value());
  EXPECT_TRUE(read_file(bench.folder / "project")->starts_with((bench.folder / ".").string()));
  EXPECT_EQ(bench.recorder.started, std::vector<std::string>{"PreToolUse:Bash"});
}

TEST(ConfiguredHooks, ACommandThatDoesNotReadItsInputIsFine) {
  Bench bench;
  auto hooks = bench.make(Event::pre_tool_use, {"exit 0"});
  const Document details{{"tool_input", std::string(std::size_t{4} << 20, 'x')}};
  EXPECT_FALSE(hooks.run({.event = Event::pre_tool_use, .details = details}, {}).blocked);
}

/// Each waits for the other.
TEST(ConfiguredHooks, MatchingHooksRunAtTheSameTime) {
  Bench bench;
  const auto wait = [](std::string_view mine, std::string_view other) {
    return "touch ready-" + std::string(mine) + "; until [ -e ready-" + std::string(other) +
           " ]; do sleep 0.01; done";
  };
  const auto answer = bench.run(Event::pre_tool_use, {wait("a", "b"), wait("b", "a")});
  EXPECT_FALSE(answer.blocked) << answer.reason;
  EXPECT_EQ(bench.recorder.ended.size(), 2U);
}

TEST(ConfiguredHooks, TheStrictestAnswerCounts) {
  const auto says = [](std::string_view decision) {
    return "echo '{\"hookSpecificOutput\":{\"permissionDecision\":\"" + std::string(decision) +
           "\",\"permissionDecisionReason\":\"" + std::string(decision) + "\"}}'";
  };
  EXPECT_EQ(Bench().run(Event::pre_tool_use, {says("allow"), "exit 0"}).permission,
            Permission::allow);
  const auto ask = Bench().run(Event::pre_tool_use, {says("allow"), says("ask")});
  EXPECT_EQ(ask.permission, Permission::ask);
  EXPECT_EQ(ask.reason, "ask");
  const auto deny =
      Bench().run(Event::pre_tool_use, {says("ask"), says("deny"), "echo no >&2; exit 2"});
  EXPECT_TRUE(deny.blocked);
  EXPECT_FALSE(deny.failed);
  EXPECT_EQ(deny.reason, "deny\n[echo no >&2; exit 2]: no\n");
}

TEST(ConfiguredHooks, TheSameCommandRunsOnce) {
  Bench bench;
  bench.run(Event::stop, {"echo x >>log", "echo x >>log"});
  EXPECT_EQ(*read_file(bench.folder / "log"), "x\n");
}

TEST(ConfiguredHooks, OthersDoNotRun) {
  Bench bench;
  auto hooks = bench.make(Event::pre_tool_use, {"exit 2"}, Millis{1000}, "Edit|Write");
  EXPECT_TRUE(hooks.has(Event::pre_tool_use));
  EXPECT_FALSE(hooks.has(Event::stop));
  const auto details = Document::object();
  EXPECT_FALSE(
      hooks.run({.event = Event::pre_tool_use, .subject = "Bash", .details = details}, {}).blocked);
  EXPECT_TRUE(
      hooks.run({.event = Event::pre_tool_use, .subject = "Edit", .details = details}, {}).blocked);
}

TEST(ConfiguredHooks, NothingOfAHookIsLeftRunning) {
  Bench bench;
  bench.run(Event::pre_tool_use, {"sleep 600 & echo $! >pid; exit 0"});
  const auto pid = std::stoi(*read_file(bench.folder / "pid"));
  EXPECT_NE(::kill(pid, 0), 0);
}

TEST(ConfiguredHooks, AStopRequestEndsThemAndBlocks) {
  Bench bench;
  auto hooks = bench.make(Event::pre_tool_use, {"touch begun; sleep 600"});
  std::stop_source stop;
  std::jthread stopper([&] {
    while (!std::filesystem::exists(bench.folder / "begun")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    stop.request_stop();
  });
  const auto answer =
      hooks.run({.event = Event::pre_tool_use, .details = Document::object()}, stop.get_token());
  EXPECT_TRUE(answer.blocked);
  EXPECT_EQ(bench.recorder.ended[0].outcome, HookEnd::Outcome::cancelled);
}

TEST(ConfiguredHooks, SecretsAreMasked) {
  Bench bench;
  const auto answer = bench.run(Event::pre_tool_use, {"echo very-secret-value-1 >&2; exit 2"});
  EXPECT_FALSE(answer.reason.contains("very-secret-value-1")) << answer.reason;
  EXPECT_FALSE(bench.recorder.ended[0].err.contains("very-secret-value-1"));
}

TEST(ConfiguredHooks, ContextsNameTheirHook) {
  EXPECT_EQ(Bench().run(Event::user_prompt_submit, {"echo note"}).contexts,
            std::vector<std::string>{"UserPromptSubmit:Bash hook additional context: note"});
  EXPECT_EQ(Bench().run(Event::pre_compact, {"echo note"}).contexts,
            std::vector<std::string>{"note"});
}

TEST(ConfiguredHooks, TheClientsHooksAreAsked) {
  Bench bench;
  auto hooks = bench.make(Event::stop, {});
  const auto registered = hooks.set_callbacks(*json::parse(
      R"({"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["h1","h2"],"timeout":5}],
          "Stop":null,"SessionStart":[{"hookCallbackIds":["h3"]}],"Future":[]})"));
  ASSERT_TRUE(registered.has_value());
  EXPECT_EQ(*registered, (std::vector<std::string>{"SessionStart", "Future"}));
  EXPECT_FALSE(hooks.has(Event::session_start));
  bench.client.answer = *json::parse(R"({"decision":"block","reason":"no"})");
  const auto details = Document::object();
  const auto answer = hooks.run({.event = Event::pre_tool_use,
                                 .subject = "Bash",
                                 .details = details,
                                 .tool_use_id = "toolu_1"},
                                {});
  EXPECT_TRUE(answer.blocked);
  std::ranges::sort(bench.client.asked);
  EXPECT_EQ(bench.client.asked,
            (std::vector<std::string>{"h1 toolu_1 5000 PreToolUse", "h2 toolu_1 5000 PreToolUse"}));
}

TEST(ConfiguredHooks, AClientThatDoesNotAnswerBlocks) {
  for (const auto& answer : {Result<Document>(fail(Code::unavailable, "no answer")),
                             Result<Document>(Document("yes"))}) {
    Bench bench;
    auto hooks = bench.make(Event::stop, {});
    ASSERT_TRUE(hooks.set_callbacks(*json::parse(R"({"Stop":[{"hookCallbackIds":["h"]}]})")));
    bench.client.answer = answer;
    EXPECT_TRUE(hooks.run({.event = Event::stop, .details = Document::object()}, {}).failed);
  }
}

TEST(ConfiguredHooks, MalformedHooksOfAClientAreRefused) {
  Bench bench;
  auto hooks = bench.make(Event::stop, {});
  for (const auto* wrong :
       {"[]", R"({"Stop":{}})", R"({"Stop":[1]})", R"({"Stop":[{"hookCallbackIds":[1]}]})",
        R"({"Stop":[{"matcher":"(.","hookCallbackIds":["h"]}]})",
        R"({"Stop":[{"hookCallbackIds":["h"],"timeout":"x"}]})"}) {
    EXPECT_FALSE(hooks.set_callbacks(*json::parse(wrong)).has_value()) << wrong;
  }
  EXPECT_FALSE(hooks.has(Event::stop));
}

}  // namespace
}  // namespace ralph::hook
