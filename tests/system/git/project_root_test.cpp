#include "system/git/project_root.h"

#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "support/temp_folder.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

class ProjectRootTest : public testing::Test {
 protected:
  fs::path make(const fs::path& path) const {
    fs::create_directories(root / path);
    return root / path;
  }
  void make_repository(const fs::path& path) const {
    make(path / ".git");
    std::ofstream(root / path / ".git/HEAD") << "ref: refs/heads/main\n";
  }
  /// Of another user, as far as this user can do that.
  static bool give_away(const fs::path& path) {
    return ::geteuid() == 0 && ::lchown(path.c_str(), 12345, 12345) == 0;
  }

  test::TempFolder folder;
  fs::path root = fs::canonical(folder.path());
};

TEST_F(ProjectRootTest, IsTheRepositorysRoot) {
  make_repository("r");
  EXPECT_EQ(find_project_root(make("r/a/b"), {}).folder, root / "r");
  EXPECT_EQ(find_project_root(root / "r", {}).folder, root / "r");
}

TEST_F(ProjectRootTest, WithoutARepositoryItIsTheFolder) {
  EXPECT_EQ(find_project_root(make("a/b"), {}).folder, root / "a/b");
  make("r/.git");  // no HEAD: git takes it for nothing
  EXPECT_EQ(find_project_root(make("r/a"), {}).folder, root / "r/a");
}

TEST_F(ProjectRootTest, AFileOfALinkedWorktreeMakesARoot) {
  make_repository("r");
  const auto inside = make("r/tree/a");
  std::ofstream(root / "r/tree/.git") << "gitdir: /somewhere\n";
  EXPECT_EQ(find_project_root(inside, {}).folder, root / "r/tree");
}

TEST_F(ProjectRootTest, TheHomesRepositoryCountsInTheHomeOnly) {
  make_repository("home");
  const auto below = make("home/project");
  EXPECT_EQ(find_project_root(below, root / "home").folder, below);
  EXPECT_EQ(find_project_root(root / "home", root / "home").folder, root / "home");
}

TEST_F(ProjectRootTest, LinksAreResolved) {
  make_repository("r");
  make("r/a");
  fs::create_symlink(root / "r/a", root / "link");
  EXPECT_EQ(find_project_root(root / "link", {}).folder, root / "r");
}

TEST_F(ProjectRootTest, AnotherUsersRepositoryAboveIsNotUsed) {
  make_repository("r");
  const auto own = make("r/a");
  if (!give_away(root / "r/.git")) GTEST_SKIP() << "needs root";
  const auto found = find_project_root(own, {});
  EXPECT_EQ(found.folder, own);
  EXPECT_NE(found.warning.find("belongs to another user"), std::string::npos);
}

TEST_F(ProjectRootTest, AnotherUsersFolderOnTheWayEndsTheSearch) {
  make_repository("r");
  const auto own = make("r/a/b");
  if (!give_away(root / "r/a")) GTEST_SKIP() << "needs root";
  EXPECT_EQ(find_project_root(own, {}).folder, own);
}

TEST_F(ProjectRootTest, TheOwnerOfTheFolderIsTrusted) {
  make_repository("r");
  const auto below = make("r/a");
  for (const auto* name : {"r", "r/.git", "r/a"}) {
    if (!give_away(root / name)) GTEST_SKIP() << "needs root";
  }
  EXPECT_EQ(find_project_root(below, {}).folder, root / "r");
}

}  // namespace
}  // namespace ralph::git
