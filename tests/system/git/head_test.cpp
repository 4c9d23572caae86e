// Repositories made by git itself: what is read is what git says.
#include <cstdio>
#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "system/git/git.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;

class GitHead : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
  }

  /// A shell line that runs git in a folder below ours, without anybody's settings.
  std::string line(std::string_view where, std::string_view arguments) const {
    return fmt::format(
        "cd '{}' && env -u GIT_DIR -u GIT_WORK_TREE -u GIT_INDEX_FILE GIT_CONFIG_GLOBAL=/dev/null "
        "GIT_CONFIG_NOSYSTEM=1 git -c user.name=T -c user.email=t@example.org "
        "-c init.defaultBranch=main -c protocol.file.allow=always {} 2>/dev/null",
        (folder_ / where).native(), arguments);
  }
  bool try_git(std::string_view where, std::string_view arguments) const {
    return std::system((line(where, arguments) + " >/dev/null").c_str()) == 0;
  }
  void git(std::string_view where, std::string_view arguments) const {
    ASSERT_TRUE(try_git(where, arguments)) << arguments;
  }
  /// What git prints, without its newline.
  std::string ask_git(std::string_view where, std::string_view arguments) const {
    std::string text;
    std::FILE* pipe = ::popen(line(where, arguments).c_str(), "r");
    for (int c; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    ::pclose(pipe);
    return text.substr(0, text.find('\n'));
  }
  void commit(std::string_view where) const { git(where, "commit --allow-empty -m more"); }
  /// A repository with one commit.
  void make_repository(std::string_view where, std::string_view options = "") const {
    fs::create_directories(folder_ / where);
    git(where, fmt::format("init {}", options));
    commit(where);
  }
  Head head_of(std::string_view where) const {
    const auto head = read_head(folder_ / where);
    EXPECT_TRUE(head) << describe(head.error());
    EXPECT_TRUE(head && *head) << "in no repository";
    return head && *head ? **head : Head{};
  }
  /// Reads what git reads, and gives it back.
  Head agreed_head_of(std::string_view where) const {
    const auto head = head_of(where);
    EXPECT_EQ(head.commit, ask_git(where, "rev-parse --verify -q HEAD")) << where;
    EXPECT_EQ(head.branch, ask_git(where, "branch --show-current")) << where;
    return head;
  }

  TempFolder folder_;
};

TEST_F(GitHead, MovesWithEveryCommit) {
  make_repository("repo");
  const auto first = agreed_head_of("repo");
  EXPECT_EQ(first.commit.size(), 40u);
  EXPECT_EQ(first.branch, "main");
  git("repo", "commit --allow-empty --amend -m other");
  EXPECT_NE(agreed_head_of("repo").commit, first.commit);
}

TEST_F(GitHead, AnEmptyRepositoryHasNoCommit) {
  fs::create_directory(folder_ / "repo");
  git("repo", "init");
  EXPECT_EQ(agreed_head_of("repo").commit, "");
  EXPECT_EQ(head_of("repo").branch, "main");
}

TEST_F(GitHead, ADetachedOneHasNoBranch) {
  make_repository("repo");
  git("repo", "checkout --detach");
  EXPECT_EQ(agreed_head_of("repo").branch, "");
  EXPECT_EQ(head_of("repo").commit.size(), 40u);
}

TEST_F(GitHead, BranchesWithOddNames) {
  make_repository("repo");
  for (const auto* name : {"feature/ü-(1)", "a/b/c/d", "x.y@z", "-'\\''$`"}) {
    if (!try_git("repo", fmt::format("symbolic-ref HEAD 'refs/heads/{}'", name))) continue;
    commit("repo");
    EXPECT_FALSE(agreed_head_of("repo").branch.empty());
  }
}

