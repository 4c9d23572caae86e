// What is done to a user's branch, index and folder.
#include "system/git/harness.h"
#include "system/git/history.h"

namespace ralph::git {
namespace {

using GitWorkChange = GitWork;

TEST_F(GitWorkChange, ACommitTakesEverythingButOurs) {
  const auto before = first_commit();
  write(".gitignore", "*.o\n");
  write("b.o", "ignored");
  write("sub/new", "n");
  write("staged", "s");
  git("add staged");
  write(".ralph/config.yml", "ours");
  shell("rm a");
  const auto work = open();
  const auto commit = good(work.commit("# a title\n\nand a body", kMain));
  EXPECT_EQ(commit, git("rev-parse HEAD"));
  EXPECT_EQ(good(parent(work.program(), commit)), before);
  EXPECT_EQ(good(parent(work.program(), before)), "");
  EXPECT_EQ(paths_of(commit), ".gitignore\nstaged\nsub/new");
  EXPECT_EQ(git("log -1 --format=%B"), "# a title\n\nand a body\n");
  EXPECT_EQ(git("log -1 --format='%an %ae'"), "T t@example.org");
  EXPECT_EQ(git("status --porcelain"), "?? .ralph/");
  EXPECT_EQ(good(work.commit("again", kMain)), "") << "nothing was changed";
  EXPECT_EQ(git("rev-parse HEAD"), commit);
}

TEST_F(GitWorkChange, TheFirstCommit) {
  const auto work = open();
  EXPECT_EQ(good(work.commit("none", kMain)), "");
  write("a", "a");
  const auto commit = good(work.commit("first", kMain));
  EXPECT_EQ(git("rev-parse main"), commit);
}

TEST_F(GitWorkChange, WithoutANameItIsRalphs) {
  git("config --unset user.name");
  git("config --unset user.email");
  write("a", "a");
  const auto work = open();
  good(work.commit("first", kMain));
  EXPECT_EQ(git("log -1 --format='%an %ae %cn %ce'"),
            "ralph ralph@localhost ralph ralph@localhost");
  git("config author.name Anne");
  write("a", "b");
  good(work.commit("second", kMain));
  EXPECT_EQ(git("log -1 --format='%an %ae %cn'"), "Anne ralph@localhost ralph");
}

TEST_F(GitWorkChange, WhatWasStagedAndIsGoneAgainIsNothing) {
  const auto before = first_commit();
  write("b", "b");
  git("add b");
  shell("rm b");
  const auto work = open();
  EXPECT_EQ(good(work.commit("none", kMain)), "");
  EXPECT_EQ(git("rev-parse HEAD"), before);
}

TEST_F(GitWorkChange, AMergeThatIsNotFinishedIsNotCommitted) {
  first_commit();
  shell(
      "git checkout -q -b side && echo side > a && git commit -qam side && git checkout -q main "
      "&& echo main > a && git commit -qam main && ! git merge side");
  const auto before = git("rev-parse HEAD");
  const auto work = open();
  for (const auto& error : {work.commit("x", kMain).error(), work.stash("x").error()}) {
    EXPECT_EQ(error.code, Code::busy);
    EXPECT_NE(error.message.find("a merge is not finished"), std::string::npos) << error.message;
    EXPECT_NE(error.hint.find("git merge --abort"), std::string::npos) << error.hint;
  }
  EXPECT_EQ(git("rev-parse HEAD"), before);
  // A reset gives it up, and keeps what was there.
  good(work.reset_to(before, "merging", kMain));
  EXPECT_EQ(git("status --porcelain"), "");
  EXPECT_FALSE(there(".git/MERGE_HEAD"));
  EXPECT_NE(git("show refs/ralph/merging:a").find("<<<<<<<"), std::string::npos);
}

TEST_F(GitWorkChange, ARebaseAndACherryPickAreRefused) {
  const auto first = first_commit();
  shell(
      "git checkout -q -b side && echo side > a && git commit -qam side && git checkout -q main "
      "&& echo main > a && git commit -qam main");
  const auto work = open();
  shell("! git cherry-pick side");
  EXPECT_NE(work.commit("x", kMain).error().message.find("cherry-pick"), std::string::npos);
  git("cherry-pick --abort");
  shell("! git rebase side");
  EXPECT_NE(work.commit("x", kMain).error().message.find("a rebase"), std::string::npos);
  EXPECT_EQ(work.reset_to(first, "x", kMain).error().code, Code::busy);
}

TEST_F(GitWorkChange, ReadyIsWhereNothingIsUnfinished) {
  first_commit();
  shell(
      "git checkout -q -b side && echo side > a && git commit -qam side && git checkout -q main "
      "&& echo main > a && git commit -qam main");
  const auto work = open();
  const auto refused = [&](std::string_view begin, std::string_view what, std::string_view end) {
    good(work.ready());
    shell(begin);
    const auto ready = work.ready();
    ASSERT_FALSE(ready) << what;
    EXPECT_EQ(ready.error().code, Code::busy);
    EXPECT_NE(ready.error().message.find(what), std::string::npos) << ready.error().message;
    EXPECT_EQ(work.commit("x", good(work.branch())).error().message, ready.error().message);
    shell(end);
  };
  refused("! git merge side", "a merge", "git merge --abort");
  refused("! git rebase side", "a rebase", "git rebase --abort");
  refused("! git cherry-pick side", "a cherry-pick", "git cherry-pick --abort");
  refused("! git revert HEAD^", "a revert", "git revert --abort");
  refused("git bisect start", "a bisect", "git bisect reset");
  good(work.ready());
}

TEST_F(GitWorkChange, AConflictWithoutAMergeIsRefused) {
  first_commit();
  shell(
      "echo stashed > a && git stash -q && echo other > a && git commit -qam other && ! git stash "
      "pop");
  const auto work = open();
  const auto commit = work.commit("x", kMain);
  ASSERT_FALSE(commit);
  EXPECT_NE(commit.error().message.find("unmerged conflicts: 'a'"), std::string::npos);
  EXPECT_EQ(work.stash("x").error().code, Code::busy);
}

TEST_F(GitWorkChange, AStashCanBePopped) {
  const auto before = first_commit();
  write(".gitignore", "*.o\n");
  git("add .gitignore");
  write("a", "two\n");
  write("new/file", "n");
  write("b.o", "ignored");
  write(".ralph/x", "ours");
  const auto before_stash = git("status --porcelain");
  const auto work = open();
  EXPECT_TRUE(good(work.stash("before the loop")));
  EXPECT_EQ(git("rev-parse HEAD"), before);
  EXPECT_EQ(read("a"), "one\n");
  EXPECT_FALSE(there("new"));
  EXPECT_FALSE(there(".gitignore"));
  EXPECT_TRUE(there(".ralph/x"));
  EXPECT_NE(git("stash list").find("before the loop"), std::string::npos);
  EXPECT_EQ(read("b.o"), "ignored") << "also where the stash holds what ignored it";
  shell("rm b.o");
  EXPECT_FALSE(good(work.stash("nothing")));
  git("stash pop --index");
  EXPECT_EQ(git("status --porcelain"), before_stash) << "untracked files are not staged";
  EXPECT_EQ(read("a"), "two\n");
  EXPECT_EQ(read("new/file"), "n");
  EXPECT_TRUE(there(".gitignore"));
  EXPECT_EQ(git("stash list"), "");
}

TEST_F(GitWorkChange, NoStashBeforeTheFirstCommit) {
  write("a", "a");
  const auto stash = open().stash("x");
  ASSERT_FALSE(stash);
  EXPECT_NE(stash.error().message.find("no commit yet"), std::string::npos);
  EXPECT_TRUE(there("a"));
}

TEST_F(GitWorkChange, AResetKeepsWhatWasThere) {
  const auto first = first_commit();
  const auto work = open();
  write("b", "b");
  write(".gitignore", "*.o\n");
  const auto second = good(work.commit("second", kMain));
  EXPECT_EQ(good(commits_since(work.program(), first)), Paths{second});
  write("a", "changed");
  write("new/file", "n");
  write("b.o", "ignored");
  write(".ralph/x", "ours");
  good(work.reset_to(first, "before-1", kMain));
  EXPECT_EQ(git("rev-parse main"), first);
  EXPECT_EQ(read("a"), "one\n");
  EXPECT_FALSE(there("b"));
  EXPECT_FALSE(there("new"));
  EXPECT_EQ(read("b.o"), "ignored") << "though nothing ignores it any more";
  EXPECT_TRUE(there(".ralph/x"));
  EXPECT_EQ(paths_of("refs/ralph/before-1"), ".gitignore\na\nb\nnew/file");
  EXPECT_EQ(git("show refs/ralph/before-1:a"), "changed");
  EXPECT_EQ(git("rev-parse refs/ralph/before-1^"), second);
  EXPECT_EQ(commits_since(work.program(), second).error().code, Code::usage);
  git("reset -q --hard refs/ralph/before-1");
  EXPECT_EQ(read("new/file"), "n");
}

TEST_F(GitWorkChange, AResetKeepsHeadItselfWhereNothingWasUncommitted) {
  const auto first = first_commit();
  const auto work = open();
  write("b", "b");
  const auto second = good(work.commit("second", kMain));
  good(work.reset_to(first, "kept", kMain));
  EXPECT_EQ(git("rev-parse refs/ralph/kept"), second);
}

TEST_F(GitWorkChange, AResetReplacesNothingThatWasKept) {
  const auto first = first_commit();
  git("update-ref refs/ralph/kept HEAD");
  git("update-ref refs/ralph/kept-2 HEAD");
  const auto work = open();
  write("a", "changed");
  EXPECT_EQ(good(work.reset_to(first, "kept", kMain)), "refs/ralph/kept-3");
  EXPECT_EQ(git("rev-parse refs/ralph/kept refs/ralph/kept-2"), first + "\n" + first);
  EXPECT_EQ(git("show refs/ralph/kept-3:a"), "changed");
  EXPECT_EQ(read("a"), "one\n");
}

TEST_F(GitWorkChange, AResetTakesIdsAndNamesOnly) {
  const auto first = first_commit();
  const auto work = open();
  write("a", "changed");
  EXPECT_EQ(work.reset_to(first, "x", "--force").error().code, Code::usage);
  EXPECT_EQ(work.reset_to(first, "../../heads/main", kMain).error().code, Code::usage);
  EXPECT_EQ(work.reset_to("--hard", "x", kMain).error().code, Code::usage);
  EXPECT_FALSE(work.reset_to(std::string(40, 'a'), "x", kMain));
  EXPECT_EQ(read("a"), "changed");
}

TEST_F(GitWorkChange, AResetLeavesChangesOfOursInTheFolder) {
  const auto first = first_commit();
  write(".ralph/config.yml", "one");
  write(".ralph/state/loop.json", "state");
  git("add -f .ralph");
  git("commit -q -m ours");
  write(".ralph/config.yml", "two");
  good(open().reset_to(first, "x", kMain));
  EXPECT_EQ(git("rev-parse HEAD"), first);
  EXPECT_EQ(read(".ralph/config.yml"), "two");
  EXPECT_EQ(read(".ralph/state/loop.json"), "state");
}

TEST_F(GitWorkChange, AMessageWithBytesThatGitRefuses) {
  const auto work = open();
  write("a", "a");
  good(work.commit(std::string_view("t\0t\xff", 4), kMain));
  EXPECT_EQ(git("log -1 --format=%s"), "t\uFFFDt\uFFFD");
  write("a", "b");
  EXPECT_TRUE(good(work.stash(std::string_view("s\0s", 3))));
  EXPECT_NE(git("stash list").find("s\uFFFDs"), std::string::npos);
}

TEST_F(GitWorkChange, AnIndexThatIsLockedIsNamed) {
  first_commit();
  write("a", "two\n");
  write(".git/index.lock", "");
  const auto work = open();
  good(work.tree());
  const auto commit = work.commit("x", kMain);
  ASSERT_FALSE(commit);
  EXPECT_EQ(commit.error().code, Code::busy);
  EXPECT_NE(commit.error().message.find("index.lock"), std::string::npos);
}

}  // namespace
}  // namespace ralph::git
