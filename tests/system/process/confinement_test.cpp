#include "system/process/confinement.h"

#include <fstream>

#include <linux/filter.h>
#include <sys/file.h>

#include "system/process/capture.h"
#include "system/process/confinement_rules.h"
#include "system/process/harness.h"
#include "system/process/seccomp_filter.h"

namespace ralph::process {
namespace {

namespace fs = std::filesystem;

/// A workspace and a scratch folder, and programs that run under a confinement of them.
struct Ground {
  TempFolder folder;
  fs::path base = fs::canonical(folder.path());
  fs::path workspace = base / "workspace";
  fs::path scratch = base / "scratch";
  Confinement confinement;

  Ground() {
    fs::create_directories(workspace);
    confinement.execute = {"/usr", "/bin", "/lib", "/lib64"};
    confinement.read = {workspace, "/etc/ld.so.cache", "/proc"};
    confinement.scratch = scratch;
  }
  void allow_writing() {
    confinement.read = {"/etc/ld.so.cache", "/proc"};
    confinement.write = {workspace};
  }
  Command command(const std::string& script) const {
    fs::create_directories(scratch);
    Command made;
    made.argv = {"/bin/sh", "-c", script};
    made.cwd = workspace;
    made.confinement = confinement;
    return made;
  }
  Captured run(const std::string& script) const {
    auto ran = capture(command(script), {});
    EXPECT_TRUE(ran) << (ran ? "" : describe(ran.error()));
    return ran ? *std::move(ran) : Captured{};
  }
  std::string refusal(const Command& made) const {
    const auto ran = capture(made, {});
    return ran ? "it ran" : describe(ran.error());
  }
};

TEST(Confinement, IsDataThatCanBePrinted) {
  Confinement confinement;
  confinement.read = {"/project"};
  confinement.execute = {"/usr"};
  confinement.write = {"/project/out"};
  confinement.hidden = {"/project/secret"};
  confinement.protect = {"/project/out/.git"};
  confinement.scratch = "/tmp/x";
  confinement.environment = {{"A", "b"}, {"KEY", std::nullopt}};
  EXPECT_EQ(to_text(confinement),
            "read /project\nexecute /usr\nwrite /project/out\nhidden /project/secret\nprotect "
            "/project/out/.git\n"
            "scratch /tmp/x\nnetwork none\nsignals own tree\nset A=b\nunset KEY\n");
}

TEST(Confinement, HandlesWhatEachLandlockAbiKnows) {
  using Network = Confinement::Network;
  const std::uint64_t handled[] = {0x1fff, 0x3fff, 0x7fff, 0x7fff, 0xffff, 0xffff, 0xffff};
  for (int abi = 1; abi <= 7; ++abi) {
    const auto rights = landlock_rights(abi, Network::none);
    EXPECT_EQ(rights.handled, handled[abi - 1]) << abi;
    EXPECT_EQ(rights.scopes, abi >= 6 ? 3u : 0u) << abi;
    EXPECT_EQ(landlock_rights(abi, Network::all).scopes, abi >= 6 ? 2u : 0u) << abi;
    EXPECT_EQ(rights.read, 0xcu);
    EXPECT_EQ(rights.execute, 0xdu);
    for (const auto part : {rights.read, rights.execute, rights.write, rights.device}) {
      EXPECT_EQ(part & ~rights.handled, 0u) << abi;
    }
    EXPECT_EQ(rights.write & ((1u << 6) | (1u << 11)), 0u) << "no devices are made";
  }
}

TEST(Confinement, ChoosesTheKernelThenBubblewrapThenNothing) {
  Confinement reading;
  Confinement editing;
  editing.write = {"/project"};
  ConfinementSupport support{.landlock_abi = 2, .seccomp = true, .mounts = true};
  EXPECT_EQ(mechanism_for(reading, support).value(), Mechanism::kernel);
  EXPECT_EQ(mechanism_for(editing, support).value(), Mechanism::kernel);
  support.mounts = false;
  support.no_mounts = "user namespaces are off";
  EXPECT_EQ(mechanism_for(reading, support).value(), Mechanism::kernel);
  EXPECT_NE(mechanism_for(editing, support).error().message.find("user namespaces are off"),
            std::string::npos);
  support.bubblewrap = "/usr/bin/bwrap";
  EXPECT_EQ(mechanism_for(editing, support).value(), Mechanism::bubblewrap);
  support.landlock_abi = 0;
  EXPECT_EQ(mechanism_for(reading, support).value(), Mechanism::bubblewrap);
  support.bubblewrap.clear();
  EXPECT_NE(mechanism_for(reading, support).error().message.find("no Landlock"), std::string::npos);
}

TEST(Confinement, KeepsOfRootsRightsOnlyThoseToFiles) {
  Confinement confinement;
  EXPECT_EQ(kept_capabilities(confinement, false), 0u);
  EXPECT_EQ(kept_capabilities(confinement, true), 1u << 2);
  confinement.write = {"/project"};
  EXPECT_EQ(kept_capabilities(confinement, true), 0b1111u);
}

TEST(Confinement, WordsForBubblewrapShowOnlyWhatIsAllowed) {
  Ground ground;
  ground.confinement.hidden = {ground.workspace};
  const auto words = bubblewrap_words(ground.confinement, "/usr/bin/bwrap", ground.workspace);
  const auto has = [&](std::initializer_list<std::string> part) {
    return std::ranges::search(words, part).begin() != words.end();
  };
  EXPECT_TRUE(has({"--unshare-net"}));
  EXPECT_TRUE(has({"--ro-bind-try", ground.workspace.string(), ground.workspace.string()}));
  EXPECT_TRUE(has({"--bind", ground.scratch.string(), ground.scratch.string()}));
  EXPECT_TRUE(has({"--tmpfs", ground.workspace.string()}));
  EXPECT_FALSE(has({"--ro-bind", "/", "/"}));
  EXPECT_EQ(words.back(), "--");
}

TEST(Confinement, AllowsReadingAndNothingElse) {
  Ground ground;
  ground.folder.write("workspace/file", "text\n");
  ground.folder.write("outside", "secret\n");
  const auto ran =
      ground.run("cat file; echo x >file; echo x >new; cat ../outside; echo y >\"$0\"");
  EXPECT_EQ(ran.out, "text\n");
  EXPECT_EQ(test::text_of(ground.workspace / "file"), "text\n");
  EXPECT_FALSE(fs::exists(ground.workspace / "new"));
  EXPECT_NE(ran.err.find("Permission denied"), std::string::npos);
}

TEST(Confinement, WorksByTheRulesOfEveryLandlockAbi) {
  const auto here = full_support();
  if (here.landlock_abi == 0 || !here.mounts) GTEST_SKIP() << "this kernel cannot";
  for (int abi = 1; abi <= here.landlock_abi; ++abi) {
    Ground ground;
    ground.folder.write("workspace/file", "text\n");
    auto command = ground.command("cat file; : >file; kill -9 $PPID");
    command.support = ConfinementSupport{.landlock_abi = abi, .seccomp = true, .mounts = true};
    const auto ran = capture(command, {});
    ASSERT_TRUE(ran) << abi << describe(ran.error());
    EXPECT_EQ(ran->out, "text\n") << abi;
    EXPECT_EQ(test::text_of(ground.workspace / "file"), "text\n") << abi;
    EXPECT_FALSE(ran->exit.signal) << abi;
    ground.allow_writing();
    command = ground.command("echo new >file && mkdir a b && mv file a/file && cat a/file");
    command.support = ConfinementSupport{.landlock_abi = abi, .seccomp = true, .mounts = true};
    const auto wrote = capture(command, {});
    ASSERT_TRUE(wrote) << abi << describe(wrote.error());
    EXPECT_EQ(wrote->out, "new\n") << abi << wrote->err;
  }
}

TEST(Confinement, HidesAndProtectsInsideAllowedFolders) {
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  Ground ground;
  ground.allow_writing();
  ground.folder.write("workspace/secret/key", "secret\n");
  ground.folder.write("workspace/password", "secret\n");
  ground.folder.write("workspace/settings", "good\n");
  ground.confinement.hidden = {ground.workspace / "secret", ground.workspace / "password"};
  ground.confinement.protect = {ground.workspace / "settings", ground.workspace / "missing"};
  const auto ran = ground.run(
      "cat secret/key password; echo bad >settings; rm settings; echo bad >missing; mkdir "
      "missing/x; "
      "mv secret open; echo fine >file; cat file");
  EXPECT_EQ(ran.out, "fine\n");
  EXPECT_EQ(test::text_of(ground.workspace / "settings"), "good\n");
  EXPECT_FALSE(fs::exists(ground.workspace / "missing"));
  EXPECT_EQ(test::text_of(ground.workspace / "secret/key"), "secret\n");
}

TEST(Confinement, RemovesTheScratchFolderHoweverItWasFilled) {
  Ground ground;
  const auto ran = ground.run(
      "cd ../scratch && mkdir -m 0 closed && mkdir -p a/b/c && echo x >a/b/c/d && ln -s / root && "
      "i=0; while [ $i -lt 300 ]; do mkdir d && cd d || exit 1; i=$((i+1)); done; echo deep");
  EXPECT_EQ(ran.out, "deep\n") << ran.err;
  EXPECT_FALSE(fs::exists(ground.scratch));
}

TEST(Confinement, APlaceholderStaysWhileAnotherCommandNeedsIt) {
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  Ground ground;
  ground.allow_writing();
  ground.confinement.protect = {ground.workspace / "missing"};
  auto first = start(ground.command("exec sleep 60"));
  ASSERT_TRUE(first) << describe(first.error());
  Ground second = {};
  auto other = ground.confinement;
  other.scratch = second.scratch;
  auto command = second.command("mkdir missing/x; rmdir missing");
  command.cwd = ground.workspace;
  command.confinement = other;
  EXPECT_FALSE(capture(command, {})->ok());
  EXPECT_TRUE(fs::is_directory(ground.workspace / "missing"));
  {
    const auto ended = *std::move(first);
  }
  EXPECT_FALSE(fs::exists(ground.workspace / "missing"));
}

TEST(Confinement, TakesOverAPlaceholderLeftBehindButKeepsWhatIsInIt) {
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  Ground ground;
  ground.allow_writing();
  ground.confinement.protect = {ground.workspace / "empty", ground.workspace / "full"};
  for (const auto* name : {"empty", "full"}) {
    fs::create_directory(ground.workspace / name);
    ::chmod((ground.workspace / name).c_str(), 01711);
  }
  ground.folder.write("workspace/full/file", "kept\n");
  EXPECT_TRUE(ground.run("true").ok());
  EXPECT_FALSE(fs::exists(ground.workspace / "empty"));
  EXPECT_EQ(test::text_of(ground.workspace / "full/file"), "kept\n");
  EXPECT_EQ(test::mode_of(ground.workspace / "full"), 0755u);
}

TEST(Confinement, RefusesToStartWhereAPartCannotBeApplied) {
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  Ground ground;
  ground.allow_writing();
  fs::create_symlink("/etc", ground.workspace / "link");
  ground.confinement.protect = {ground.workspace / "link"};
  const auto refused = ground.refusal(ground.command("echo ran >file"));
  EXPECT_NE(refused.find("cannot be confined"), std::string::npos) << refused;
  EXPECT_NE(refused.find("link"), std::string::npos) << refused;
  EXPECT_FALSE(fs::exists(ground.workspace / "file"));
  EXPECT_FALSE(fs::exists(ground.scratch));

  ground.confinement.protect.clear();
  ground.confinement.write = {ground.workspace / "nowhere"};
  EXPECT_NE(ground.refusal(ground.command("true")).find("nowhere"), std::string::npos);
  ground.confinement.write = {"relative"};
  EXPECT_NE(ground.refusal(ground.command("true")).find("absolute"), std::string::npos);
}

TEST(Confinement, NeedsAWorkingFolder) {
  Ground ground;
  auto command = ground.command("true");
  command.cwd.clear();
  EXPECT_NE(ground.refusal(command).find("working directory"), std::string::npos);
}

TEST(Confinement, TakesManyLongPaths) {
  Ground ground;
  for (int i = 0; i < 3000; ++i) {
    ground.confinement.read.push_back(ground.workspace / std::string(200, 'x') / std::to_string(i));
  }
  EXPECT_TRUE(ground.run("true").ok());
}

TEST(Confinement, BubblewrapDoesWhatTheKernelCannot) {
  const auto here = full_support();
  if (here.bubblewrap.empty()) GTEST_SKIP() << "no bubblewrap";
  Ground ground;
  ground.allow_writing();
  ground.folder.write("workspace/secret/key", "secret\n");
  ground.folder.write("outside", "secret\n");
  ground.confinement.hidden = {ground.workspace / "secret"};
  ground.confinement.protect = {ground.workspace / "missing"};
  auto command = ground.command(
      "cat secret/key ../outside; mkdir missing/x; echo fine >file; cat file; "
      "grep -o 'Seccomp:.*2' /proc/self/status");
  command.support = ConfinementSupport{.seccomp = true, .bubblewrap = here.bubblewrap};
  const auto ran = capture(command, {});
  ASSERT_TRUE(ran) << describe(ran.error());
  EXPECT_EQ(ran->out, "fine\nSeccomp:\t2\n") << ran->err;
  EXPECT_EQ(test::text_of(ground.workspace / "file"), "fine\n");
  EXPECT_FALSE(fs::exists(ground.workspace / "missing"));
  EXPECT_FALSE(fs::exists(ground.scratch));
}

TEST(Confinement, WithoutAFilterBubblewrapIsNotEnough) {
  Confinement confinement;
  EXPECT_FALSE(mechanism_for(confinement, {.bubblewrap = "/usr/bin/bwrap"}));
  EXPECT_EQ(*mechanism_for(confinement, {.seccomp = true, .bubblewrap = "/usr/bin/bwrap"}),
            Mechanism::bubblewrap);
}

TEST(Confinement, AllowsNothingThroughALink) {
  Ground ground;
  ground.folder.write("elsewhere/file", "secret\n");
  const auto link = ground.workspace.parent_path() / "link";
  fs::create_directory_symlink(ground.workspace.parent_path() / "elsewhere", link);
  ground.confinement.read.push_back(link);
  EXPECT_EQ(ground.run("cat ../link/file").out, "");
}

TEST(Confinement, FoldersAroundAHiddenPathStayWhereTheyAre) {
  Ground ground;
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  ground.allow_writing();
  ground.folder.write("workspace/a/b/key", "secret\n");
  ground.folder.write("workspace/a/other", "x\n");
  ground.confinement.hidden = {ground.workspace / "a/b/key"};
  ground.run("mv a/b a/c; mv a d; mv a/other a/moved; rm -rf a/b");
  EXPECT_TRUE(fs::exists(ground.workspace / "a/b/key"));
  EXPECT_TRUE(fs::exists(ground.workspace / "a/moved"));
}

TEST(Confinement, AHiddenPathThatIsGoneEndsTheStart) {
  Ground ground;
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  ground.confinement.hidden = {ground.workspace / "moved"};
  EXPECT_FALSE(capture(ground.command("true"), {}));
}

TEST(Confinement, TheScratchFolderGoesWhateverItsMode) {
  Ground ground;
  if (!full_support().mounts) GTEST_SKIP() << "no mount namespace";
  ground.allow_writing();
  const auto folder = ground.scratch.string();
  EXPECT_TRUE(ground.run("cd " + folder + " && mkdir -p a/b && chmod 0 a/b a .").ok());
  EXPECT_FALSE(fs::exists(ground.scratch));
}

TEST(Confinement, TheFilterIsSmallAndTheSameEachTime) {
  const auto filter = seccomp_filter({}, 7);
  ASSERT_TRUE(filter);
  EXPECT_LT(filter->size() / sizeof(sock_filter), 256u);
  EXPECT_EQ(filter, seccomp_filter({}, 7));
  EXPECT_NE(filter, seccomp_filter({}, 2));
}

}  // namespace
}  // namespace ralph::process
