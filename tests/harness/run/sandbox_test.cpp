#include "harness/run/sandbox.h"

#include <fmt/core.h>

#include "core/base/file.h"
#include "harness/backend/harness.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;
using backend::Words;
using process::Transport;

/// A machine whose agent is a shell script in a sandbox; skips where bubblewrap may not run.
class Sandbox : public ::testing::Test {
 protected:
  backend::Machine machine;
  std::string mark = random_hex(8);

  Sandbox() {
    machine.host.sandbox = backend::SandboxLevel::on;
    machine.host.is_root = ::geteuid() == 0;
    machine.host.environment.front() += ":/usr/local/bin:/usr/bin:/bin";
    machine.host.own_env = {{"HOME", (machine.folder / "home").string()},
                            {"RALPH_TEST_MARK", mark}};
  }
  void SetUp() override {
    if (const auto works = check_sandbox(machine.host); !works)
      GTEST_SKIP() << describe(works.error());
  }

  fs::path at(std::string_view name) const { return machine.folder / name; }

  backend::Plan planned(Words command, Transport transport = Transport::pipe) const {
    command.emplace_back("{prompt}");
    auto ask = backend::commanding(std::move(command));
    ask.transport = transport;
    auto plan = machine.planned(ask, "custom");
    EXPECT_TRUE(plan) << describe(plan.error());
    const auto put = put_into_sandbox(*plan, machine.host);
    EXPECT_TRUE(put) << describe(put.error());
    return *std::move(plan);
  }
  process::Ran shell(const std::string& script) const {
    return process::run(planned({"sh", "-c", script}).command);
  }
};

TEST_F(Sandbox, TheWorkspaceIsWritableAndWhereTheAgentIs) {
  const auto ran = shell("pwd; echo hello > file; cat file");
  EXPECT_EQ(ran.out, fs::canonical(at("work")).string() + "\nhello\n") << ran.err;
  EXPECT_EQ(read_file(at("work/file")), "hello\n");
}

TEST_F(Sandbox, NothingElseIsWritable) {
  machine.folder.write("outside", "old");
  const auto name = fmt::format("/usr/ralph-test-{}", mark);
  const auto ran = shell(fmt::format("echo new > {}; echo new > {}; echo new > ~/made; cat ~/made",
                                     at("outside").string(), name));
  EXPECT_EQ(ran.out, "new\n");
  EXPECT_EQ(read_file(at("outside")), "old");
  EXPECT_FALSE(fs::exists(at("home/made")));
  EXPECT_FALSE(fs::remove(name));
}

TEST_F(Sandbox, TheHomeIsHidden) {
  fs::create_directory(at("home/.ssh"));
  machine.folder.write("home/.ssh/id_ed25519", "secret");
  machine.folder.write("home/.gitconfig", "[user]\n");
  const auto ran = shell("ls -A ~; cat ~/.gitconfig; echo x > ~/.gitconfig || echo refused");
  EXPECT_EQ(ran.out, ".gitconfig\n[user]\nrefused\n") << ran.err;
  EXPECT_EQ(read_file(at("home/.gitconfig")), "[user]\n");
}

TEST_F(Sandbox, AWorkspaceInTheHomeIsShownAlone) {
  fs::create_directories(at("home/project"));
  machine.folder.write("home/private", "secret");
  machine.host.workspace = at("home/project");
  const auto ran = shell("touch made; ls -A ~");
  EXPECT_EQ(ran.out, "project\n") << ran.err;
  EXPECT_TRUE(fs::exists(at("home/project/made")));
}

TEST_F(Sandbox, LinksToHomeAndWorkspaceLeadThere) {
  fs::create_directory_symlink(at("home"), at("home-link"));
  fs::create_directory_symlink(at("work"), at("home/work-link"));
  machine.folder.write("home/private", "secret");
  machine.host.own_env[0].value = at("home-link").string();
  machine.host.workspace = at("home/work-link");
  const auto ran = shell(fmt::format("touch made; ls {0}; ls {1}", at("home/work-link").string(),
                                     at("home/private").string()));
  EXPECT_EQ(ran.out, "made\n") << ran.err;
  EXPECT_TRUE(fs::exists(at("work/made")));
}

TEST_F(Sandbox, ItSaysThatItIsOne) {
  EXPECT_EQ(shell("echo $IS_SANDBOX $TMPDIR; touch $TMPDIR/x && echo made").out, "1 /tmp\nmade\n");
}

TEST_F(Sandbox, TheProcessesOfTheMachineAreNotSeen) {
  EXPECT_EQ(shell(fmt::format("test -e /proc/{}/environ || echo gone", ::getpid())).out, "gone\n");
}

