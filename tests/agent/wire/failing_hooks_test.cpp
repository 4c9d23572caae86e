#include "agent/hook/hooks.h"
#include "agent/wire/subagent_steps.h"

/// What a hook guards does not happen if the hook fails, however it fails.
namespace ralph::wire {
namespace {

constexpr hook::Event kEvents[] = {hook::Event::session_start,  hook::Event::user_prompt_submit,
                                   hook::Event::pre_tool_use,   hook::Event::permission_request,
                                   hook::Event::post_tool_use,  hook::Event::post_tool_use_failure,
                                   hook::Event::notification,   hook::Event::stop,
                                   hook::Event::subagent_start, hook::Event::subagent_stop,
                                   hook::Event::pre_compact,    hook::Event::session_end};
static_assert(std::size(kEvents) == static_cast<std::size_t>(hook::Event::session_end) + 1);

struct Failure {
  std::string_view name, command, why;
  double timeout = 600;
};

constexpr Failure kFailures[] = {
    {"missing", "./no-such-hook", "exit code 127"},
    {"slow", "exec sleep 600", "still running after 200ms", 0.2},
    {"killed", "kill -9 $$", "a signal ended it"},
    {"garbage", R"(echo '{"decision": "bl')", "no valid JSON"},
    {"100 MB", "head -c 100000000 /dev/zero", "it printed more than 1048576 bytes"},
};

/// What one event guards: how an agent comes to it, and whether it happened.
struct Guarded {
  hook::Event event;
  std::string scenario;
  Ran (*run)(Bench&, std::vector<std::string> settings);
  bool (*happened)(const Bench&, const Ran&);
};

Ran ask_with(Bench& bench, std::vector<std::string> words) {
  words.insert(words.end(), {"--permission-mode", "bypassPermissions"});
  return bench.ask("go", words);
}

/// A client that allows everything.
Ran ask_client(Bench& bench, std::vector<std::string> words) {
  bench.on_request("can_use_tool", [](const Document& request) {
    return Document{{"behavior", "allow"}, {"updatedInput", request["input"]}};
  });
  bench.say("go");
  bench.when("\"type\":\"result\"", [](Bench& it) { it.hang_up(); });
  words.insert(words.end(), {"--permission-prompt-tool", "stdio"});
  return bench.converse(words);
}

Ran compact(Bench& bench, std::vector<std::string> words) {
  bench.say("go");
  bench.when("\"type\":\"result\"", [](Bench& it) {
    it.say("/compact");
    it.hang_up();
  });
  return bench.converse(words);
}

bool wrote(const Bench& bench, const Ran&) { return std::filesystem::exists(bench.work() / "a"); }

std::vector<Guarded> guarded() {
  const std::string write =
      R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a","content":"x"}}},
                   {"text":"Done."}]})";
  const auto agent = one_agent(kWait, child_steps("ALPHA", "Alpha report"));
  const std::string text = R"({"steps":[{"text":"one"},{"text":"two"}]})";
  return {
      {hook::Event::pre_tool_use, write, ask_with, wrote},
      {hook::Event::permission_request, write, ask_client, wrote},
      {hook::Event::user_prompt_submit, text, ask_with,
       [](const Bench&, const Ran& ran) { return !ran.requests.empty(); }},
      {hook::Event::stop, text, ask_with,
       [](const Bench&, const Ran& ran) {
         return ran.code == 0 && ran.result()["subtype"] == "success";
       }},
      {hook::Event::subagent_start, agent, ask_with,
       [](const Bench&, const Ran& ran) {
         return std::ranges::any_of(ran.requests, [](const Document& request) {
           return json::write(request["system"]).contains("You are a subagent");
         });
       }},
      {hook::Event::subagent_stop, agent, ask_with,
       [](const Bench&, const Ran& ran) {
         return of_subtype(ran, "task_notification").at(0)["status"] == "completed";
       }},
      {hook::Event::pre_compact, text, compact,
       [](const Bench&, const Ran& ran) { return !of_subtype(ran, "compact_boundary").empty(); }},
  };
}

std::vector<std::string> settings(hook::Event event, std::string_view command, double timeout) {
  const Document hook{{"type", "command"}, {"command", command}, {"timeout", timeout}};
  const Document groups = Document::array({{{"hooks", Document::array({hook})}}});
  return {"--settings", json::write({{"hooks", {{std::string(to_string(event)), groups}}}})};
}

TEST(FailingHooks, EveryEventThatCanBlockIsTested) {
  const auto all = guarded();
  for (const auto event : kEvents) {
    EXPECT_EQ(hook::can_block(event), std::ranges::count(all, event, &Guarded::event) == 1)
        << to_string(event);
  }
}

TEST(FailingHooks, WhatTheyGuardDoesNotHappen) {
  for (const auto& each : guarded()) {
    for (const auto& failure : kFailures) {
      SCOPED_TRACE(fmt::format("{}, {}", to_string(each.event), failure.name));
      Bench bench(each.scenario);
      const auto ran = each.run(bench, settings(each.event, failure.command, failure.timeout));
      EXPECT_FALSE(each.happened(bench, ran)) << ran.out;
      EXPECT_TRUE(ran.err.contains("failed and therefore blocks: ")) << ran.err;
      EXPECT_TRUE(ran.err.contains(failure.why)) << ran.err;
      EXPECT_FALSE(ran.of_type("result").empty()) << "the turn has no end";
    }
  }
}

/// With a hook that works, so that the test above can fail.
TEST(FailingHooks, WhatWorkingOnesGuardHappens) {
  for (const auto& each : guarded()) {
    SCOPED_TRACE(to_string(each.event));
    Bench bench(each.scenario);
    const auto ran = each.run(bench, settings(each.event, "cat >input", 600));
    EXPECT_TRUE(each.happened(bench, ran)) << ran.out << ran.err;
    EXPECT_TRUE(read_file(bench.work() / "input").has_value()) << "the hook did not run";
  }
}

}  // namespace
}  // namespace ralph::wire
