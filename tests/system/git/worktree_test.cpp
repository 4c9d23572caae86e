// Repositories made by git itself, and what is seen of them compared with what git says.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "system/git/harness.h"
#include "system/git/history.h"

namespace ralph::git {
namespace {

// Opening.

TEST_F(GitWork, NoRepositoryIsNoError) {
  Error why;
  const auto work = Worktree::open(folder_.path(), why);
  ASSERT_TRUE(work) << describe(work.error());
  EXPECT_FALSE(*work);
  EXPECT_NE(why.message.find("is not in a git repository"), std::string::npos) << why.message;
}

TEST_F(GitWork, NoGitIsNoError) {
  const std::string path = std::getenv("PATH");
  // A program of that name in the workspace is nobody's git.
  folder_.write("repo/git", "#!/bin/sh\ntouch ../EVIL\n", 0755);
  ::setenv("PATH", ".:/nowhere", 1);
  Error why;
  const auto work = Worktree::open(repo(), why);
  ::setenv("PATH", path.c_str(), 1);
  ASSERT_TRUE(work) << describe(work.error());
  EXPECT_FALSE(*work);
  EXPECT_NE(why.message.find("not installed"), std::string::npos) << why.message;
  EXPECT_FALSE(attacked());
}

TEST_F(GitWork, ABareOrBrokenRepositoryIsAnError) {
  Error why;
  shell("git init -q --bare ../bare");
  const auto bare = Worktree::open(folder_ / "bare", why);
  ASSERT_FALSE(bare);
  EXPECT_NE(bare.error().message.find("work tree"), std::string::npos) << bare.error().message;
  folder_.write("broken/.git", "gitdir: /nowhere\n");
  const auto broken = Worktree::open(folder_ / "broken", why);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("/nowhere"), std::string::npos) << broken.error().message;
}

TEST_F(GitWork, ARepositoryOfAnotherUserIsAnErrorThatQuotesGit) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(::chown(repo().c_str(), 12345, 12345), 0);
  ASSERT_EQ(::chown((repo() / ".git").c_str(), 12345, 12345), 0);
  Error why;
  const auto work = Worktree::open(repo(), why);
  ASSERT_FALSE(work);
  EXPECT_EQ(work.error().code, Code::permission);
  EXPECT_NE(work.error().message.find("safe.directory"), std::string::npos);
}

TEST_F(GitWork, OurEnvironmentLeadsToNoOtherRepository) {
  const auto commit = first_commit();
  ::setenv("GIT_DIR", "/nowhere", 1);
  ::setenv("GIT_INDEX_FILE", "/nowhere", 1);
  ::setenv("GIT_LITERAL_PATHSPECS", "1", 1);
  const auto work = open();
  const auto head = work.head();
  const auto tree = work.tree();
  for (const auto* name : {"GIT_DIR", "GIT_INDEX_FILE", "GIT_LITERAL_PATHSPECS"}) ::unsetenv(name);
  EXPECT_EQ(good(head), commit);
  EXPECT_EQ(good(tree), git("rev-parse HEAD^{tree}"));
}

// Trees.

TEST_F(GitWork, ATreeIsWhatTheFolderHolds) {
  first_commit();
  write(".gitignore", "*.o\n");
  write("staged", "s");
  git("add staged");
  write("a", "two\n");
  write("sub/new", "n");
  write("b.o", "ignored");
  write(".ralph/state/x", "ours");
  const auto index = read(".git/index");
  const auto work = open();
  const auto tree = good(work.tree());
  EXPECT_EQ(paths_of(tree), ".gitignore\na\nstaged\nsub/new");
  EXPECT_EQ(git(fmt::format("show {}:a", tree)), "two");
  EXPECT_EQ(read(".git/index"), index) << "the user's index is his";
  EXPECT_EQ(good(work.tree()), tree);
  shell("rm a sub/new");
  EXPECT_EQ(paths_of(good(work.tree())), ".gitignore\nstaged");
}

