// Branches that an agent checked out, moved or deleted.
#include "system/git/harness.h"
#include "system/git/history.h"

namespace ralph::git {
namespace {

class GitBranch : public GitWork {
 protected:
  /// "main" at first_, with another branch "users" beside it.
  void SetUp() override {
    GitWork::SetUp();
    if (IsSkipped()) return;
    first_ = first_commit();
    shell("git checkout -q -b users && echo u > u && git add u && git commit -q -m users");
    users_ = git("rev-parse users");
    git("checkout -q main");
  }
  std::string head_ref() const { return git("symbolic-ref HEAD"); }

  std::string first_, users_;
};

TEST_F(GitBranch, ItsName) {
  const auto work = open();
  EXPECT_EQ(good(work.branch()), "refs/heads/main");
  git("checkout -q -b a/b");
  EXPECT_EQ(good(work.branch()), "refs/heads/a/b");
  git("checkout -q --orphan none");
  EXPECT_EQ(good(work.branch()), "refs/heads/none");
  git("checkout -q -f --detach main");
  EXPECT_EQ(good(work.branch()), "");
}

TEST_F(GitBranch, ACommitIsMadeOnTheOneItBelongsOn) {
  const auto work = open();
  git("checkout -q users");
  write("b", "b");
  const auto refused = [&](std::string_view wanted, std::string_view one, std::string_view other) {
    const auto commit = work.commit("x", wanted);
    ASSERT_FALSE(commit);
    EXPECT_EQ(commit.error().code, Code::busy);
    EXPECT_NE(commit.error().message.find(one), std::string::npos) << commit.error().message;
    EXPECT_NE(commit.error().message.find(other), std::string::npos) << commit.error().message;
  };
  refused(kMain, "'users'", "'main'");
  refused("", "'users'", "no branch");
  EXPECT_EQ(git("rev-parse users"), users_);
  EXPECT_EQ(git("status --porcelain"), "?? b");
  git("checkout -q --detach");
  refused(kMain, "no branch", "'main'");
  const auto commit = good(work.commit("x", ""));
  EXPECT_EQ(commit, git("rev-parse HEAD"));
}

TEST_F(GitBranch, AResetGoesBackToItsOwnAndMovesNoOther) {
  const auto work = open();
  git("checkout -q users");
  write("a", "changed");
  write("new", "n");
  EXPECT_EQ(good(work.reset_to(first_, "kept", kMain)), "refs/ralph/kept");
  EXPECT_EQ(head_ref(), kMain);
  EXPECT_EQ(git("rev-parse main users"), first_ + "\n" + users_);
  EXPECT_EQ(git("status --porcelain"), "");
  EXPECT_FALSE(there("u"));
  EXPECT_FALSE(there("new"));
  EXPECT_EQ(paths_of("refs/ralph/kept"), "a\nnew\nu");
  EXPECT_EQ(git("rev-parse refs/ralph/kept^1"), users_);
}

TEST_F(GitBranch, CommitsOnItsOwnAreKeptToo) {
  const auto work = open();
  write("m", "m");
  const auto moved = good(work.commit("moved", kMain));
  git("checkout -q users");
  good(work.reset_to(first_, "kept", kMain));
  EXPECT_EQ(git("rev-parse main users"), first_ + "\n" + users_);
  EXPECT_EQ(git("rev-parse refs/ralph/kept^1"), users_);
  EXPECT_EQ(git("rev-parse refs/ralph/kept^2^@"), users_ + "\n" + moved);
  EXPECT_FALSE(there("m"));
}

TEST_F(GitBranch, ABranchThatWasDeletedIsThereAgain) {
  const auto work = open();
  git("checkout -q users");
  git("branch -D main");
  good(work.reset_to(first_, "kept", kMain));
  EXPECT_EQ(head_ref(), kMain);
  EXPECT_EQ(git("rev-parse main users"), first_ + "\n" + users_);
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitBranch, WithoutABranchNoneIsMoved) {
  git("checkout -q --detach");
  const auto work = open();
  git("checkout -q users");
  write("new", "n");
  good(work.reset_to(first_, "kept", ""));
  EXPECT_EQ(good(work.branch()), "");
  EXPECT_EQ(good(work.head()), first_);
  EXPECT_EQ(git("rev-parse main users"), first_ + "\n" + users_);
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitBranch, OneThatLeadsToAnotherDoesNotMoveThat) {
  const auto work = open();
  git("checkout -q --detach");
  git("symbolic-ref refs/heads/main refs/heads/users");
  const auto reset = work.reset_to(first_, "kept", kMain);
  ASSERT_FALSE(reset);
  EXPECT_NE(reset.error().message.find("'main'"), std::string::npos) << reset.error().message;
  EXPECT_EQ(git("rev-parse users"), users_);
}

/// Every state that a kill leaves between two calls of git.
TEST_F(GitBranch, AResetThatWasEndedCanBeCalledAgain) {
  const auto work = open();
  for (const auto* done :
       {"update-ref refs/ralph/kept HEAD", "update-ref refs/ralph/kept HEAD && git add new",
        "update-ref refs/ralph/kept HEAD && git symbolic-ref HEAD refs/heads/main",
        "symbolic-ref HEAD refs/heads/main && git reset -q --soft main && git add ."}) {
    git("checkout -q users");
    write("new", "n");
    git(done);
    const auto kept = good(work.reset_to(first_, "kept", kMain));
    EXPECT_NE(kept, "refs/ralph/kept") << done;
    EXPECT_EQ(paths_of(kept), "a\nnew\nu") << done;
    EXPECT_EQ(head_ref(), kMain) << done;
    EXPECT_EQ(git("rev-parse main users"), first_ + "\n" + users_) << done;
    EXPECT_EQ(git("status --porcelain"), "") << done;
    EXPECT_FALSE(there("new")) << done;
  }
}

TEST_F(GitBranch, CommitsBetweenAndTheirSubjects) {
  const auto work = open();
  EXPECT_EQ(good(commits_between(work.program(), first_, users_)), Paths{users_});
  EXPECT_EQ(good(commits_between(work.program(), users_, first_)), Paths{});
  EXPECT_EQ(good(subject(work.program(), users_)), "users");
  EXPECT_EQ(subject(work.program(), "--all").error().code, Code::usage);
}

}  // namespace
}  // namespace ralph::git
