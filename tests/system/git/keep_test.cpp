// Bytes of the user's that git would overwrite, remove or forget.
#include <sys/stat.h>

#include "system/git/harness.h"

namespace ralph::git {
namespace {

class GitKeep : public GitWork {
 protected:
  void SetUp() override {
    GitWork::SetUp();
    if (IsSkipped()) return;
    first_ = first_commit();
  }
  /// A second commit, made of what a shell line does.
  std::string second_commit(std::string_view line) const {
    shell(line);
    git("add -A");
    git("commit -q -m second");
    return git("rev-parse HEAD");
  }
  std::string reset(std::vector<std::string>* replaced = nullptr) const {
    return good(open().reset_to(first_, "kept", kMain, replaced));
  }
  std::string kept(std::string_view path) const {
    return git(fmt::format("show 'refs/ralph/kept:{}'", path));
  }

  std::string first_;
};

TEST_F(GitKeep, ChangesBehindAssumeUnchangedAndSkipWorktree) {
  for (const std::string flag : {"assume-unchanged", "skip-worktree"}) {
    second_commit("echo tracked > local.conf; echo two > b; echo " + flag + " > c");
    git("update-index --" + flag + " local.conf a");
    write("local.conf", "mine " + flag + "\n");
    write("a", "my a\n");
    const auto ref = reset();
    EXPECT_EQ(read("local.conf"), "mine " + flag + "\n");
    EXPECT_EQ(read("a"), "my a\n");
    EXPECT_EQ(git("show " + ref + ":local.conf"), "mine " + flag);
    EXPECT_EQ(git("show " + ref + ":a"), "my a");
    EXPECT_EQ(git("ls-files -v a"), (flag == "assume-unchanged" ? "h a" : "S a"));
    EXPECT_FALSE(there("b"));
    git("update-index --no-" + flag + " a");
    shell("rm local.conf; git checkout -q a");
  }
}

TEST_F(GitKeep, AStashLeavesHiddenChangesInTheFolder) {
  write("b", "b\n");
  git("add b");
  git("commit -q -m b");
  git("update-index --assume-unchanged a");
  write("a", "hidden\n");
  write("b", "seen\n");
  EXPECT_TRUE(good(open().stash("x")));
  EXPECT_EQ(read("a"), "hidden\n");
  EXPECT_EQ(read("b"), "b\n");
  git("stash pop --index");
  EXPECT_EQ(read("a"), "hidden\n");
  EXPECT_EQ(read("b"), "seen\n");
  EXPECT_EQ(git("ls-files -v a"), "h a");
}

TEST_F(GitKeep, AFileThatAFlagHidesTheRemovalOf) {
  git("update-index --skip-worktree a");
  shell("rm a");
  write("b", "b");
  reset();
  EXPECT_FALSE(there("a"));
  EXPECT_EQ(git("ls-files -v a"), "S a");
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitKeep, BytesThatWereOnlyStaged) {
  write("a", "staged\n");
  git("add a");
  write("a", "in the folder\n");
  write("new", "staged\n");
  git("add new");
  shell("rm new");
  reset();
  EXPECT_EQ(read("a"), "one\n");
  EXPECT_EQ(kept("a"), "in the folder");
  EXPECT_EQ(git("show refs/ralph/kept^2:a"), "staged");
  EXPECT_EQ(git("show refs/ralph/kept^2:new"), "staged");
  git("stash apply -q --index refs/ralph/kept");
  EXPECT_EQ(read("a"), "in the folder\n");
  EXPECT_EQ(git("show :a"), "staged");
}

TEST_F(GitKeep, AStashHasWhatWasStaged) {
  write("a", "staged\n");
  git("add a");
  write("a", "in the folder\n");
  EXPECT_TRUE(good(open().stash("x", "stashed-1")));
  EXPECT_EQ(read("a"), "one\n");
  git("stash clear");
  git("stash apply -q --index refs/ralph/stashed-1");
  EXPECT_EQ(read("a"), "in the folder\n");
  EXPECT_EQ(git("show :a"), "staged");
}

TEST_F(GitKeep, AnIgnoredFileWhereTheCommitHasOne) {
  first_ = second_commit("echo tracked > data; mkdir d; echo t > d/f; echo t > e");
  shell("git rm -q --cached data d/f e; rm -r d e; printf 'data\\nd\\ne\\n' > .gitignore");
  shell("git add .gitignore; git commit -q -m ignore");
  shell("echo mine > data; echo file > d; mkdir -p e/x; echo deep > e/x/y");
  std::vector<std::string> replaced;
  reset(&replaced);
  EXPECT_EQ(replaced, (Paths{"d", "data", "e/x/y"}));
  EXPECT_EQ(read("data"), "tracked\n");
  EXPECT_EQ(read("d/f"), "t\n");
  EXPECT_EQ(kept("data"), "mine");
  EXPECT_EQ(kept("d"), "file");
  EXPECT_EQ(kept("e/x/y"), "deep");
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitKeep, ARepositoryWhereTheCommitHasAFileIsNotRemoved) {
  first_ = second_commit("echo tracked > tools");
  git("rm -q tools");
  git("commit -q -m gone");
  shell("git init -q tools; echo work > tools/work");
  const auto result = open().reset_to(first_, "kept", kMain);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, Code::busy);
  EXPECT_NE(result.error().message.find("tools' is a repository of its own"), std::string::npos)
      << result.error().message;
  EXPECT_EQ(read("tools/work"), "work\n");
  EXPECT_EQ(git("for-each-ref refs/ralph"), "") << "nothing was touched";
  shell("mv tools elsewhere; mkfifo tools");
  EXPECT_EQ(open().reset_to(first_, "kept", kMain).error().code, Code::busy);
}

TEST_F(GitKeep, ASubmoduleWhereTheCommitHasAFileIsNotRemoved) {
  first_ = second_commit("echo tracked > sub");
  shell(
      "git init -q ../other && cd ../other && git -c user.name=T -c user.email=t commit -q "
      "--allow-empty -m x");
  shell(
      "git rm -q sub && git -c protocol.file.allow=always submodule --quiet add ../other sub && "
      "git commit -q -m sub");
  write("sub/mine", "m");
  const auto result = open().reset_to(first_, "kept", kMain);
  ASSERT_FALSE(result);
  EXPECT_EQ(read("sub/mine"), "m");
}

TEST_F(GitKeep, LinksAreReplacedAndNotFollowed) {
  first_ = second_commit("mkdir dir; echo t > dir/f; echo t > file; ln -s file link");
  shell("mkdir ../outside; echo out > ../outside/f; echo out > ../target");
  shell("rm -r dir file link; ln -s ../outside dir; ln -s ../target file; echo plain > link");
  reset();
  EXPECT_EQ(read("dir/f"), "t\n");
  EXPECT_EQ(read("file"), "t\n");
  EXPECT_EQ(shell("readlink link"), "file");
  EXPECT_EQ(shell("cat ../outside/f ../target"), "out\nout");
  EXPECT_EQ(kept("dir"), "../outside");
  EXPECT_EQ(kept("link"), "plain");
  // The same, where nothing lists the link.
  shell("rm -r dir; ln -s ../outside dir; echo dir > .git/info/exclude");
  good(open().reset_to(first_, "again", kMain));
  EXPECT_EQ(read("dir/f"), "t\n");
  EXPECT_EQ(shell("cat ../outside/f"), "out");
  EXPECT_EQ(git("show refs/ralph/again:dir"), "../outside");
}

TEST_F(GitKeep, NamesOfAllKinds) {
  shell(
      "for n in '-dash' 'with\nnewline' '\"quoted\"' \"it's\" '*' ':(top)x' \"$(printf "
      "'\\377\\376')\" ' '; do printf '%s' \"$n\" > \"./$n\"; done");
  const auto before = shell("ls -b");
  reset();
  EXPECT_EQ(shell("ls"), "a");
  git("stash apply -q refs/ralph/kept");
  EXPECT_EQ(shell("ls -b"), before);
  EXPECT_EQ(shell("cat './-dash'"), "-dash");
}

TEST_F(GitKeep, ModesAndIntentToAdd) {
  shell("chmod +x a; echo n > n; git add -N n");
  reset();
  EXPECT_EQ(git("ls-files -s a").substr(0, 6), "100644");
  EXPECT_EQ(shell("test -x a && echo x || echo -"), "-");
  EXPECT_EQ(git("ls-tree refs/ralph/kept a").substr(0, 6), "100755");
  EXPECT_EQ(kept("n"), "n");
  EXPECT_FALSE(there("n"));
}

TEST_F(GitKeep, AMergeAndItsConflicts) {
  shell(
      "git checkout -q -b side && echo side > a && git commit -qam side && git checkout -q main "
      "&& echo main > a && git commit -qam main");
  const auto main = git("rev-parse main"), side = git("rev-parse side");
  shell("git checkout -q --detach side; git branch -D side; git checkout -q main");
  shell("! git merge " + side);
  write("a", "half merged\n");
  const auto ref = good(open().reset_to(main, "kept", kMain));
  EXPECT_EQ(read("a"), "main\n");
  EXPECT_EQ(kept("a"), "half merged");
  EXPECT_EQ(git("show refs/ralph/kept^2:ralph-conflicts/3/a"), "side");
  EXPECT_EQ(git("rev-parse refs/ralph/kept^2^2"), side) << "no other ref has it";
  good(open().restore(ref, "again"));
  EXPECT_EQ(read("a"), "half merged\n");
}

TEST_F(GitKeep, RestoreGoesBackToAllOfIt) {
  second_commit("echo two > a; echo b > b");
  git("checkout -q -b agents");
  shell("echo c > c; git add c; git commit -q -m c; echo staged > b; git add b; echo folder > b");
  write("untracked", "u");
  const auto main = git("rev-parse main"), agents = git("rev-parse agents");
  const auto ref = reset();
  EXPECT_EQ(git("symbolic-ref HEAD"), kMain);
  EXPECT_EQ(git("rev-parse main"), first_);
  EXPECT_EQ(good(open().restore(ref, "again")), "refs/ralph/again");
  EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/agents");
  EXPECT_EQ(git("rev-parse main agents"), main + "\n" + agents);
  EXPECT_EQ(git("show :b"), "staged");
  EXPECT_EQ(read("b"), "folder\n");
  EXPECT_EQ(read("untracked"), "u");
  EXPECT_EQ(read("c"), "c\n");
  EXPECT_EQ(open().restore("none", "x").error().code, Code::not_found);
  EXPECT_EQ(open().restore("../heads/main", "x").error().code, Code::usage);
}

TEST_F(GitKeep, AFileThatChangesMeanwhileStopsItBeforeAnythingIsTouched) {
  second_commit("echo two > a; echo b > b; echo '*.txt filter=slow' > .gitattributes");
  // The filter runs while the snapshot is taken, and stands for the user's editor.
  git("config filter.slow.clean 'echo edited > b; cat'");
  write("x.txt", "x");
  const auto result = open().reset_to(first_, "kept", kMain);
  if (result) {
    EXPECT_EQ(git("show " + *result + ":b"), "edited") << "it was seen";
  } else {
    EXPECT_EQ(read("b"), "edited\n");
    EXPECT_NE(result.error().hint.find("ralph undo --restore refs/ralph/kept"), std::string::npos);
  }
}

TEST_F(GitKeep, ABranchOfAnotherWorktreeIsNotMoved) {
  const auto second = second_commit("echo two > a");
  git("checkout -q -b side");
  git("worktree add -q ../tree main");
  const auto result = open().reset_to(first_, "kept", kMain);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().message.find("another worktree"), std::string::npos);
  EXPECT_EQ(git("rev-parse main"), second);
  EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/side");
  // In a linked worktree it works as anywhere.
  write("../tree/new", "n");
  const auto tree = open(folder_ / "tree");
  EXPECT_EQ(good(tree.reset_to(first_, "linked", kMain)), "refs/ralph/linked");
  EXPECT_EQ(git("show refs/ralph/linked:new"), "n");
  EXPECT_FALSE(fs::exists(folder_ / "tree/new"));
}