TEST_F(GitWork, ATreeBeforeTheFirstCommit) {
  const auto work = open();
  EXPECT_EQ(good(work.head()), "");
  EXPECT_EQ(paths_of(good(work.tree())), "");
  write("a", "one\n");
  EXPECT_EQ(paths_of(good(work.tree())), "a");
  EXPECT_FALSE(there(".git/index"));
}

TEST_F(GitWork, ATreeFromASubfolderIsOfTheWholeRepository) {
  first_commit();
  write("deep/er/b", "b");
  write("deep/.ralph/x", "ours");
  const auto work = open(repo() / "deep");
  EXPECT_EQ(work.root(), fs::canonical(repo()));
  EXPECT_EQ(paths_of(good(work.tree())), "a\ndeep/er/b");
}

TEST_F(GitWork, ATreeInALinkedWorktree) {
  first_commit();
  git("worktree add -q ../other -b other");
  folder_.write("other/b", "b");
  const auto work = open(folder_ / "other");
  EXPECT_EQ(paths_of(good(work.tree())), "a\nb");
  const auto commit = good(work.commit("there", "refs/heads/other"));
  EXPECT_EQ(git("rev-parse other"), commit);
  EXPECT_NE(git("rev-parse main"), commit);
  good(work.check_settings());
}

TEST_F(GitWork, PathsOfAllKinds) {
  first_commit();
  const Paths names{"-dash", ":(top)x", "new\nline", "quo\"te\\", "spa ce ", "\xff\xfe", "*", "é"};
  for (const auto& name : names) write(name, name);
  const auto work = open();
  auto dirty = good(work.dirty());
  std::ranges::sort(dirty);
  auto wanted = names;
  std::ranges::sort(wanted);
  EXPECT_EQ(dirty, wanted);
  const auto before = good(work.head());
  const auto commit = good(work.commit("names", kMain));
  EXPECT_EQ(good(work.dirty()), Paths{});
  Paths changed;
  for (const auto& change : good(changes(work.program(), before, commit))) {
    EXPECT_EQ(change.kind, 'A');
    EXPECT_EQ(change.added, change.path == "new\nline" ? 2 : 1) << change.path;
    changed.push_back(change.path);
  }
  std::ranges::sort(changed);
  EXPECT_EQ(changed, wanted);
}

TEST_F(GitWork, FilesThatBecomeFoldersAndLinks) {
  first_commit();
  write("folder/f", "f");
  write("linked/g", "g");
  git("add .");
  git("commit -q -m more");
  shell("rm a && mkdir a && echo b > a/b && rm -r folder && echo f > folder");
  shell("mv linked elsewhere && ln -s elsewhere linked");
  const auto work = open();
  EXPECT_EQ(paths_of(good(work.tree())), "a/b\nelsewhere/g\nfolder\nlinked");
  good(work.commit("turned", kMain));
  EXPECT_EQ(git("status --porcelain"), "");
}

/// A change that only the bytes tell: same size, same times, made in the moment the index was written.
TEST_F(GitWork, AChangeInTheMomentOfTheIndexIsSeen) {
  git("config core.trustctime false");
  first_commit();
  const auto set = [&](const char* name) {
    const timespec times[] = {{1'700'000'000, 0}, {1'700'000'000, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, (repo() / name).c_str(), times, 0), 0);
  };
  set("a");
  git("update-index a");
  shell("printf 'two\\n' > a");
  set("a");
  set(".git/index");
  const auto work = open();
  EXPECT_EQ(git(fmt::format("show {}:a", good(work.tree()))), "two");
}

TEST_F(GitWork, ATreeInTheMiddleOfAConflict) {
  first_commit();
  shell(
      "git checkout -q -b side && echo side > a && git commit -qam side && git checkout -q main "
      "&& echo main > a && git commit -qam main && ! git merge side");
  const auto work = open();
  const auto tree = good(work.tree());
  EXPECT_NE(git(fmt::format("show {}:a", tree)).find("<<<<<<<"), std::string::npos);
  EXPECT_FALSE(git("ls-files -u").empty());
}

