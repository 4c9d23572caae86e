#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

constexpr std::string_view kHooksSetting =
    R"({"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[{"type":"command","command":"false"}]}]}})";
constexpr std::string_view kServers = R"({"mcpServers":{"files":{"command":"true"}}})";

void trust(Bench& bench, Document more = Document::object()) {
  more["hasTrustDialogAccepted"] = true;
  bench.folder().write("home/.claude.json",
                       json::write({{"projects", {{bench.work().string(), more}}}}));
}

std::size_t lines_with(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(Trust, NothingARepositoryRaisesCountsAndAllOfItIsNamedOnce) {
  for (const auto* file : {"work/.claude/settings.json", "work/.claude/settings.local.json"}) {
    Bench bench(R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a","content":"x"}}},
                             {"text":"Done."}]})");
    bench.folder().write(file, R"({"env":{"A":"b"},"apiKeyHelper":"touch owned",
        "awsAuthRefresh":"touch owned","hooks":{"Stop":[{}]},"disableAllHooks":true,
        "permissions":{"defaultMode":"acceptEdits","additionalDirectories":["/"],"allow":["Write"]}})");
    bench.folder().write("work/.mcp.json", kServers);
    const auto ran = bench.ask("go");
    EXPECT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.events()[0]["permissionMode"], "default");
    EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
    EXPECT_EQ(lines_with(ran.err, "Ignoring"), 2U) << ran.err;
    for (const auto* name : {"env", "apiKeyHelper", "awsAuthRefresh", "hooks", "disableAllHooks",
                             "permissions.allow (1)", "permissions.additionalDirectories (1)",
                             "permissions.defaultMode", "MCP servers (1)"}) {
      EXPECT_TRUE(ran.err.contains(name)) << name << ran.err;
    }
  }
}

TEST(Trust, WhatAnUntrustedRepositoryDeniesCounts) {
  Bench bench(R"({"steps":[{"tool_use":{"name":"Bash","input":{"command":"ls"}}},
                           {"text":"Done."}]})");
  bench.folder().write("work/.claude/settings.json", R"({"permissions":{"deny":["Bash"]}})");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.result()["permission_denials"].size(), 1U);
  EXPECT_FALSE(ran.err.contains("Ignoring")) << ran.err;
}

TEST(Trust, ATrustedRepositoryChoosesAModeButNotBypass) {
  for (const auto& [wanted, becomes] :
       {std::pair{"acceptEdits", "acceptEdits"}, {"bypassPermissions", "default"}}) {
    Bench bench;
    trust(bench);
    bench.folder().write("work/.claude/settings.json",
                         json::write({{"permissions", {{"defaultMode", wanted}}}}));
    EXPECT_EQ(bench.ask("go").events()[0]["permissionMode"], becomes);
  }
}

TEST(Trust, DangerouslySkipPermissionsCountsAsBypassWhereTheRepositoryIsTrusted) {
  for (const auto* file : {"work/.claude/settings.json", "work/.claude/settings.local.json"}) {
    Bench trusted;
    trust(trusted);
    trusted.folder().write(file, R"({"dangerouslySkipPermissions":true})");
    auto ran = trusted.ask("go");
    EXPECT_EQ(ran.events()[0]["permissionMode"], "bypassPermissions");
    EXPECT_EQ(ran.err, "");

    Bench untrusted;
    untrusted.folder().write(file, R"({"dangerouslySkipPermissions":true})");
    ran = untrusted.ask("go");
    EXPECT_EQ(ran.events()[0]["permissionMode"], "default");
    EXPECT_TRUE(ran.err.contains("Ignoring dangerouslySkipPermissions of ")) << ran.err;
    EXPECT_TRUE(ran.err.contains("'ralph trust' trusts it")) << ran.err;
  }
}

TEST(Trust, DangerouslySkipPermissionsAsTextIsNoted) {
  Bench bench;
  trust(bench);
  bench.folder().write("work/.claude/settings.json", R"({"dangerouslySkipPermissions":"true"})");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.events()[0]["permissionMode"], "default");
  EXPECT_TRUE(ran.err.contains("it is neither true nor false")) << ran.err;
}

TEST(Trust, ARuleWithoutItsBracketIsNoted) {
  Bench bench;
  bench.folder().write("work/.claude/settings.json", R"({"permissions":{"allow":["Read(a"]}})");
  const auto ran = bench.ask("go");
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.err.contains("permissions.allow: the parentheses of 'Read(a' do not match"))
      << ran.err;
}

