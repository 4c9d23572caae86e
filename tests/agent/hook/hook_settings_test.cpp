#include "agent/hook/hook_settings.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::hook {
namespace {

Result<HookSettings> read(std::string_view text, Unsupported unsupported = Unsupported::refuse) {
  HookSettings settings;
  const auto parsed = json::parse(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  TRY(read_hook_settings(*parsed, "settings.json", unsupported, settings));
  return settings;
}

TEST(HookSettings, AreReadInOrder) {
  const auto read_settings = read(R"({
    "PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"a","timeout":2},
                                             {"type":"command","command":"b","async":true}]},
                  {"hooks":[{"type":"command","command":"c","timeout":0.5}]}],
    "Stop":[{"matcher":"","hooks":[{"type":"command","command":"d"}]}]})");
  ASSERT_TRUE(read_settings.has_value());
  const auto& hooks = read_settings->hooks;
  ASSERT_EQ(hooks.size(), 4U);
  EXPECT_EQ(hooks[0].event, Event::pre_tool_use);
  EXPECT_EQ(hooks[0].matcher.text(), "Bash");
  EXPECT_EQ(hooks[0].command, "a");
  EXPECT_EQ(hooks[0].file, "settings.json");
  EXPECT_EQ(hooks[0].timeout, Millis{2000});
  EXPECT_EQ(hooks[1].timeout, Millis{60'000});
  EXPECT_EQ(hooks[2].timeout, Millis{500});
  EXPECT_EQ(hooks[3].event, Event::stop);
  EXPECT_TRUE(read_settings->notes.empty());
}

TEST(HookSettings, MistakesNameFileAndKey) {
  const struct {
    std::string_view text, place;
  } cases[] = {
      {R"([])", "hooks:"},
      {R"({"Stop":{}})", "hooks.Stop:"},
      {R"({"Stop":["x"]})", "hooks.Stop[0]:"},
      {R"({"Stop":[{}]})", "hooks.Stop[0].hooks:"},
      {R"({"Stop":[{"matcher":1,"hooks":[]}]})", "hooks.Stop[0].matcher:"},
      {R"({"PreToolUse":[{"matcher":"(","hooks":[{"type":"command","command":"x"}]}]})",
       "hooks.PreToolUse[0].matcher:"},
      {R"({"Stop":[{"hooks":["x"]}]})", "hooks.Stop[0].hooks[0]:"},
      {R"({"Stop":[{"hooks":[{"command":"x"}]}]})", "hooks.Stop[0].hooks[0].type:"},
      {R"({"Stop":[{"hooks":[{"type":"command"}]}]})", "hooks.Stop[0].hooks[0].command:"},
      {R"({"Stop":[{"hooks":[{"type":"command","command":" "}]}]})",
       "hooks.Stop[0].hooks[0].command:"},
      {R"({"Stop":[{"hooks":[{"type":"command","command":"x","timeout":"1"}]}]})",
       "hooks.Stop[0].hooks[0].timeout:"},
      {R"({"Stop":[{"hooks":[{"type":"command","command":"x","timeout":0}]}]})",
       "hooks.Stop[0].hooks[0].timeout:"},
  };
  for (const auto& [text, place] : cases) {
    const auto settings = read(text);
    ASSERT_FALSE(settings.has_value()) << text;
    EXPECT_EQ(settings.error().code, Code::usage);
    EXPECT_TRUE(settings.error().message.contains(place)) << settings.error().message;
    EXPECT_TRUE(settings.error().message.contains("settings.json")) << settings.error().message;
  }
}

TEST(HookSettings, OtherKindsAreRefusedUnlessTheyAreAccepted) {
  for (const auto* hook :
       {R"({"type":"prompt","prompt":"x"})", R"({"type":"agent"})", R"({"type":"http","url":"x"})",
        R"({"type":"command","command":"x","if":"Bash"})",
        R"({"type":"command","command":"x","shell":"powershell"})"}) {
    const auto text =
        std::string(R"({"Stop":[{"hooks":[)") + hook + R"(,{"type":"command","command":"y"}]}]})";
    const auto refused = read(text);
    ASSERT_FALSE(refused.has_value()) << text;
    EXPECT_EQ(refused.error().code, Code::unavailable);
    EXPECT_TRUE(refused.error().message.contains("hooks.Stop[0].hooks[0] in settings.json"));

    const auto accepted = read(text, Unsupported::leave_out);
    ASSERT_TRUE(accepted.has_value());
    ASSERT_EQ(accepted->hooks.size(), 1U);
    EXPECT_EQ(accepted->hooks[0].command, "y");
    EXPECT_EQ(accepted->notes.size(), 1U);
  }
}

TEST(HookSettings, AnEventThatDoesNotExistIsNoted) {
  const auto settings = read(R"({"PreTool":[{"hooks":"x"}]})");
  ASSERT_TRUE(settings.has_value());
  ASSERT_EQ(settings->notes.size(), 1U);
  EXPECT_TRUE(settings->notes[0].contains("hooks.PreTool in settings.json"));
}

TEST(CallbackHooks, MistakesNameTheMember) {
  const struct {
    std::string_view text, place;
  } cases[] = {
      {R"([])", "hooks:"},
      {R"({"Stop":{}})", "hooks.Stop:"},
      {R"({"Stop":[{"hookCallbackIds":[]},"x"]})", "hooks.Stop[1]:"},
      {R"({"Stop":[{}]})", "hooks.Stop[0].hookCallbackIds:"},
      {R"({"Stop":[{"hookCallbackIds":["h",1]}]})", "hooks.Stop[0].hookCallbackIds:"},
      {R"({"Stop":[{"matcher":1,"hookCallbackIds":[]}]})", "hooks.Stop[0].matcher:"},
      {R"({"Stop":[{"matcher":"(","hookCallbackIds":["h"]}]})", "hooks.Stop[0].matcher:"},
      {R"({"Stop":[{"hookCallbackIds":["h"],"timeout":-1}]})", "hooks.Stop[0].timeout:"},
  };
  for (const auto& [text, place] : cases) {
    const auto hooks = read_callback_hooks(*json::parse(text));
    ASSERT_FALSE(hooks.has_value()) << text;
    EXPECT_EQ(hooks.error().code, Code::malformed);
    EXPECT_TRUE(hooks.error().message.starts_with(place)) << hooks.error().message;
  }
}

TEST(CallbackHooks, EachIdIsAHook) {
  const auto read = read_callback_hooks(*json::parse(
      R"({"PreToolUse":[{"matcher":"Bash","hookCallbackIds":["a","b"],"timeout":2},
                        {"hookCallbackIds":["c"]}],
          "SessionEnd":1,"Stop":null,"Unknown":1})"));
  ASSERT_TRUE(read.has_value());
  ASSERT_EQ(read->hooks.size(), 3U);
  EXPECT_EQ(read->hooks[1].id, "b");
  EXPECT_EQ(read->hooks[1].event, Event::pre_tool_use);
  EXPECT_EQ(read->hooks[1].matcher.text(), "Bash");
  EXPECT_EQ(read->hooks[1].timeout, Millis{2000});
  EXPECT_EQ(read->hooks[2].timeout, kDefaultTimeout);
  EXPECT_EQ(read->events_without_effect, (std::vector<std::string>{"SessionEnd", "Unknown"}));
  EXPECT_TRUE(read_callback_hooks(nullptr)->hooks.empty());
}

}  // namespace
}  // namespace ralph::hook
