#include "harness/backend/credentials.h"

#include "harness/backend/harness.h"

namespace ralph::backend {
namespace {

using Kind = Credential::Kind;

Words sources(const Host& host) {
  Words out;
  for (const auto& credential : claude_credentials(host)) {
    EXPECT_NE(credential.kind, Kind::none);
    EXPECT_FALSE((credential.source + credential.words).contains("secret")) << credential.words;
    EXPECT_TRUE(credential.words.contains(credential.source)) << credential.words;
    out.push_back(credential.source);
  }
  return out;
}

TEST(Credentials, NoneAtAll) {
  Machine machine;
  EXPECT_EQ(sources(machine.host), Words{});
  machine.host.environment = {"ANTHROPIC_API_KEY=", "CLAUDE_CODE_USE_BEDROCK=0"};
  EXPECT_EQ(sources(machine.host), Words{});
  EXPECT_FALSE(has_stored_login(machine.host));
}

TEST(Credentials, AllOfThemInTheOrderOfUse) {
  Machine machine;
  machine.log_in();
  const auto settings = machine.folder.write("home/.claude/settings.json",
                                             R"({"apiKeyHelper": "/bin/print-secret"})");
  for (const auto* entry : {"CLAUDE_CODE_OAUTH_TOKEN=secret-4", "ANTHROPIC_API_KEY=secret-2",
                            "ANTHROPIC_AUTH_TOKEN=secret-3", "CLAUDE_CODE_USE_VERTEX=1"}) {
    machine.set(entry);
  }
  EXPECT_EQ(sources(machine.host),
            (Words{"CLAUDE_CODE_USE_VERTEX", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", settings,
                   "CLAUDE_CODE_OAUTH_TOKEN",
                   (machine.folder / "home/.claude/.credentials.json").string()}));
}

TEST(Credentials, TheFolderMayBeElsewhere) {
  Machine machine;
  machine.log_in();
  EXPECT_TRUE(has_stored_login(machine.host));
  machine.set("CLAUDE_CONFIG_DIR=" + (machine.folder / "other").string());
  EXPECT_FALSE(has_stored_login(machine.host));
  std::filesystem::create_directory(machine.folder / "other");
  machine.folder.write("other/.credentials.json", R"({"claudeAiOauth":{"refreshToken":"secret"}})");
  EXPECT_TRUE(has_stored_login(machine.host));
}

TEST(Credentials, FilesThatHoldNoLogin) {
  const Machine machine;
  for (const auto* text : {"", "{", "[]", "null", "{}", R"({"claudeAiOauth":{}})",
                           R"({"claudeAiOauth":null})", R"({"apiKeyHelper":""})",
                           R"({"mcpOAuth":{"server":{"accessToken":"secret"}}})", "\xff\xfe\x00"}) {
    machine.folder.write("home/.claude/.credentials.json", text);
    machine.folder.write("home/.claude/settings.json", text);
    EXPECT_FALSE(has_stored_login(machine.host)) << text;
    EXPECT_EQ(sources(machine.host), Words{}) << text;
  }
}

TEST(Credentials, ThingsThatAreNoFiles) {
  Machine machine;
  std::filesystem::create_directory(machine.folder / "home/.claude/.credentials.json");
  ASSERT_EQ(::mkfifo((machine.folder / "home/.claude/settings.json").c_str(), 0600), 0);
  EXPECT_EQ(sources(machine.host), Words{});
  machine.host.environment.clear();
  EXPECT_EQ(sources(machine.host), Words{});
}

}  // namespace
}  // namespace ralph::backend