TEST_F(GitKeep, ASparseCheckoutStaysSparse) {
  const auto wide = second_commit("mkdir in out; echo i > in/f; echo o > out/f");
  git("sparse-checkout set in");
  ASSERT_FALSE(there("out/f"));
  second_commit("echo changed > in/f");
  write("new", "n");
  good(open().reset_to(wide, "kept", kMain));
  EXPECT_EQ(read("in/f"), "i\n");
  EXPECT_FALSE(there("out/f"));
  EXPECT_EQ(kept("out/f"), "o");
  EXPECT_EQ(git("status --porcelain"), "");
}

TEST_F(GitKeep, ALockIsNamedAndNothingTouched) {
  second_commit("echo two > a");
  git("checkout -q -b side");
  write("new", "n");
  for (const std::string lock : {"index.lock", "HEAD.lock"}) {
    write(".git/" + lock, "");
    const auto work = open();
    for (const auto& error :
         {work.reset_to(first_, "kept", kMain).error(), work.stash("x").error()}) {
      EXPECT_EQ(error.code, Code::busy);
      EXPECT_NE(error.message.find(lock), std::string::npos) << error.message;
    }
    EXPECT_TRUE(there(".git/" + lock));
    shell("rm .git/" + lock);
  }
  EXPECT_EQ(git("symbolic-ref HEAD"), "refs/heads/side");
  EXPECT_EQ(git("for-each-ref refs/ralph"), "");
  EXPECT_EQ(git("stash list"), "");
  EXPECT_TRUE(there("new"));
}