TEST_F(Sandbox, NotEvenRootGetsOut) {
  const auto ran = shell(
      "while read -r name value; do [ $name = CapEff: ] && echo $value; done < /proc/self/status;"
      "test -w /proc/sys/kernel/core_pattern || echo read-only");
  EXPECT_EQ(ran.out, machine.host.is_root ? "000000000000000b\nread-only\n"
                                          : "0000000000000000\nread-only\n");
}

TEST_F(Sandbox, TheExitCodePassesThrough) {
  EXPECT_EQ(shell("exit 7").exit.exit_code, 7);
  EXPECT_EQ(shell("kill -KILL $$").exit.exit_code, 128 + SIGKILL);
}

TEST_F(Sandbox, WorksOnATerminal) {
  const auto plan = planned({"sh", "-c", "test -t 1 && echo terminal"}, Transport::pty);
  EXPECT_EQ(process::run(plan.command).out, "terminal\n");
}

TEST_F(Sandbox, NothingIsLeftAlive) {
  const auto plan = planned(
      {"sh", "-c", "trap '' TERM; setsid sleep 1000 & touch ready; sleep 1000; sleep 1000"});
  std::stop_source stop;
  std::jthread stopper([&] {
    EXPECT_TRUE(process::eventually([&] { return fs::exists(at("work/ready")); }));
    EXPECT_FALSE(process::alive_with_mark(mark).empty());
    stop.request_stop();
  });
  process::RunHandle watch;
  const auto ran = process::run(plan.command, watch, stop.get_token(), process::hasty());
  EXPECT_EQ(ran.exit.ended_by, process::EndedBy::stop_request);
  EXPECT_EQ(ran.exit.left, 0);
  EXPECT_TRUE(process::alive_with_mark(mark).empty());
}

/// Who kills ralph and the guard at once leaves nobody else to end the agent.
TEST_F(Sandbox, ItEndsWithWhoStartedIt) {
  const auto argv = planned({"true"}).command.argv;
  EXPECT_NE(std::ranges::find(argv, "--die-with-parent"), argv.end());
}

TEST_F(Sandbox, AnAgentThatLivesInTheHomeIsShown) {
  for (const auto* name : {"home/.local/bin", "home/lib/node_modules/agent",
                           "home/lib/node_modules/other", "home/node/v1", "home/secrets"}) {
    fs::create_directories(at(name));
  }
  fs::create_directory_symlink("v1", at("home/node/current"));
  machine.folder.write("home/node/v1/mynode", "#!/bin/sh\necho node \"$@\"; . \"$1\"\n", 0755);
  machine.folder.write("home/lib/node_modules/other/part", "part\n");
  machine.folder.write("home/lib/node_modules/agent/cli",
                       "#!/usr/bin/env mynode\n"
                       "cat \"$(dirname \"$(readlink -f \"$1\")\")/../other/part\"\n"
                       "ls ~/secrets || echo hidden\n",
                       0755);
  fs::create_symlink("../../lib/node_modules/agent/cli", at("home/.local/bin/agent"));
  machine.host.own_env.push_back(
      {"PATH", fmt::format("{}:{}:/usr/bin:/bin", at("home/.local/bin").string(),
                           at("home/node/current").string())});
  const auto plan = planned({"agent"});
  const auto ran = process::run(plan.command);
  EXPECT_EQ(ran.out,
            fmt::format("node {} do it\npart\nhidden\n", at("home/.local/bin/agent").string()))
      << ran.err;
}

/// The agent claude, as a script that says what it finds.
class SandboxedClaude : public Sandbox {
 protected:
  /// Runs the script as the agent, with the files and folders that a run makes for its sandbox.
  process::Ran claude(const std::string& script) {
    machine.folder.write("bin/claude", "#!/bin/sh\n" + script, 0755);
    auto plan = machine.planned(backend::asking("do it"));
    EXPECT_TRUE(plan) << describe(plan.error());
    const auto put = put_into_sandbox(*plan, machine.host);
    EXPECT_TRUE(put) << describe(put.error());
    for (const auto& folder : plan->kept_folders) fs::create_directories(folder);
    for (const auto& file : plan->private_files) {
      fs::create_directories(file.path.parent_path());
      EXPECT_TRUE(write_file_atomically(file.path, file.bytes));
    }
    notes = plan->notes;
    return process::run(plan->command);
  }
  std::vector<std::string> notes;
};

