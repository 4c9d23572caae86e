#include "agent/wire/harness.h"

namespace ralph::wire {
namespace {

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

/// Whatever the model says at the end, a person must see that nothing was written, and why.
TEST(Trust, ARunWhoseWritesWereDeniedSaysSo) {
  constexpr std::string_view kClaims = R"({"steps":[
      {"tool_use":{"name":"Write","input":{"file_path":"a","content":"x"}}},
      {"tool_use":{"name":"Bash","input":{"command":"make"}}},
      {"text":"All done, the file is written."}]})";
  for (const auto* settings : {R"({"permissions":{"allow":["Write","Bash"]}})",
                               R"({"dangerouslySkipPermissions":true})"}) {
    Bench bench(kClaims);
    bench.folder().write("work/.claude/settings.json", settings);
    auto ran = bench.run({"-p", "go"});
    EXPECT_EQ(ran.out, "All done, the file is written.\n");
    EXPECT_TRUE(ran.err.contains("2 tool calls were denied")) << ran.err;
    EXPECT_TRUE(ran.err.ends_with("('ralph trust' trusts it)\n")) << ran.err;
    EXPECT_FALSE(std::filesystem::exists(bench.work() / "a"));

    Bench trusted(kClaims);
    trust(trusted);
    trusted.folder().write("work/.claude/settings.json", settings);
    ran = trusted.run({"-p", "go"});
    EXPECT_EQ(ran.err, "");
    EXPECT_TRUE(std::filesystem::exists(trusted.work() / "a"));
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

TEST(Trust, HooksOfARepositoryRunOnlyWhereItIsTrusted) {
  constexpr std::string_view kTouch =
      R"({"hooks":{"SessionStart":[{"hooks":[{"type":"command","command":"touch ran"}]}]}})";
  for (const auto* file : {"work/.claude/settings.json", "work/.claude/settings.local.json"}) {
    Bench untrusted;
    untrusted.folder().write(file, kTouch);
    const auto ran = untrusted.ask("go");
    EXPECT_FALSE(std::filesystem::exists(untrusted.work() / "ran"));
    EXPECT_TRUE(ran.err.contains("Ignoring hooks of ")) << ran.err;
    EXPECT_TRUE(ran.err.contains("'ralph trust' trusts it")) << ran.err;

    Bench trusted;
    trust(trusted);
    trusted.folder().write(file, kTouch);
    EXPECT_EQ(trusted.ask("go").err, "");
    EXPECT_TRUE(std::filesystem::exists(trusted.work() / "ran"));
  }
}

/// Hooks may be what keeps an agent from something.
TEST(Unsupported, HooksThatCannotRunStopTheAgentBeforeItAsksTheModel) {
  constexpr std::string_view kPrompt =
      R"({"hooks":{"Stop":[{"hooks":[{"type":"prompt","prompt":"x"}]}]}})";
  constexpr std::string_view kBroken = R"({"hooks":{"Stop":[{"hooks":[{"type":"command"}]}]}})";
  for (const auto& [hooks, place] : {std::pair{kPrompt, "hooks.Stop[0].hooks[0] in "},
                                     {kBroken, "hooks.Stop[0].hooks[0].command"}}) {
    Bench user;
    user.folder().write("home/.claude/settings.json", hooks);
    const auto ran = user.ask("go");
    EXPECT_EQ(ran.code, 1);
    EXPECT_TRUE(ran.err.contains(place)) << ran.err;
    EXPECT_TRUE(ran.requests.empty());
    Bench given;
    EXPECT_EQ(given.ask("go", {"--settings", std::string(hooks)}).code, 1);
  }
  Bench accepted;
  const auto ran =
      accepted.ask("go", {"--settings", std::string(kPrompt), "--accept-unsupported", "mcp,hooks"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_TRUE(ran.err.contains("does not run (--accept-unsupported)")) << ran.err;
}

TEST(Unsupported, AnUnknownEventIsNamed) {
  Bench bench;
  const auto ran = bench.ask("go", {"--settings", R"({"hooks":{"PreTool":[]  ,"X":[{}]}})"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.err.contains("hooks.X in --settings has no effect")) << ran.err;
}

TEST(Trust, HooksThatAreOffDoNotRun) {
  constexpr std::string_view kBlock =
      R"({"hooks":{"UserPromptSubmit":[{"hooks":[{"type":"command","command":"exit 2"}]}]}})";
  Bench on;
  on.folder().write("home/.claude/settings.json", kBlock);
  EXPECT_TRUE(on.ask("go").requests.empty());
  Bench off;
  off.folder().write("home/.claude/settings.json", kBlock);
  EXPECT_EQ(off.ask("go", {"--settings", R"({"disableAllHooks":true})"}).requests.size(), 1U);
  Bench left_out;
  left_out.folder().write("home/.claude/settings.json", kBlock);
  EXPECT_EQ(left_out.ask("go", {"--setting-sources", "project"}).requests.size(), 1U);
  Bench repository;
  repository.folder().write("home/.claude/settings.json", kBlock);
  repository.folder().write("work/.claude/settings.json", R"({"disableAllHooks":true})");
  EXPECT_TRUE(repository.ask("go").requests.empty());
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

TEST(ManagedSettings, OfAClientDenyAsThoseOfTheMachineDo) {
  Bench bench(
      R"({"steps":[{"tool_use":{"name":"Write","input":{"file_path":"a.txt","content":"x"}}},
                   {"text":"Done."}]})");
  const auto ran = bench.ask(
      "go", {"--allowedTools", "Write", "--managed-settings",
             R"({"permissions":{"deny":["Write"],"disableBypassPermissionsMode":"disable"}})"});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_FALSE(std::filesystem::exists(bench.work() / "a.txt"));
  const auto bad = bench.ask("go", {"--managed-settings", "{"});
  EXPECT_EQ(bad.code, 1);
  EXPECT_TRUE(bad.err.contains("--managed-settings cannot be used: it is not JSON")) << bad.err;
}

TEST(Unsupported, ARuleThatRestrictsNothingIsReported) {
  Bench bench;
  const auto ran = bench.ask("go", {"--disallowedTools", "webfetch", "--settings",
                                    R"x({"permissions":{"ask":["WebFetch(127.0.0.1)"]}})x"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_TRUE(ran.err.contains("rule \"webfetch\" matches no known tool")) << ran.err;
  EXPECT_TRUE(ran.err.contains("rule \"WebFetch(127.0.0.1)\" matches no page")) << ran.err;
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

TEST(Unsupported, MalformedHooksOfAClientAreRefused) {
  Bench bench;
  bench.say_line(
      R"({"type":"control_request","request_id":"1","request":{"subtype":"initialize","hooks":{"PreToolUse":[{"hookCallbackIds":"h"}]}}})");
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