TEST_F(GitKeep, NothingIsLeftInTheGitFolder) {
  write("new", "n");
  shell("mkdir .git/ralph-index-killed; echo x > .git/ralph-index-killed/index");
  reset();
  EXPECT_EQ(shell("ls -d .git/ralph-* 2>/dev/null | wc -l"), "0");
  EXPECT_EQ(good(open().interrupted()), "");
  git("update-ref refs/worktree/ralph/unfinished refs/ralph/kept");
  EXPECT_EQ(good(open().interrupted()), "refs/ralph/kept");
}

TEST_F(GitKeep, TheMessageSaysWhatAndWhen) {
  write("a", "two\n");
  reset();
  const auto message = git("log -1 --format=%B refs/ralph/kept");
  EXPECT_NE(message.find("kept as refs/ralph/kept"), std::string::npos) << message;
  EXPECT_NE(message.find("Kept at 20"), std::string::npos) << message;
  EXPECT_NE(message.find("ralph undo --restore"), std::string::npos) << message;
}

TEST_F(GitKeep, SignaturesThatTheUserWants) {
  EXPECT_FALSE(open().wants_signatures());
  git("config commit.gpgsign true");
  EXPECT_TRUE(open().wants_signatures());
}

}  // namespace
}  // namespace ralph::git
