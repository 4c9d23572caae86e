#include "agent/hook/hook_output.h"

#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace ralph::hook {
namespace {

Result<Verdict> verdict(Event event, int code, std::string_view out, std::string_view err = {}) {
  return read_output(event, "check", {code, out, err});
}

Answer answer(Event event, std::string_view out) {
  auto read = verdict(event, 0, out);
  EXPECT_TRUE(read.has_value()) << out;
  return read ? read->answer : Answer();
}

TEST(HookOutput, NothingSaidIsNoObjection) {
  const auto silent = answer(Event::pre_tool_use, "");
  EXPECT_FALSE(silent.blocked);
  EXPECT_EQ(silent.permission, Permission::none);
  EXPECT_TRUE(answer(Event::pre_tool_use, "checked\n").contexts.empty());
  EXPECT_FALSE(answer(Event::stop, "{}").blocked);
}

TEST(HookOutput, PlainTextIsContextWhereASessionOrAMessageBegins) {
  for (const auto event : {Event::session_start, Event::user_prompt_submit, Event::pre_compact}) {
    EXPECT_EQ(answer(event, " note \n").contexts, std::vector<std::string>{"note"});
  }
  EXPECT_TRUE(answer(Event::post_tool_use, "note").contexts.empty());
}

TEST(HookOutput, ExitCodeTwoBlocksWithStderrAsTheReason) {
  for (const auto event :
       {Event::pre_tool_use, Event::permission_request, Event::user_prompt_submit, Event::stop,
        Event::subagent_stop, Event::pre_compact, Event::post_tool_use}) {
    const auto blocked = verdict(event, 2, "{not read", "no rm");
    ASSERT_TRUE(blocked.has_value());
    EXPECT_TRUE(blocked->answer.blocked);
    EXPECT_EQ(blocked->answer.reason, "[check]: no rm");
  }
  EXPECT_EQ(verdict(Event::stop, 2, "")->answer.reason, "[check]: No stderr output");
  const auto start = verdict(Event::session_start, 2, "", "x");
  EXPECT_FALSE(start->answer.blocked);
  EXPECT_EQ(start->error, "exit code 2: x");
}

TEST(HookOutput, OtherExitCodesHaveNoEffect) {
  for (const int code : {1, 3, 125, 128, 255}) {
    const auto read = verdict(Event::pre_tool_use, code, R"({"decision":"block"})", "trace");
    ASSERT_TRUE(read.has_value()) << code;
    EXPECT_FALSE(read->answer.blocked);
    EXPECT_TRUE(read->error.contains("trace"));
  }
}

TEST(HookOutput, WhatDidNotRunIsAFailure) {
  for (const int code : {126, 127, 129, 137, 143}) {
    EXPECT_FALSE(verdict(Event::pre_tool_use, code, "").has_value()) << code;
  }
  EXPECT_FALSE(read_output(Event::pre_tool_use, "x", {std::nullopt, "", ""}).has_value());
}

TEST(HookOutput, JsonThatIsBegunMustBeValid) {
  for (const auto* garbage : {
           "{",
           R"({"decision":"block")",
           R"({"decision":"block"} and more)",
           R"({"decision":"perhaps"})",
           R"({"decision":true})",
           R"({"continue":"no"})",
           R"({"hookSpecificOutput":[]})",
           R"({"hookSpecificOutput":{"hookEventName":"Stop"}})",
           R"({"hookSpecificOutput":{"permissionDecision":"Deny"}})",
           R"({"hookSpecificOutput":{"permissionDecision":"defer"}})",
           R"({"hookSpecificOutput":{"updatedInput":"x"}})",
           R"({"hookSpecificOutput":{"additionalContext":1}})",
           R"({"systemMessage":{}})",
       }) {
    EXPECT_FALSE(verdict(Event::pre_tool_use, 0, garbage).has_value()) << garbage;
  }
}

TEST(HookOutput, DecisionsAboutACall) {
  const auto deny = answer(Event::pre_tool_use, R"({"hookSpecificOutput":{
      "hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}})");
  EXPECT_TRUE(deny.blocked);
  EXPECT_EQ(deny.reason, "no");
  EXPECT_EQ(answer(Event::pre_tool_use, R"({"hookSpecificOutput":{"permissionDecision":"ask"}})")
                .permission,
            Permission::ask);
  const auto allow = answer(Event::pre_tool_use, R"({"hookSpecificOutput":{
      "permissionDecision":"allow","updatedInput":{"command":"ls"},"additionalContext":"c"}})");
  EXPECT_EQ(allow.permission, Permission::allow);
  EXPECT_EQ(*allow.updated_input, json::Document({{"command", "ls"}}));
  EXPECT_EQ(allow.contexts, std::vector<std::string>{"c"});
  EXPECT_EQ(answer(Event::pre_tool_use, R"({"decision":"approve"})").permission, Permission::allow);
  EXPECT_EQ(answer(Event::stop, R"({"decision":"approve"})").permission, Permission::none);
}

TEST(HookOutput, ABlockIsNotUndoneByAnAllow) {
  const auto both = answer(Event::pre_tool_use, R"({"decision":"block","reason":"first",
      "hookSpecificOutput":{"permissionDecision":"allow","permissionDecisionReason":""}})");
  EXPECT_TRUE(both.blocked);
  EXPECT_NE(both.permission, Permission::allow);
  EXPECT_EQ(both.reason, "first");
  EXPECT_EQ(answer(Event::stop, R"({"decision":"block"})").reason, "Blocked by hook");
}

TEST(HookOutput, PermissionRequestHasItsOwnForm) {
  const auto allow = answer(Event::permission_request, R"({"hookSpecificOutput":{
      "hookEventName":"PermissionRequest",
      "decision":{"behavior":"allow","updatedInput":{"command":"ls"}}}})");
  EXPECT_EQ(allow.permission, Permission::allow);
  EXPECT_TRUE(allow.updated_input.has_value());
  const auto deny = answer(Event::permission_request, R"({"hookSpecificOutput":{
      "decision":{"behavior":"deny","message":"no","interrupt":true}}})");
  EXPECT_TRUE(deny.blocked);
  EXPECT_EQ(deny.reason, "no");
  EXPECT_EQ(deny.stop, "no");
  EXPECT_FALSE(verdict(Event::permission_request, 0,
                       R"({"hookSpecificOutput":{"decision":{"behavior":"maybe"}}})")
                   .has_value());
}

TEST(HookOutput, StopAndMessageForTheUser) {
  const auto stop = answer(Event::post_tool_use,
                           R"({"continue":false,"stopReason":"enough","systemMessage":"hello"})");
  EXPECT_EQ(stop.stop, "enough");
  EXPECT_EQ(stop.notices, std::vector<std::string>{"hello"});
  EXPECT_EQ(answer(Event::stop, R"({"continue":false})").stop, "");
  EXPECT_FALSE(answer(Event::stop, R"({"continue":true})").stop.has_value());
}

}  // namespace
}  // namespace ralph::hook
