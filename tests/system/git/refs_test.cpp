// Refs that an agent deletes, moves or replaces.
#include "system/git/harness.h"
#include "system/git/kept_refs.h"

namespace ralph::git {
namespace {

using GitRefs = GitWork;

TEST_F(GitRefs, WhatIsDeletedIsKeptAndNamed) {
  const auto first = first_commit();
  const auto work = open();
  good(keep_refs(work, "start"));
  EXPECT_TRUE(good(lost_refs(work, "start")).empty());
  EXPECT_TRUE(good(lost_refs(work, "none")).empty());
  good(drop_kept_refs(work, "start"));
  EXPECT_EQ(git("for-each-ref refs/ralph"), "");
  shell("git checkout -q -b users && echo u > u && git add u && git commit -q -m users");
  shell("git tag -a -m t v1 && git checkout -q main && git branch same");
  shell("echo s1 > a && git stash -q && echo s2 > a && git stash -q");
  const auto users = git("rev-parse users"), newer = git("rev-parse stash@{0}"),
             older = git("rev-parse stash@{1}"), tag = git("rev-parse v1");
  good(keep_refs(work, "start"));
  git("branch -D users");
  git("branch -D same");
  EXPECT_TRUE(good(lost_refs(work, "start")).empty()) << "the tag has it, and main";
  git("tag -d v1");
  git("stash drop -q stash@{1}");
  const std::vector<RefValue> lost{
      {"stash@{1}", older}, {"refs/heads/users", users}, {"refs/tags/v1", tag}};
  auto found = good(lost_refs(work, "start"));
  for (auto& value : found) {
    if (value.commit == older) value.ref = "stash@{1}";
  }
  EXPECT_TRUE(std::ranges::is_permutation(found, lost, {}, &RefValue::commit, &RefValue::commit));
  EXPECT_EQ(git("merge-base refs/ralph/start " + older), older) << "a ref leads to it";
  EXPECT_EQ(git("rev-parse stash@{0}"), newer);
  good(keep_refs(work, "start"));
  EXPECT_EQ(good(lost_refs(work, "start")).size(), 3U) << "it is kept once";
  EXPECT_EQ(git("rev-parse main"), first);
}

TEST_F(GitRefs, AnAnnotatedTagAndADetachedHeadAreKept) {
  first_commit();
  shell("git tag -a -m 'the words' v1 && git checkout -q --detach");
  shell("echo d > d && git add d && git commit -q -m detached");
  const auto tag = git("rev-parse v1"), head = git("rev-parse HEAD");
  const auto work = open();
  good(keep_refs(work, "start"));
  shell("git tag -d v1 && git checkout -q main");
  const std::vector<RefValue> lost{{"HEAD", head}, {"refs/tags/v1", tag}};
  EXPECT_EQ(good(lost_refs(work, "start")), lost);
  shell("git reflog expire --expire=now --all && git gc -q --prune=now");
  EXPECT_NE(git("cat-file tag " + tag).find("the words"), std::string::npos);
  good(drop_kept_refs(work, "start"));
  EXPECT_EQ(git("for-each-ref refs/ralph"), "");
}

TEST_F(GitRefs, AFileWhoseTimeAloneChangedStopsNoReset) {
  const auto first = first_commit();
  shell("echo two > a && git commit -q -am second && touch -d '1 hour ago' a");
  good(open().reset_to(first, "kept", kMain));
  EXPECT_EQ(read("a"), "one\n");
}

TEST_F(GitRefs, AnInterruptedResetIsThatOfItsWorktree) {
  first_commit();
  shell("git update-ref refs/ralph/kept HEAD");
  shell("git worktree add -q linked -b linked");
  shell("git -C linked update-ref refs/worktree/ralph/unfinished HEAD");
  EXPECT_EQ(good(open().interrupted()), "");
  shell("git update-ref refs/worktree/ralph/unfinished HEAD");
  EXPECT_EQ(good(open().interrupted()), "refs/ralph/kept");
}

TEST_F(GitRefs, ANamedPipeIsWaitedForNoLongerThanTheLimit) {
  first_commit();
  // Outside of what is looked through.
  shell("mkfifo ../attributes && git config core.attributesFile $PWD/../attributes");
  shell("echo x > new");
  Error why_not;
  const auto work = good(Worktree::open(repo(), why_not, {Millis{500}}));
  const auto tree = work->tree();
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Code::limit);
}

TEST_F(GitRefs, BeforeTheFirstCommitThereAreNone) {
  good(keep_refs(open(), "start"));
  EXPECT_EQ(git("for-each-ref"), "");
}

TEST_F(GitRefs, ReplacedObjectsHaveNoEffect) {
  const auto first = first_commit();
  shell("echo planted > a && git commit -q -am planted");
  git("replace " + first + " HEAD");
  good(open().reset_to(first, "kept", kMain));
  EXPECT_EQ(read("a"), "one\n");
}

TEST_F(GitRefs, ALostObjectStopsAResetBeforeAnythingIsTouched) {
  const auto first = first_commit();
  write("a", "two\n");
  write("b", "b\n");
  git("add -A");
  git("commit -q -m second");
  const auto blob = git("rev-parse " + first + ":a");
  shell(fmt::format("rm -f .git/objects/{}/{}", blob.substr(0, 2), blob.substr(2)));
  const auto reset = open().reset_to(first, "kept", kMain);
  ASSERT_FALSE(reset);
  EXPECT_NE(reset.error().message.find("has lost the object " + blob), std::string::npos)
      << reset.error().message;
  EXPECT_EQ(git("for-each-ref refs/ralph"), "");
  EXPECT_EQ(read("a") + read("b"), "two\nb\n");
}

TEST_F(GitRefs, ACommitKeepsWhatWasStagedAndChangedAgain) {
  first_commit();
  write("a", "staged\n");
  git("add a");
  write("a", "later\n");
  good(open().commit("x", kMain));
  const auto ref = git("for-each-ref --format='%(refname)' refs/ralph");
  EXPECT_TRUE(ref.starts_with("refs/ralph/staged-")) << ref;
  EXPECT_EQ(git("show " + ref + ":a"), "staged");
  write("a", "again\n");
  git("add a");
  good(open().commit("y", kMain));
  EXPECT_EQ(git("for-each-ref --format='%(refname)' refs/ralph"), ref) << "nothing was at risk";
}

}  // namespace
}  // namespace ralph::git
