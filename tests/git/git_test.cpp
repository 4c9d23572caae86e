#include "git/git.h"

#include <cstdlib>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "git/status.h"
#include "support/temp_folder.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;
using test::TempFolder;
using test::text_of;

/// An environment variable, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* usual = std::getenv(name)) usual_ = usual;
    ::setenv(name, value.c_str(), 1);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { usual_ ? ::setenv(name_, usual_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> usual_;
};

class GitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (std::system("git --version >/dev/null 2>&1") != 0) GTEST_SKIP() << "git is not installed";
  }

  /// Runs git in a folder below ours, without anybody's settings.
  void git(std::string_view where, std::string_view arguments) const {
    const auto command = fmt::format(
        "cd '{}' && GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -c user.name=T "
        "-c user.email=t@example.org -c init.defaultBranch=main -c protocol.file.allow=always "
        "{} >/dev/null 2>&1",
        (folder_ / where).native(), arguments);
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
  }
  /// A repository with one commit.
  void make_repository(std::string_view where) const {
    folder_.write(std::string(where) + "/file", "one\n");
    git(where, "init");
    git(where, "add file");
    git(where, "commit -m first");
  }
  State state_of(std::string_view where) const {
    const auto state = read_state(folder_ / where);
    EXPECT_TRUE(state) << describe(state.error());
    EXPECT_TRUE(state && *state) << "in no repository";
    return state && *state ? **state : State{};
  }
  /// A program called git that does what the script says, alone in a PATH.
  std::string path_with_git(std::string_view script) const {
    const auto path = folder_.write("bin/git", fmt::format("#!/bin/sh\n{}\n", script));
    ::chmod(path.c_str(), 0755);
    return path.parent_path().native();
  }

  TempFolder folder_;
};

TEST_F(GitTest, ACleanAndADirtyTree) {
  make_repository("repo");
  auto state = state_of("repo");
  EXPECT_EQ(state.head.size(), 40u);
  EXPECT_EQ(state.branch, "main");
  EXPECT_FALSE(state.dirty);

  folder_.write("repo/untracked", "x");
  EXPECT_FALSE(state_of("repo").dirty) << "untracked files do not count";
  folder_.write("repo/file", "two\n");
  EXPECT_TRUE(state_of("repo").dirty);
  git("repo", "add file");
  EXPECT_TRUE(state_of("repo").dirty) << "staged";
  git("repo", "commit -m second");
  EXPECT_FALSE(state_of("repo").dirty);
  EXPECT_NE(state_of("repo").head, state.head);
  fs::remove(folder_ / "repo/file");
  EXPECT_TRUE(state_of("repo").dirty) << "removed";
}

TEST_F(GitTest, AnEmptyRepositoryHasNoHead) {
  fs::create_directory(folder_ / "repo");
  git("repo", "init");
  const auto state = state_of("repo");
  EXPECT_EQ(state.head, "");
  EXPECT_EQ(state.branch, "main");
  EXPECT_FALSE(state.dirty);
  folder_.write("repo/file", "x");
  git("repo", "add file");
  EXPECT_TRUE(state_of("repo").dirty);
}

TEST_F(GitTest, ADetachedHeadHasNoBranch) {
  make_repository("repo");
  git("repo", "checkout --detach");
  EXPECT_EQ(state_of("repo").branch, "");
  EXPECT_EQ(state_of("repo").head.size(), 40u);
}

TEST_F(GitTest, BranchesWithOddNames) {
  make_repository("repo");
  git("repo", "checkout -b 'feature/ü-(1)'");
  EXPECT_EQ(state_of("repo").branch, "feature/ü-(1)");
}

TEST_F(GitTest, FromAFolderInside) {
  make_repository("repo");
  fs::create_directories(folder_ / "repo/a/b c");
  EXPECT_EQ(state_of("repo/a/b c").branch, "main");
}

TEST_F(GitTest, WorktreesAndSubmodules) {
  make_repository("repo");
  git("repo", "worktree add -b side ../tree");
  ASSERT_TRUE(fs::is_regular_file(folder_ / "tree/.git"));
  EXPECT_EQ(state_of("tree").branch, "side");
  folder_.write("tree/file", "changed");
  EXPECT_TRUE(state_of("tree").dirty);
  EXPECT_FALSE(state_of("repo").dirty);

  make_repository("library");
  git("repo", "submodule add ../library sub");
  git("repo", "commit -m submodule");
  ASSERT_TRUE(fs::is_regular_file(folder_ / "repo/sub/.git"));
  EXPECT_EQ(state_of("repo/sub").head, state_of("library").head);
  folder_.write("repo/sub/file", "changed");
  EXPECT_TRUE(state_of("repo/sub").dirty);
  EXPECT_FALSE(state_of("repo").dirty) << "files of a submodule are not ours";
  git("repo/sub", "commit -am moved");
  EXPECT_TRUE(state_of("repo").dirty) << "another commit of it is";
}

TEST_F(GitTest, OutsideOfRepositoriesNothingIsStarted) {
  const Variable path("PATH", path_with_git(fmt::format("touch {}", (folder_ / "ran").native())));
  fs::create_directory(folder_ / "plain");
  EXPECT_EQ(read_state(folder_ / "plain")->has_value(), false);
  EXPECT_FALSE(fs::exists(folder_ / "ran"));
}