TEST_F(SandboxedClaude, SessionsAreKept) {
  const auto ran = claude("echo kept > \"$(echo ~/.claude/projects/*)/session\" && echo ok");
  EXPECT_EQ(ran.out, "ok\n") << ran.err;
  int sessions = 0;
  for (const auto& entry : fs::recursive_directory_iterator(at("home/.claude/projects"))) {
    sessions += entry.path().filename() == "session" ? 1 : 0;
  }
  EXPECT_EQ(sessions, 1);
  EXPECT_TRUE(notes.empty());
}

TEST_F(SandboxedClaude, OtherProjectsAreHidden) {
  fs::create_directories(at("home/.claude/projects/-other"));
  machine.folder.write("home/.claude/projects/-other/session", "private");
  EXPECT_EQ(claude("cat ~/.claude/projects/-other/session || echo hidden").out, "hidden\n");
}

TEST_F(SandboxedClaude, SettingsAreReadOnly) {
  fs::create_directories(at("home/.claude/skills"));
  machine.folder.write("home/.claude/settings.json", "{}");
  const auto ran = claude(
      "echo x > ~/.claude/settings.json || echo refused\n"
      "echo x > ~/.claude/skills/new || echo refused\n"
      "mv ~/.claude/skills ~/.claude/other || echo refused\n"
      "mkdir ~/.claude/hooks && echo made\n");
  EXPECT_EQ(ran.out, "refused\nrefused\nrefused\nmade\n") << ran.err;
  EXPECT_EQ(read_file(at("home/.claude/settings.json")), "{}");
  EXPECT_FALSE(fs::exists(at("home/.claude/hooks"))) << "what is new is gone afterwards";
}

TEST_F(SandboxedClaude, TrustIsAPrivateCopy) {
  machine.folder.write("home/.claude.json", "{\"a\":1}");
  const auto ran = claude("cat ~/.claude.json; echo trusted > ~/.claude.json; cat ~/.claude.json");
  EXPECT_EQ(ran.out, "{\"a\":1}trusted\n") << ran.err;
  EXPECT_EQ(read_file(at("home/.claude.json")), "{\"a\":1}");
}

TEST_F(SandboxedClaude, ARefreshedLoginIsKept) {
  machine.folder.write("home/.claude/.credentials.json", "old");
  EXPECT_EQ(claude("echo new > ~/.claude/.credentials.json && echo ok").out, "ok\n");
  EXPECT_EQ(read_file(at("home/.claude/.credentials.json")), "new\n");
}

TEST_F(Sandbox, SecretsOfTheEnvironmentStayOutside) {
  machine.host.environment.push_back("DEPLOY_TOKEN=outside");
  machine.host.environment.push_back("SSH_AUTH_SOCK=/tmp/agent");
  machine.host.own_env.push_back({"GIVEN_TOKEN", "inside"});
  const auto plan = planned({"true"});
  const auto removed = [&](std::string_view name) {
    return std::ranges::any_of(
        plan.command.env, [&](const auto& change) { return change.name == name && !change.value; });
  };
  EXPECT_TRUE(removed("DEPLOY_TOKEN"));
  EXPECT_TRUE(removed("SSH_AUTH_SOCK"));
  EXPECT_FALSE(removed("GIVEN_TOKEN")) << "the user set it for this run";
  ASSERT_EQ(plan.notes.size(), 1u);
  EXPECT_TRUE(plan.notes[0].contains("DEPLOY_TOKEN")) << plan.notes[0];
}

/// bwrap itself runs outside: it must not load a library that the agent can write.
TEST_F(Sandbox, TheLoadersVariablesDoNotReachBubblewrap) {
  machine.host.own_env.push_back({"LD_LIBRARY_PATH", at("work").string()});
  machine.folder.write("work/libcap.so.2", "not a library");
  const auto ran = shell("echo $LD_LIBRARY_PATH");
  EXPECT_EQ(ran.out, at("work").string() + "\n") << ran.err;
}

TEST_F(Sandbox, BubblewrapOfTheWorkspaceIsNotUsed) {
  machine.folder.write("work/bwrap", "#!/bin/sh\necho outside\n", 0755);
  machine.host.environment.front() = fmt::format("PATH={}:/usr/bin:/bin", at("work").string());
  EXPECT_EQ(check_sandbox(machine.host).error().code, Code::unavailable);
  machine.host.environment.front() = "PATH=/usr/bin:/bin";
  machine.host.own_env.push_back({"PATH", fmt::format("{}:/usr/bin:/bin", at("work").string())});
  EXPECT_TRUE(check_sandbox(machine.host)) << "what is set for the agent does not count";
}