// What an agent could have prepared.

TEST_F(GitWork, ARepositoryInsideIsNotEntered) {
  first_commit();
  shell(
      "git init -q sub && cd sub && echo x > f && git add f && git -c user.name=x -c "
      "user.email=x@x commit -q -m s");
  const auto work = open();
  EXPECT_EQ(paths_of(good(work.tree())), "a") << "untracked: not there";
  EXPECT_EQ(good(work.dirty()), Paths{});
  shell("git add sub 2>/dev/null && git commit -q -m gitlink");
  shell("cd sub && echo 'f filter=x' > .git/info/attributes");
  git(fmt::format("-C sub config filter.x.clean \"{}\"", evil()));
  shell("touch -d 2001-01-01 sub/f");
  write("a", "two\n");
  const auto start = good(work.head());
  good(work.tree());
  good(work.dirty());
  good(work.commit("more", kMain));
  write("a", "three\n");
  good(work.stash("aside"));
  write("a", "three\n");
  good(work.reset_to(start, "kept", kMain));
  EXPECT_FALSE(attacked());
  git("status");
  EXPECT_TRUE(attacked()) << "git itself would have";
}

TEST_F(GitWork, ASubmoduleIsTheCommitItStandsAt) {
  first_commit();
  shell(
      "git init -q sub && cd sub && git config user.name x && git config user.email x@x && git "
      "commit -q --allow-empty -m s && cd .. && git add sub 2>/dev/null && git commit -q -m link");
  const auto work = open();
  const auto before = good(work.tree());
  shell("cd sub && echo y > y");
  EXPECT_EQ(good(work.tree()), before);
  shell("cd sub && git commit -q --allow-empty -m t");
  EXPECT_NE(good(work.tree()), before);
  EXPECT_EQ(good(work.dirty()), Paths{"sub"});
}

TEST_F(GitWork, HooksAndWatchersDoNotRun) {
  first_commit();
  for (const auto* name :
       {"pre-commit", "post-commit", "reference-transaction", "post-index-change",
        "prepare-commit-msg", "commit-msg", "post-checkout"}) {
    folder_.write(fmt::format("repo/.git/hooks/{}", name), "#!/bin/sh\n" + evil() + "\n", 0755);
  }
  folder_.write("watch", "#!/bin/sh\n" + evil() + "\n", 0755);
  git(fmt::format("config core.fsmonitor '{}'", (folder_ / "watch").native()));
  write("b", "b");
  const auto work = open();
  const auto before = good(work.head());
  good(work.tree());
  good(work.commit("more", kMain));
  write("b", "c");
  good(work.stash("aside"));
  good(work.reset_to(before, "kept", kMain));
  EXPECT_FALSE(attacked());
}

TEST_F(GitWork, SettingsThatNameProgramsMayNotChange) {
  const auto start = first_commit();
  const auto work = open();
  write(".gitattributes", "* filter=x\n");
  git(fmt::format("config filter.x.clean \"{}\"", evil()));
  write("b", "b");
  const auto refused = [](const auto& result, std::string_view part) {
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::permission);
    EXPECT_NE(result.error().message.find(part), std::string::npos) << result.error().message;
  };
  refused(work.check_settings(), ".git/config' (filter.x.clean)");
  refused(work.tree(), "filter.x.clean");
  refused(work.dirty(), "filter.x.clean");
  refused(work.commit("x", kMain), "filter.x.clean");
  refused(work.stash("x"), "filter.x.clean");
  refused(work.reset_to(start, "x", kMain), "filter.x.clean");
  EXPECT_FALSE(attacked());
  git("config --remove-section filter.x");
  good(work.check_settings());
  write(".git/info/attributes", "* diff=x\n");
  refused(work.tree(), "info/attributes");
  fs::remove(repo() / ".git/info/attributes");
  write(".git/commondir", "/elsewhere\n");
  refused(work.tree(), "commondir");
}

