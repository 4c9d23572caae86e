#include "system/git/folder_scan.h"

#include <unistd.h>

#include "harness.h"
#include "system/git/old_files.h"

namespace ralph::git {
namespace {

class GitFolderScan : public GitWork {
 protected:
  /// What a command plants stops ralph before git waits for it: there is no limit of time here.
  void expect_refused(std::string_view plant, std::string_view path) const {
    Error why_not;
    const auto work = good(Worktree::open(repo(), why_not, {Millis::zero()}));
    shell(plant);
    for (const auto& error : {work->tree().error(), work->dirty().error(),
                              work->commit("x", kMain).error(), work->stash("x").error()}) {
      EXPECT_EQ(error.code, Code::permission) << plant;
      EXPECT_TRUE(error.message.contains((repo() / path).native())) << error.message;
      EXPECT_TRUE(error.hint.contains("remove it")) << error.hint;
    }
    shell(fmt::format("rm '{}'", path));
    good(work->tree());
  }
};

TEST_F(GitFolderScan, PipesThatGitWouldReadAreRefused) {
  first_commit();
  shell("mkdir -p new/deep tracked && echo x >tracked/x && echo x >new/deep/x && git add tracked");
  for (const auto* path : {".gitignore", ".gitattributes", ".gitmodules", "new/deep/.gitignore",
                           "tracked/.gitattributes", ".git/packed-refs", ".git/shallow",
                           ".git/refs/heads/other", ".git/objects/pack/pack-1.idx"}) {
    expect_refused(fmt::format("mkfifo {}", path), path);
  }
  expect_refused("mkfifo ../pipe && ln -s ../../pipe .git/packed-refs", ".git/packed-refs");
  expect_refused("ln -s /dev/zero .git/packed-refs", ".git/packed-refs");
}

TEST_F(GitFolderScan, WhatGitDoesNotWaitForIsAccepted) {
  first_commit();
  shell("mkdir .gitignore && mkfifo pipe && ln -s /dev/null .git/gc.log && ln -s nowhere .git/x");
  shell("git init -q inner && mkfifo inner/.gitignore");
  const auto work = open();
  good(work.tree());
}

TEST_F(GitFolderScan, ALinkedWorktreeIsLookedAtWhole) {
  first_commit();
  git("worktree add -q ../linked -b linked");
  const auto work = open(folder_ / "linked");
  shell("mkfifo .git/shallow");
  EXPECT_EQ(work.tree().error().code, Code::permission);
}

TEST_F(GitFolderScan, RepositoriesInsideAreNamedWhenAFileInThemChanges) {
  first_commit();
  shell(
      "mkdir -p d plain && git init -q d/inner && echo x >d/inner/x && git init -q other && "
      "mkdir other/sub && echo y >other/sub/y");
  const auto start = good(file_time_now(repo()));
  EXPECT_EQ(changed_repositories(repo(), start), Paths{});
  shell("echo z >plain/z && git -C other add -A");
  EXPECT_EQ(changed_repositories(repo(), start), Paths{});
  shell("touch -d '1 hour ago' other/sub/y");
  EXPECT_EQ(changed_repositories(repo(), start), Paths{"other"});
  shell("rm d/inner/x && git init -q new");
  EXPECT_EQ(changed_repositories(repo(), start), (Paths{"d/inner", "new", "other"}));
}

TEST_F(GitFolderScan, FilesAreFoundByName) {
  shell(
      "mkdir -p a/b/.r .git/x .ralph/x ../far/.r && touch f a/f a/b/f a/b/.r/g a/g .git/x/f "
      ".ralph/x/f "
      "../far/.r/g && ln -s ../far link && ln -s nowhere a/b/dangling && mkdir d && ln -s nowhere "
      "d/f");
  constexpr std::string_view kNames[] = {"f", ".r/g"};
  auto found = find_named(repo(), kNames);
  EXPECT_TRUE(found.all);
  std::ranges::sort(found.paths);
  EXPECT_EQ(found.paths,
            (std::vector<std::string>{"a/b/.r/g", "a/b/f", "a/f", "d/f", "f", "link/.r/g"}));
}

/// A folder that cannot be listed hides nothing, and one that cannot be searched makes the answer incomplete.
TEST_F(GitFolderScan, FoldersThatCannotBeListed) {
  constexpr uid_t kSomeUser = 4242;
  constexpr std::string_view kNames[] = {"f"};
  const bool root = ::geteuid() == 0;
  shell("mkdir unlisted closed && touch unlisted/f closed/f && chmod 0755 .. .");
  if (root) shell("chown 4242 unlisted closed");
  shell("chmod 0311 unlisted && chmod 0 closed");
  ASSERT_TRUE(!root || ::seteuid(kSomeUser) == 0);
  const auto found = find_named(repo(), kNames);
  ASSERT_TRUE(!root || ::seteuid(0) == 0);
  shell("chmod 0700 unlisted closed");
  EXPECT_EQ(found.paths, std::vector<std::string>{"unlisted/f"});
  EXPECT_FALSE(found.all);
}

}  // namespace
}  // namespace ralph::git