TEST_F(Sandbox, CommandsBesideTheAgentAreConfinedToo) {
  machine.folder.write("home/private", "secret");
  const auto wrap = sandbox_for_commands(machine.host);
  ASSERT_TRUE(wrap) << describe(wrap.error());
  process::Command command;
  command.argv = {"/bin/sh", "-c", "cat ~/private || echo hidden; echo x > made && echo made"};
  command.env = machine.host.own_env;
  command.cwd = at("work");
  const auto wrapped = (*wrap)(command);
  ASSERT_TRUE(wrapped) << describe(wrapped.error());
  EXPECT_EQ(process::run(*wrapped).out, "hidden\nmade\n");
}

TEST_F(Sandbox, WhatIsObeyedLaterIsReadOnly) {
  fs::create_directories(at("work/.git/hooks"));
  fs::create_directories(at("work/.ralph/state"));
  for (const auto* name :
       {".git/config", "ralph.yml", ".envrc", ".mcp.json", ".ralph/config.yml"}) {
    machine.folder.write(fmt::format("work/{}", name), "old");
  }
  const auto ran = shell(
      "for f in .git/config .git/hooks/pre-commit ralph.yml .envrc .mcp.json .ralph/config.yml; "
      "do\n"
      "  (echo evil > $f) 2>/dev/null && echo wrote $f\n"
      "done\n"
      "mv .git elsewhere 2>/dev/null && echo moved .git\n"
      "rm -f ralph.yml 2>/dev/null && echo removed ralph.yml\n"
      "echo x > .git/index && echo index\n");
  EXPECT_EQ(ran.out, "index\n") << ran.err;
}

/// A link that an agent planted must not show what it leads to in the next sandbox.
TEST_F(Sandbox, APlantedLinkShowsNothing) {
  machine.folder.write("home/private", "secret");
  fs::create_symlink(at("home/private"), at("work/.mcp.json"));
  EXPECT_EQ(shell("cat .mcp.json || echo hidden").out, "hidden\n");
}

TEST_F(Sandbox, FilesThatWillBeLostAreTold) {
  fs::remove_all(at("home/.claude"));
  auto plan = machine.planned(backend::asking("do it"));
  ASSERT_TRUE(plan) << describe(plan.error());
  ASSERT_TRUE(put_into_sandbox(*plan, machine.host));
  ASSERT_EQ(plan->notes.size(), 1u);
  EXPECT_TRUE(plan->notes[0].contains("mkdir")) << plan->notes[0];
  EXPECT_FALSE(fs::exists(at("home/.claude")));
}

TEST_F(Sandbox, AStateFolderThatIsTheHomeIsRefused) {
  machine.host.own_env.push_back({"CLAUDE_CONFIG_DIR", at("home").string()});
  auto plan = machine.planned(backend::asking("do it"));
  ASSERT_TRUE(plan) << describe(plan.error());
  EXPECT_EQ(put_into_sandbox(*plan, machine.host).error().code, Code::usage);
}

TEST_F(Sandbox, AWorkspaceThatHoldsTheHomeIsRefused) {
  fs::create_directory_symlink(at("home"), at("home-link"));
  for (const fs::path& workspace :
       {at("home"), at("home-link"), machine.folder.path(), fs::path("/")}) {
    machine.host.workspace = workspace;
    const auto works = check_sandbox(machine.host);
    ASSERT_FALSE(works) << workspace;
    EXPECT_EQ(works.error().code, Code::usage);
    EXPECT_TRUE(works.error().message.contains("the home")) << works.error().message;
  }
}

TEST_F(Sandbox, ARefusalIsToldWithItsWords) {
  machine.folder.write("bin/bwrap", "#!/bin/sh\necho 'bwrap: No permissions' >&2\nexit 1\n", 0755);
  const auto works = check_sandbox(machine.host);
  ASSERT_FALSE(works);
  EXPECT_EQ(works.error().code, Code::unavailable);
  EXPECT_TRUE(works.error().message.ends_with("bwrap: No permissions")) << works.error().message;
  auto plan = machine.planned(backend::asking("do it"));
  EXPECT_EQ(put_into_sandbox(*plan, machine.host), works);
}

TEST(NoSandbox, WithoutBubblewrap) {
  backend::Machine machine;
  const auto works = check_sandbox(machine.host);
  ASSERT_FALSE(works);
  EXPECT_EQ(works.error().code, Code::unavailable);
  EXPECT_EQ(works.error().hint, "apt-get install bubblewrap");
}

TEST(NoSandbox, WithoutAHome) {
  backend::Machine machine({"bwrap"});
  machine.host.environment.pop_back();
  EXPECT_EQ(check_sandbox(machine.host).error().code, Code::usage);
}

}  // namespace
}  // namespace ralph::run