TEST_F(GitWork, SettingsInIncludedFilesMayNotChange) {
  first_commit();
  write("shared.config", "[core]\n\tabbrev = 9\n");
  git("config include.path ../shared.config");
  git("config includeIf.onbranch:evil.path ../branch.config");
  const auto work = open();
  good(work.tree());
  write("shared.config", "[core]\n\tabbrev = 9\n[filter \"x\"]\n\tclean = cat\n");
  EXPECT_EQ(work.tree().error().code, Code::permission);
  write("shared.config", "[core]\n\tabbrev = 9\n");
  good(work.tree());
  write("branch.config", "[filter \"x\"]\n\tclean = cat\n");
  git("checkout -q -b evil");
  EXPECT_EQ(work.tree().error().code, Code::permission);
}

TEST_F(GitWork, WhatAgentsSetEveryDayMayChange) {
  first_commit();
  const auto work = open();
  git("config user.email agent@example.org");
  git("remote add origin https://example.org/x.git");
  git("config branch.main.remote origin");
  git("config branch.main.merge refs/heads/main");
  good(work.check_settings());
  good(work.tree());
  git("config branch.main.other x");
  EXPECT_FALSE(work.check_settings());
}

TEST_F(GitWork, TheDigestOfSettingsIsThatOfWhatMayNotChange) {
  first_commit();
  const auto before = open().settings_digest();
  EXPECT_EQ(before.size(), 64U);
  git("config user.email agent@example.org");
  git("remote add origin https://example.org/x.git");
  EXPECT_EQ(open().settings_digest(), before);
  git("config filter.x.clean cat");
  const auto other = open().settings_digest();
  EXPECT_NE(other, before);
  git("config filter.x.clean tac");
  EXPECT_NE(open().settings_digest(), other);
  git("config --remove-section filter.x");
  EXPECT_EQ(open().settings_digest(), before);
  write(".git/info/attributes", "* diff=x\n");
  EXPECT_NE(open().settings_digest(), before);
}

// Differences.

TEST_F(GitWork, ChangesBetweenTrees) {
  write("gone", "1\n2\n");
  write("exec", "x\n");
  write("kind", "x\n");
  const auto before = first_commit();
  git("add .");
  git("commit -q -m all");
  const auto work = open();
  const auto from = good(work.tree());
  shell("rm gone kind && ln -s a kind && chmod +x exec && printf 'one\\ntwo\\n' > a");
  shell("printf '\\000\\001' > bin");
  auto changes = good(git::changes(work.program(), from, good(work.tree())));
  const std::vector<FileChange> wanted{{'M', "a", 1, 0},
                                       {'A', "bin", -1, -1},
                                       {'M', "exec", 0, 0},
                                       {'D', "gone", 0, 2},
                                       {'T', "kind", 1, 1}};
  EXPECT_EQ(changes, wanted);
  EXPECT_EQ(good(git::changes(work.program(), from, from)), std::vector<FileChange>{});
  EXPECT_EQ(git::changes(work.program(), "--output=x", from).error().code, Code::usage);
  EXPECT_FALSE(git::changes(work.program(), std::string(40, 'a'), from));
  EXPECT_TRUE(git::changes(work.program(), before, from)) << "a commit is as good as a tree";
}

TEST_F(GitWork, ADiffForPeople) {
  const auto before = first_commit();
  git("config color.ui always");
  git("config diff.external false");
  git("config diff.noprefix true");
  write("a", "two\n");
  const auto work = open();
  const auto diff = good(git::diff(work.program(), before, good(work.tree())));
  EXPECT_NE(diff.find("--- a/a\n+++ b/a\n@@ -1 +1 @@\n-one\n+two\n"), std::string::npos) << diff;
}

}  // namespace
}  // namespace ralph::git