TEST(Trust, DangerouslySkipPermissionsIsBoundByWhatRestrictsBypass) {
  Bench off;
  trust(off);
  off.folder().write("work/.claude/settings.json", R"({"dangerouslySkipPermissions":false})");
  EXPECT_EQ(off.ask("go").events()[0]["permissionMode"], "default");

  Bench said;
  trust(said);
  said.folder().write("work/.claude/settings.json", R"({"dangerouslySkipPermissions":true})");
  EXPECT_EQ(said.ask("go", {"--permission-mode", "plan"}).events()[0]["permissionMode"], "plan");

  Bench forbidden;
  trust(forbidden);
  forbidden.folder().write("work/.claude/settings.json", R"({"dangerouslySkipPermissions":true})");
  forbidden.folder().write("home/.claude/settings.json",
                           R"({"permissions":{"disableBypassPermissionsMode":"disable"}})");
  EXPECT_EQ(forbidden.ask("go").code, 1);

  Bench root;
  trust(root);
  root.is_root = true;
  root.folder().write("work/.claude/settings.json", R"({"dangerouslySkipPermissions":true})");
  EXPECT_EQ(root.ask("go").code, 1);
}

/// Hooks may be what keeps an agent from something.
TEST(Unsupported, HooksInForceStopTheAgentBeforeItAsksTheModel) {
  const auto check = [](Bench& bench, const std::vector<std::string>& words) {
    const auto ran = bench.ask("go", words);
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(ran.err.contains("hooks are configured in ")) << ran.err;
    EXPECT_TRUE(ran.err.contains("--accept-unsupported hooks")) << ran.err;
    EXPECT_EQ(ran.result()["subtype"], "error_during_execution");
    EXPECT_TRUE(ran.requests.empty());
  };
  Bench user;
  user.folder().write("home/.claude/settings.json", kHooksSetting);
  check(user, {});
  Bench given;
  check(given, {"--settings", std::string(kHooksSetting)});
  Bench trusted;
  trust(trusted);
  trusted.folder().write("work/.claude/settings.json", kHooksSetting);
  check(trusted, {});
}

TEST(Unsupported, HooksThatAreOffOrAcceptedDoNotStopIt) {
  const std::string hooks(kHooksSetting);
  Bench accepted;
  auto ran = accepted.ask("go", {"--settings", hooks, "--accept-unsupported", "mcp,hooks"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.err.contains("the hooks in --settings do not run")) << ran.err;

  Bench off;
  off.folder().write("home/.claude/settings.json", kHooksSetting);
  EXPECT_EQ(off.ask("go", {"--settings", R"({"disableAllHooks":true})"}).code, 0);
  Bench empty;
  EXPECT_EQ(empty.ask("go", {"--settings", R"({"hooks":{"Stop":[]}})"}).code, 0);
  Bench wrong;
  EXPECT_TRUE(
      wrong.ask("go", {"--accept-unsupported", "everything"}).err.contains("hooks, mcp, sandbox"));
}

TEST(Unsupported, ClaudesOwnSandboxStopsTheAgent) {
  const std::string on = R"({"sandbox":{"enabled":true}})";
  Bench bench;
  EXPECT_TRUE(bench.ask("go", {"--settings", on}).err.contains("--accept-unsupported sandbox"));
  Bench accepted;
  EXPECT_EQ(accepted.ask("go", {"--settings", on, "--accept-unsupported", "sandbox"}).code, 0);
}

/// A rule that restricts counts from everywhere.
TEST(Unsupported, BypassCanBeForbidden) {
  Bench bench;
  bench.folder().write("work/.claude/settings.json",
                       R"({"permissions":{"disableBypassPermissionsMode":"disable"}})");
  const auto ran = bench.ask("go", {"--dangerously-skip-permissions"});
  EXPECT_EQ(ran.code, 1);
  EXPECT_TRUE(ran.err.contains("disableBypassPermissionsMode")) << ran.err;
}

TEST(Unsupported, AClientsOwnHooksAreRefused) {
  Bench bench;
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":["h"]}]}}})");
  bench.say_line(
      R"({"type":"control_request","request_id":"2","request":{"subtype":"initialize","hooks":null,"sdkMcpServers":[]}})");
  bench.hang_up();
  const auto answers = bench.converse().of_type("control_response");
  ASSERT_EQ(answers.size(), 2U);
  EXPECT_EQ(answers[0]["response"]["subtype"], "error");
  EXPECT_EQ(answers[1]["response"]["subtype"], "success");
}

}  // namespace
}  // namespace ralph::wire
