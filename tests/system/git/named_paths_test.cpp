#include "system/git/named_paths.h"

#include "system/git/harness.h"

namespace ralph::git {
namespace {

class NamedPaths : public GitWork {
 protected:
  void SetUp() override {
    GitWork::SetUp();
    fs::create_directory(home());
  }

  fs::path home() const { return fs::canonical(folder_.path()) / "home"; }
  Paths named(const fs::path& workspace) const {
    Paths paths;
    for (const auto& path :
         named_paths("git", fs::canonical(workspace), home(),
                     {{"HOME", home().string()}, {"GIT_CONFIG_GLOBAL", std::nullopt}})) {
      paths.push_back(path.native());
    }
    return paths;
  }
};

TEST_F(NamedPaths, NothingIsNamedByDefault) { EXPECT_EQ(named(repo()), Paths{}); }

TEST_F(NamedPaths, HooksOfTheRepositoryAndOfTheUser) {
  git("config core.hooksPath .husky/_");
  folder_.write("home/.gitconfig", "[core]\n\thooksPath = .githooks/\n");
  EXPECT_EQ(named(repo()), (Paths{".githooks", ".husky/_"}));
  git("config core.hooksPath /etc/hooks");
  folder_.write("home/.gitconfig", "[core]\n\thooksPath = ~/hooks\n");
  EXPECT_EQ(named(repo()), Paths{});
}

TEST_F(NamedPaths, HooksInTheRootAreNamedOneByOne) {
  folder_.write("home/.gitconfig", "[core]\n\thooksPath = .\n");
  const auto paths = named(repo());
  EXPECT_GT(paths.size(), 20u);
  EXPECT_TRUE(std::ranges::find(paths, "pre-commit") != paths.end());
  fs::create_directory(repo() / "sub");
  EXPECT_EQ(named(repo() / "sub"), Paths{}) << "the root is not in this workspace";
  git("config core.hooksPath sub");
  const auto below = named(repo() / "sub");
  EXPECT_TRUE(std::ranges::find(below, "post-merge") != below.end());
}

TEST_F(NamedPaths, IncludedFilesAreLookedInto) {
  git("config include.path ../settings");
  git("config includeIf.onbranch:other.path " + (home() / "more").string());
  folder_.write("repo/settings", "[core]\n\tattributesFile = attributes\n");
  folder_.write("home/more", "[core]\n\thooksPath = of-branch\n");
  EXPECT_EQ(named(repo()), (Paths{"attributes", "of-branch", "settings"}));
}

TEST_F(NamedPaths, ABrokenHeadHidesNothing) {
  git("config core.hooksPath .husky");
  folder_.write("repo/.git/HEAD", "nonsense");
  EXPECT_EQ(named(repo()), Paths{".husky"});
}

TEST_F(NamedPaths, APipeIsNotWaitedFor) {
  git("config includeIf.onbranch:other.path ../pipe");
  ASSERT_EQ(shell("mkfifo pipe"), "");
  EXPECT_EQ(named(repo()), Paths{"pipe"});
}

}  // namespace
}  // namespace ralph::git