TEST_F(GitHead, PackedRefs) {
  make_repository("repo");
  git("repo", "tag -a -m tag v1");
  for (const auto* name : {"mai", "main2", "a/main", "z"}) {
    git("repo", fmt::format("checkout -b {}", name));
    commit("repo");
  }
  git("repo", "pack-refs --all");
  ASSERT_FALSE(fs::exists(folder_ / "repo/.git/refs/heads/main"));
  for (const auto* name : {"main", "mai", "main2", "a/main", "z"}) {
    git("repo", fmt::format("checkout {}", name));
    EXPECT_EQ(agreed_head_of("repo").commit.size(), 40u);
  }
  commit("repo");
  agreed_head_of("repo");
  fs::create_directories(folder_ / "repo/.git/refs/heads/main/left/behind");
  git("repo", "checkout main");
  agreed_head_of("repo");
}

TEST_F(GitHead, FromAFolderInside) {
  make_repository("repo");
  fs::create_directories(folder_ / "repo/a/b c");
  agreed_head_of("repo/a/b c");
  fs::create_directory_symlink(folder_ / "repo/a", folder_ / "link");
  agreed_head_of("link");
}

TEST_F(GitHead, Worktrees) {
  make_repository("repo");
  git("repo", "worktree add -b side ../tree");
  ASSERT_TRUE(fs::is_regular_file(folder_ / "tree/.git"));
  commit("tree");
  EXPECT_EQ(agreed_head_of("tree").branch, "side");
  EXPECT_NE(head_of("tree").commit, agreed_head_of("repo").commit);
  git("repo", "pack-refs --all");
  agreed_head_of("tree");
  git("tree", "checkout --detach");
  agreed_head_of("tree");
}

TEST_F(GitHead, Submodules) {
  make_repository("library");
  make_repository("repo");
  git("repo", "submodule add ../library sub");
  ASSERT_TRUE(fs::is_regular_file(folder_ / "repo/sub/.git"));
  EXPECT_EQ(agreed_head_of("repo/sub").commit, head_of("library").commit);
  commit("repo/sub");
  agreed_head_of("repo/sub");
}

TEST_F(GitHead, LongCommitIds) {
  fs::create_directory(folder_ / "repo");
  if (!try_git("repo", "init --object-format=sha256")) GTEST_SKIP() << "git cannot make one";
  commit("repo");
  EXPECT_EQ(agreed_head_of("repo").commit.size(), 64u);
  git("repo", "pack-refs --all");
  EXPECT_EQ(agreed_head_of("repo").commit.size(), 64u);
}

TEST_F(GitHead, ABranchThatIsAnotherName) {
  make_repository("repo");
  git("repo", "symbolic-ref refs/heads/alias refs/heads/main");
  git("repo", "symbolic-ref HEAD refs/heads/alias");
  EXPECT_EQ(agreed_head_of("repo").branch, "main");
  git("repo", "update-ref refs/remotes/origin/main HEAD");
  git("repo", "symbolic-ref HEAD refs/remotes/origin/main");
  EXPECT_EQ(head_of("repo").branch, "refs/remotes/origin/main");
  EXPECT_EQ(head_of("repo").commit.size(), 40u);
}

TEST_F(GitHead, AGitFolderBehindALink) {
  make_repository("repo");
  fs::rename(folder_ / "repo/.git", folder_ / "elsewhere");
  fs::create_directory_symlink(folder_ / "elsewhere", folder_ / "repo/.git");
  agreed_head_of("repo");
}

TEST_F(GitHead, AnEmptyGitFolderIsPassedBy) {
  make_repository("repo");
  fs::create_directories(folder_ / "repo/sub/.git");
  agreed_head_of("repo/sub");
}

TEST_F(GitHead, WhatTheRepositoryNamesIsNotRun) {
  make_repository("repo");
  folder_.write("repo/file", "x");
  folder_.write("repo/.gitattributes", "* filter=evil\n");
  git("repo", "add .");
  commit("repo");
  const auto evil = fmt::format("touch {}; cat", (folder_ / "ran").native());
  git("repo", fmt::format("config filter.evil.clean '{}'", evil));
  git("repo", fmt::format("config core.fsmonitor '{}'", evil));
  folder_.write("repo/file", "y");
  head_of("repo");
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
  git("repo", "status");
  EXPECT_TRUE(fs::exists(folder_ / "ran")) << "git itself would have run it";
}

}  // namespace
}  // namespace ralph::git
