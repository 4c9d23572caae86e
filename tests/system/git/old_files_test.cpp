// Files that were ignored before an agent changed what is ignored.
#include "system/git/old_files.h"

#include "core/base/time.h"
#include "system/git/harness.h"
#include "system/git/history.h"

namespace ralph::git {
namespace {

class GitOldFiles : public GitWork {
 protected:
  /// ".gitignore" and "a" are tracked, "secret.env" is ignored; all are older than old_before_.
  void SetUp() override {
    GitWork::SetUp();
    if (IsSkipped()) return;
    write(".gitignore", "*.env\nbuild/\n");
    git("add .gitignore");
    first_ = first_commit();
    write("secret.env", "s");
    write("build/old.o", "o");
    old_before_ = after_all_that_is_there();
  }
  /// A time that files made from now on are not older than: the disk's clock may lag behind ours.
  UtcTime after_all_that_is_there() const {
    const auto time = now_utc() + Millis{1};
    do {
      shell("rm -f ../probe && touch ../probe");
    } while (born_before(folder_ / "probe", time));
    return time;
  }
  Worktree open_later() const {
    auto work = open();
    work.leave_alone_before(old_before_);
    return work;
  }
  void expect_secrets_stay() const {
    EXPECT_TRUE(there("secret.env"));
    EXPECT_EQ(read("secret.env"), "s");
    EXPECT_TRUE(there("build/old.o"));
  }

  std::string first_;
  UtcTime old_before_;
};

TEST_F(GitOldFiles, AreNotTakenIn) {
  const auto work = open_later();
  shell(": > .gitignore");
  write("new", "n");
  EXPECT_EQ(good(work.dirty()), (Paths{".gitignore", "new"}));
  EXPECT_EQ(paths_of(good(work.tree())), ".gitignore\na\nnew");
  const auto commit = good(work.commit("x", kMain));
  EXPECT_EQ(paths_of(commit), ".gitignore\na\nnew");
  EXPECT_EQ(good(work.commit("again", kMain)), "");
  expect_secrets_stay();
}

TEST_F(GitOldFiles, AreNotStashedOrRemoved) {
  const auto work = open_later();
  shell(": > .gitignore");
  write("new", "n");
  EXPECT_TRUE(good(work.stash("x")));
  EXPECT_EQ(paths_of("stash@{0}"), ".gitignore\na");
  EXPECT_EQ(paths_of("stash@{0}^3"), "new");
  EXPECT_FALSE(there("new"));
  expect_secrets_stay();
  shell(": > .gitignore");
  write("new", "n");
  const auto kept = good(work.reset_to(first_, "kept", kMain));
  EXPECT_EQ(paths_of(kept), ".gitignore\na\nnew");
  EXPECT_FALSE(there("new"));
  expect_secrets_stay();
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitOldFiles, StayWhenAnAgentStagedOrCommittedThem) {
  const auto work = open_later();
  write("new", "n");
  git("add -f secret.env build new");
  good(work.reset_to(first_, "staged", kMain));
  EXPECT_FALSE(there("new"));
  expect_secrets_stay();
  write("new", "n");
  git("add -f secret.env build new");
  git("commit -q -m all");
  good(work.reset_to(first_, "committed", kMain));
  EXPECT_FALSE(there("new"));
  expect_secrets_stay();
  EXPECT_EQ(git("rev-parse HEAD"), first_);
}

TEST_F(GitOldFiles, ATrackedFileThatWasMovedIsNone) {
  write("folder/f", "some\nlines\n");
  git("add folder");
  git("commit -q -m folder");
  auto work = open();
  work.leave_alone_before(after_all_that_is_there());
  const auto before = good(work.head());
  shell("mv a b && echo more >> b && mv folder other && : > .gitignore");
  EXPECT_EQ(paths_of(good(work.tree())), ".gitignore\nb\nother/f");
  good(work.reset_to(before, "moved", kMain));
  EXPECT_TRUE(there("a") && there("folder/f"));
  EXPECT_FALSE(there("other/f"));
  shell("mv a b && mv folder other");
  const auto commit = good(work.commit("moved", kMain));
  EXPECT_EQ(paths_of(commit), ".gitignore\nb\nother/f");
}

TEST_F(GitOldFiles, AFileOfTheStartIsNoneWhereverItWasMovedAndWhateverItHoldsNow) {
  auto loop = open_later();
  ASSERT_TRUE(loop.remember_tracked(first_, {}));
  shell("git mv a b && echo two > b && git add -f secret.env && git commit -q -m moved");
  const auto moved = good(loop.moved_since(first_));
  EXPECT_EQ(moved, Paths{"b"});
  auto undo = open_later();
  undo.know_moved(moved);
  good(undo.reset_to(first_, "undone", kMain));
  EXPECT_FALSE(there("b"));
  EXPECT_EQ(read("a"), "one\n");
  expect_secrets_stay();
  // Rolled back before anything was committed.
  ASSERT_TRUE(loop.remember_tracked(first_, {}));
  shell("git rm -q --cached a && mv a c && echo three > c");
  good(loop.reset_to(first_, "rolled-back", kMain));
  EXPECT_FALSE(there("c"));
  expect_secrets_stay();
}

TEST_F(GitOldFiles, AFileThatHeadHasIsNone) {
  const auto work = open_later();
  shell("git rm -q --cached a && echo two > a");
  EXPECT_EQ(paths_of(good(work.tree())), ".gitignore\na");
  const auto kept = good(work.reset_to(first_, "kept", kMain));
  EXPECT_EQ(git("show " + kept + ":a"), "two");
  EXPECT_EQ(read("a"), "one\n");
}

TEST_F(GitOldFiles, WithoutATimeThereAreNone) {
  const auto work = open();
  shell(": > .gitignore");
  EXPECT_EQ(paths_of(good(work.tree())), ".gitignore\na\nbuild/old.o\nsecret.env");
}

TEST_F(GitOldFiles, FilesAreLeftOutByNameWhereverTheyStand) {
  auto work = open_later();
  write("a", "edited");
  write("new", "n");
  ASSERT_TRUE(work.leave_out_paths({"a"}));
  EXPECT_EQ(good(work.dirty()), Paths{"new"});
  const auto commit = good(work.commit("c", good(work.branch())));
  EXPECT_EQ(good(changes(work.program(), first_, commit)).size(), 1u);
  good(work.reset_to(first_, "kept", good(work.branch())));
  EXPECT_EQ(read("a"), "edited");
  EXPECT_FALSE(there("new"));
}

TEST_F(GitOldFiles, AStagedFileCannotBeLeftOut) {
  auto work = open_later();
  write("a", "edited");
  git("add a");
  EXPECT_EQ(work.leave_out_paths({"a"}).error().code, Code::usage);
}

}  // namespace
}  // namespace ralph::git
