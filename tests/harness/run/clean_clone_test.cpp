#include "harness/run/clean_clone.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "system/process/capture.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

/// A repository with two trees: `base_` and `tree_`.
class CleanClones : public testing::Test {
 protected:
  void SetUp() override {
    git_.start_in(folder_.path());
    ASSERT_TRUE(git_.ask({{"init", "--quiet", "--template=", (folder_ / "work").native()}}));
    git_.pin(folder_ / "work", folder_ / "work/.git");
    folder_.write("work/a", "1\n");
    base_ = tree_of_files();
    folder_.write("work/a", "2\n");
    folder_.write("work/b", "new\r\n");
    tree_ = tree_of_files();
  }
  std::string tree_of_files() {
    EXPECT_TRUE(git_.ask({{"add", "--all"}}));
    return *git_.ask_line({{"write-tree"}});
  }
  CleanClone::Source source() const {
    return {.git = git_,
            .objects = {folder_ / "work/.git/objects"},
            .workspace = folder_ / "work",
            .commit = {},
            .base_tree = base_,
            .tree = tree_,
            .raw = true};
  }
  static std::string ask(const CleanClone& clone, std::vector<std::string> words) {
    process::Command command{.argv = std::move(words), .cwd = clone.root(), .terminal = {}};
    command.env = clone.environment({});
    const auto ran = process::capture(command, {});
    return ran ? ran->out + ran->err : "not started";
  }

  test::TempFolder folder_;
  git::Program git_ = *git::Program::find();
  std::string base_, tree_;
};

TEST_F(CleanClones, HoldsTheTreeAsChangesOfOneCommit) {
  fs::path root;
  {
    const auto clone = CleanClone::make(source());
    ASSERT_TRUE(clone) << clone.error().message;
    root = clone->root();
    EXPECT_EQ(test::text_of(root / "b"), "new\r\n");
    EXPECT_EQ(ask(*clone, {"git", "status", "--porcelain"}), " M a\n?? b\n");
    EXPECT_EQ(ask(*clone, {"git", "rev-list", "--count", "--all"}), "1\n");
    EXPECT_FALSE(fs::exists(root / ".git/objects/info/alternates"));
    EXPECT_EQ(ask(*clone, {"git", "fsck"}).find("error"), std::string::npos);
  }
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(CleanClones, FromADirectoryWithANewlineInItsName) {
  const auto odd = folder_ / "a\n\"b\\c";
  fs::rename(folder_ / "work", odd);
  git_.pin(odd, odd / ".git");
  auto from = source();
  from.objects = {odd / ".git/objects"};
  from.workspace = odd;
  const auto clone = CleanClone::make(from);
  ASSERT_TRUE(clone) << clone.error().message;
  EXPECT_EQ(test::text_of(clone->root() / "a"), "2\n");
}

TEST_F(CleanClones, EntriesInsteadOfATree) {
  auto from = source();
  from.entries = *git_.ask({{"ls-tree", "-r", "-z", base_}});
  const auto clone = CleanClone::make(from);
  ASSERT_TRUE(clone) << clone.error().message;
  EXPECT_EQ(test::text_of(clone->root() / "a"), "1\n");
  EXPECT_FALSE(fs::exists(clone->root() / "b"));
}

TEST_F(CleanClones, RawFilesHaveTheirBytesWhateverAttributesSay) {
  folder_.write("work/.gitattributes", "* text eol=crlf\n");
  tree_ = tree_of_files();
  const auto clone = CleanClone::make(source());
  ASSERT_TRUE(clone) << clone.error().message;
  EXPECT_EQ(test::text_of(clone->root() / "a"), "2\n");
}

TEST_F(CleanClones, TheEnvironmentIsItsOwn) {
  ::setenv("RALPH_TEST_SECRET", "x", 1);
  const auto clone = CleanClone::make(source());
  ASSERT_TRUE(clone);
  const auto env = ask(*clone, {"env"});
  ::unsetenv("RALPH_TEST_SECRET");
  EXPECT_FALSE(env.contains("RALPH_TEST_SECRET"));
  EXPECT_TRUE(env.contains("HOME=" + clone->root().parent_path().native() + "/home\n"));
  EXPECT_TRUE(env.contains("PATH=/usr/local/sbin:"));
}

TEST_F(CleanClones, ConfinedCommandsSeeOnlyTheCloneAndTheSystem) {
  const auto bwrap = find_bubblewrap();
  if (!bwrap) GTEST_SKIP() << describe(bwrap.error());
  const auto clone = CleanClone::make(source());
  ASSERT_TRUE(clone);
  process::Command command;
  command.argv = {"/bin/sh", "-c",
                  "pwd; cat a; test -e '" + (folder_ / "work/a").native() +
                      "' || echo hidden; touch c && echo written; touch /usr/x || echo refused"};
  command.cwd = clone->root();
  command.env = clone->environment({});
  const auto wrapped =
      clone->confinement(*bwrap, {folder_.path()}, clone->root())(std::move(command));
  ASSERT_TRUE(wrapped);
  const auto ran = process::capture(*wrapped, {});
  ASSERT_TRUE(ran);
  EXPECT_EQ(ran->out, clone->root().native() + "\n2\nhidden\nwritten\nrefused\n") << ran->err;
}

}  // namespace
}  // namespace ralph::run