TEST_F(GitTest, OneProcessWithASafeEnvironment) {
  make_repository("repo");
  make_repository("other");
  folder_.write("other/file", "changed");
  const auto other = (folder_ / "other").native();
  const Variable dir("GIT_DIR", other + "/.git"), tree("GIT_WORK_TREE", other),
      index("GIT_INDEX_FILE", other + "/.git/index"), pager("GIT_PAGER", "false"),
      language("LC_ALL", "de_DE.UTF-8");
  EXPECT_FALSE(state_of("repo").dirty) << "what a hook inherits does not lead elsewhere";

  const auto log = (folder_ / "log").native();
  const Variable path("PATH", path_with_git(fmt::format("/usr/bin/env >>{}", log)));
  ASSERT_TRUE(read_state(folder_ / "repo"));
  const auto environment = "\n" + text_of(log);
  for (const auto entry :
       {"\nGIT_OPTIONAL_LOCKS=0\n", "\nGIT_TERMINAL_PROMPT=0\n", "\nLC_ALL=C\n"}) {
    EXPECT_NE(environment.find(entry), std::string::npos) << entry;
  }
  for (const auto entry : {"\nGIT_DIR=", "\nGIT_WORK_TREE=", "\nGIT_INDEX_FILE=", "PAGER=false"}) {
    EXPECT_EQ(environment.find(entry), std::string::npos) << entry;
  }
  EXPECT_EQ(environment.find("\nPWD="), environment.rfind("\nPWD=")) << "started once";
}

TEST_F(GitTest, AnIndexIsNotRewritten) {
  make_repository("repo");
  const auto before = text_of(folder_ / "repo/.git/index");
  fs::last_write_time(folder_ / "repo/file",
                      fs::file_time_type::clock::now() - std::chrono::hours(1));
  EXPECT_FALSE(state_of("repo").dirty);
  EXPECT_EQ(text_of(folder_ / "repo/.git/index"), before);
}

TEST_F(GitTest, ManyChangesAreDirtyToo) {
  fs::create_directory(folder_ / "repo");
  git("repo", "init");
  for (int i = 0; i < 3000; ++i) {
    folder_.write(fmt::format("repo/a rather long name for a file {}", i), "x");
  }
  git("repo", "add .");
  const auto state = state_of("repo");
  EXPECT_TRUE(state.dirty);
  EXPECT_EQ(state.branch, "main");
}

TEST_F(GitTest, WithoutGitThereIsNoState) {
  make_repository("repo");
  const Variable path("PATH", (folder_ / "empty").native());
  const auto state = read_state(folder_ / "repo");
  ASSERT_TRUE(state) << describe(state.error());
  EXPECT_EQ(*state, std::nullopt);
}

TEST_F(GitTest, AFolderThatOnlyLooksLikeARepository) {
  fs::create_directories(folder_ / "repo/.git");
  const auto state = read_state(folder_ / "repo");
  ASSERT_TRUE(state) << describe(state.error());
  EXPECT_EQ(*state, std::nullopt);
}

TEST_F(GitTest, WhatGitRefusesIsToldInItsWords) {
  folder_.write("broken/.git", "garbage");
  const auto broken = read_state(folder_ / "broken");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("invalid gitfile format"), std::string::npos)
      << broken.error().message;
  EXPECT_NE(broken.error().message.find((folder_ / "broken").native()), std::string::npos);

  make_repository("repo");
  const Variable other("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1");
  const auto foreign = read_state(folder_ / "repo");
  ASSERT_FALSE(foreign);
  EXPECT_EQ(foreign.error().code, Code::permission);
  EXPECT_NE(foreign.error().message.find("dubious ownership"), std::string::npos)
      << foreign.error().message;
  EXPECT_NE(foreign.error().hint.find("safe.directory"), std::string::npos);
}

TEST_F(GitTest, AGitThatDies) {
  make_repository("repo");
  const Variable path("PATH", path_with_git("kill -9 $$"));
  const auto state = read_state(folder_ / "repo");
  ASSERT_FALSE(state);
  EXPECT_NE(state.error().message.find("signal 9"), std::string::npos) << state.error().message;
}

TEST_F(GitTest, AGitThatNeverEnds) {
  make_repository("repo");
  const Variable path("PATH", path_with_git("exec /bin/sleep 1000"));
  const auto state = read_state(folder_ / "repo", Millis{200});
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, Code::unavailable);
  EXPECT_NE(state.error().message.find("too long"), std::string::npos) << state.error().message;
}

TEST_F(GitTest, AFolderThatIsNotThere) {
  const auto state = read_state(folder_ / "missing");
  ASSERT_FALSE(state);
  EXPECT_EQ(state.error().code, Code::not_found);
}

TEST(GitStatus, OddTexts) {
  EXPECT_EQ(parse_status("").head, "");
  EXPECT_TRUE(parse_status("1 .M N... 100644").dirty) << "cut in the middle";
  EXPECT_FALSE(parse_status("# stash 3\n\n# branch.head \n").dirty);
  EXPECT_EQ(parse_status("# branch.oid abc\n# branch.head main\n").branch, "main");
}

}  // namespace
}  // namespace ralph::git
