#include "harness/run/clean_clone.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/file.h"
#include "harness/run/remove_tree.h"
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

TEST_F(CleanClones, OfKilledProcessesAreRemovedByTheNextOne) {
  const auto living = CleanClone::make(source());
  ASSERT_TRUE(living);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const auto child = ::fork();
  if (child == 0) {
    const auto clone = CleanClone::make(source());
    const auto path = clone ? clone->root().parent_path().native() : "";
    fs::create_directories(clone->root() / "closed/inside");
    fs::permissions(clone->root() / "closed", fs::perms::none);
    const auto written = ::write(ends[1], path.data(), path.size());
    ::_exit(written > 0 ? 0 : 1);  // as if it were killed
  }
  ::close(ends[1]);
  int status = 1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  const fs::path abandoned = *read_fd(ends[0], "the pipe");
  ::close(ends[0]);
  EXPECT_TRUE(fs::exists(abandoned));
  const auto next = CleanClone::make(source());
  ASSERT_TRUE(next);
  EXPECT_FALSE(fs::exists(abandoned));
  EXPECT_TRUE(fs::exists(living->root() / "a"));
}

TEST(RemoveTree, SaysWhatIsLeft) {
  const test::TempFolder folder;
  folder.write("tree/closed/file", "x");
  fs::permissions(folder / "tree/closed", fs::perms::none);
  EXPECT_TRUE(remove_tree(folder / "tree"));
  EXPECT_FALSE(fs::exists(folder / "tree"));
  EXPECT_TRUE(remove_tree(folder / "tree"));
  const auto kept = remove_tree("/proc/self/fdinfo");
  ASSERT_FALSE(kept);
  EXPECT_TRUE(kept.error().message.starts_with("cannot remove '/proc/self/fdinfo': "));
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
