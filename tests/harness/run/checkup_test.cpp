#include "harness/run/checkup.h"

#include <algorithm>

#include "harness/run/harness.h"
#include "harness/run/versions.h"

namespace ralph::run {
namespace {

struct Machine {
  TempFolder folder;
  backend::Host host;

  Machine() {
    for (const auto* name : {"bin", "home", "work"})
      std::filesystem::create_directory(folder / name);
    host.workspace = folder / "work";
    host.environment = {"PATH=" + (folder / "bin").string(), "HOME=" + (folder / "home").string()};
  }
  void install(std::string_view name, std::string_view script) {
    folder.write("bin/" + std::string(name), "#!/bin/sh\n" + std::string(script) + "\n", 0700);
  }
  Checkup examine(std::vector<config::FlagValue> flags = {}) const {
    return check_up(config::load({host.workspace, {}, {}, flags}), host);
  }
};

const Check& named(const Checkup& checkup, std::string_view name) {
  return *std::ranges::find(checkup.checks, name, &Check::name);
}

TEST(Doctor, FindsAgentsVersionsAndCredential) {
  Machine machine;
  machine.install("claude", "echo '2.1.325 (Claude Code)'; echo more");
  machine.install("codex", "echo codex 1");
  machine.host.environment.push_back("ANTHROPIC_API_KEY=sk-ant-secret-key");
  const auto checkup = machine.examine();
  ASSERT_EQ(checkup.agents.size(), 2u);
  EXPECT_EQ(checkup.agents[0].version, "2.1.325 (Claude Code)");
  EXPECT_TRUE(checkup.agents[0].driven);
  EXPECT_FALSE(checkup.agents[1].driven);
  EXPECT_EQ(named(checkup, "backend").level, Check::Level::ok);
  EXPECT_TRUE(named(checkup, "credential").message.contains("ANTHROPIC_API_KEY"));
  EXPECT_FALSE(named(checkup, "credential").message.contains("secret-key"));
  EXPECT_FALSE(checkup.blocked());
}

TEST(Doctor, SaysWhatBlocksARun) {
  Machine machine;
  EXPECT_EQ(named(machine.examine(), "backend").message, "builtin (found by 'auto')");
  EXPECT_EQ(named(machine.examine(), "credential").message, "none found for ralph's own agent");
  machine.install("claude", "echo 1");
  EXPECT_EQ(named(machine.examine(), "credential").level, Check::Level::blocks) << "no credential";
  machine.host.environment.push_back("ANTHROPIC_API_KEY=sk-ant-secret-key");
  EXPECT_FALSE(machine.examine().blocked());
  machine.host.is_root = true;
  EXPECT_EQ(named(machine.examine(), "permissions").level, Check::Level::blocks) << "root";
  machine.host.is_root = false;
  machine.folder.write("work/.ralph", "a file");
  EXPECT_EQ(named(machine.examine(), "workspace").level, Check::Level::blocks)
      << "no place for .ralph";
}

TEST(Doctor, SaysWhatARunWouldRefuse) {
  Machine machine;
  const auto refused = [&](std::vector<config::FlagValue> flags) {
    return machine.examine(std::move(flags)).blocked();
  };
  EXPECT_FALSE(refused({{config::Key::command, {"/bin/cat"}}}));
  EXPECT_TRUE(refused({{config::Key::command, {"no-such-program"}}}));
  EXPECT_TRUE(refused({{config::Key::command, {"/bin/cat"}}, {config::Key::model, {"opus"}}}));
  EXPECT_TRUE(
      refused({{config::Key::command, {"/bin/cat"}}, {config::Key::cwd, {"/no/such/folder"}}}));
  EXPECT_TRUE(refused({{config::Key::backend, {"custom"}}}));
  std::filesystem::create_directory_symlink("/tmp", machine.folder / "work/.ralph");
  EXPECT_TRUE(refused({{config::Key::command, {"/bin/cat"}}})) << "a link";
}

TEST(Doctor, ABrokenConfigurationBlocksARun) {
  Machine machine;
  machine.folder.write("work/ralph.yml", "modle: x\n");
  const auto checkup = machine.examine();
  EXPECT_EQ(named(checkup, "config").level, Check::Level::blocks);
  EXPECT_TRUE(named(checkup, "config").message.contains("ralph.yml:1"));
}

TEST(Doctor, TellsWhichOfTwoCredentialsPays) {
  Machine machine;
  machine.install("claude", "echo 1");
  machine.host.environment.push_back("ANTHROPIC_API_KEY=sk-ant-secret-key");
  std::filesystem::create_directory(machine.folder / "home/.claude");
  machine.folder.write("home/.claude/.credentials.json",
                       R"({"claudeAiOauth":{"accessToken":"t"}})");
  EXPECT_TRUE(named(machine.examine(), "credential").message.contains("the stored login"));
  const auto with_key = machine.examine({{config::Key::auth, {"api-key"}}});
  EXPECT_TRUE(named(with_key, "credential").message.contains("API key in ANTHROPIC_API_KEY"));
  machine.host.environment.push_back("ANTHROPIC_BASE_URL=http://127.0.0.1:1");
  EXPECT_TRUE(
      named(machine.examine(), "credential").message.contains("API key in ANTHROPIC_API_KEY"));
}

TEST(Doctor, ACommandOfOnesOwnNeedsNoAgent) {
  Machine machine;
  const auto checkup = machine.examine({{config::Key::command, {"/bin/cat"}}});
  EXPECT_EQ(named(checkup, "backend").message, "custom");
  EXPECT_FALSE(checkup.blocked());
}

TEST(Doctor, NoticesANestedSession) {
  Machine machine;
  EXPECT_EQ(named(machine.examine(), "nested session").level, Check::Level::ok);
  machine.host.environment.push_back("CLAUDECODE=1");
  EXPECT_EQ(named(machine.examine(), "nested session").level, Check::Level::note);
}

TEST(VersionProbe, IsRememberedUntilTheFileChanges) {
  Machine machine;
  machine.install("claude", "echo asked >>" + (machine.folder / "asked").string() + "; echo one");
  Versions versions(machine.folder / "cache/versions");
  const auto program = machine.folder / "bin/claude";
  EXPECT_EQ(versions.known(program), "") << "nothing is started for it";
  EXPECT_EQ(versions.ask(program, machine.host), "one");
  EXPECT_EQ(versions.known(program), "one");
  EXPECT_EQ(versions.ask(program, machine.host), "one");
  EXPECT_EQ(*read_file(machine.folder / "asked"), "asked\n");
  machine.install("claude", "echo another");
  EXPECT_EQ(versions.known(program), "");
  EXPECT_EQ(versions.ask(program, machine.host), "another");
}

TEST(VersionProbe, FailuresAreSaidAndNotRemembered) {
  Machine machine;
  machine.install("claude", "exit 3");
  Versions versions(machine.folder / "cache/versions");
  EXPECT_FALSE(versions.ask(machine.folder / "bin/claude", machine.host));
  machine.install("claude", "yes | head -c 100000000; exit 0");
  EXPECT_EQ(versions.ask(machine.folder / "bin/claude", machine.host), "y");
  machine.folder.write("cache/versions", std::string(100'000, 'x'));
  EXPECT_EQ(versions.ask(machine.folder / "bin/claude", machine.host), "y");
}

}  // namespace
}  // namespace ralph::run
