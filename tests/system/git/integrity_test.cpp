#include "system/git/integrity.h"

#include "system/git/harness.h"
#include "system/git/tree_files.h"

namespace ralph::git {
namespace {

class GitIntegrity : public GitWork {
 protected:
  void SetUp() override {
    GitWork::SetUp();
    first_commit();
    work_.emplace(open());
    auto read = Integrity::read(work_->program());
    ASSERT_TRUE(read) << describe(read.error());
    before_.emplace(*std::move(read));
  }
  Result<std::vector<std::string>> restore() const { return before_->restore(work_->program()); }
  std::string refusal() const {
    const auto found = restore();
    return found ? "" : found.error().message;
  }

  std::optional<Worktree> work_;
  std::optional<Integrity> before_;
};

TEST_F(GitIntegrity, AnOrdinaryDayIsFine) {
  shell("echo new > new && git add new && git commit -qm more && git tag x && git gc -q");
  shell("git checkout -q -b other && echo y > y && git stash -qu && git checkout -q main");
  const auto found = restore();
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_TRUE(found->empty());
  EXPECT_EQ(before_->digest(), Integrity::read(work_->program())->digest());
}

TEST_F(GitIntegrity, FlagsAreUndoneAndReported) {
  shell("echo a > a && echo b > b && echo both > both && git add . && git commit -qm files");
  shell("git update-index --skip-worktree a both && git update-index --assume-unchanged b both");
  EXPECT_NE(before_->digest(), Integrity::read(work_->program())->digest());
  const auto found = restore();
  ASSERT_TRUE(found) << describe(found.error());
  ASSERT_EQ(found->size(), 2U);
  EXPECT_TRUE((*found)[0].contains("skip-worktree hid changes of 'a', 'both'")) << (*found)[0];
  EXPECT_TRUE((*found)[1].contains("assume-unchanged hid changes of 'b', 'both'")) << (*found)[1];
  EXPECT_EQ(shell("git ls-files -v | grep -v ^H | wc -l"), "0");
}

TEST_F(GitIntegrity, FlagsOfTheUserStay) {
  shell("echo a > a && git add a && git commit -qm a && git update-index --skip-worktree a");
  auto mine = Integrity::read(work_->program());
  ASSERT_TRUE(mine);
  const auto found = mine->restore(work_->program());
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->empty());
  EXPECT_EQ(shell("git ls-files -v a"), "S a");
}

TEST_F(GitIntegrity, ExcludeAndSparseCheckoutArePutBack) {
  shell("mkdir -p .git/info; echo '*.py' >> .git/info/exclude");
  shell("echo '/*' > .git/info/sparse-checkout");
  const auto found = restore();
  ASSERT_TRUE(found) << describe(found.error());
  EXPECT_EQ(found->size(), 2U);
  EXPECT_FALSE(std::filesystem::exists(repo() / ".git/info/sparse-checkout"));
  EXPECT_EQ(shell("grep -c '[.]py' .git/info/exclude || true").substr(0, 1), "0");
  EXPECT_TRUE(restore()->empty());
}

TEST_F(GitIntegrity, AnotherRepositoryIsTampering) {
  struct Case {
    const char *attack, *back, *says;
  };
  for (const auto& [attack, back, says] : {
           Case{"mv .git x && ln -s x .git", "rm .git && mv x .git", "symbolic link"},
           Case{"mv .git x && cp -r x .git", "rm -rf .git && mv x .git", "another directory"},
           Case{"mv .git x && echo 'gitdir: x' > .git", "rm .git && mv x .git", "replaced"},
           Case{"mv .git x", "mv x .git", "is gone"},
           Case{"mv .git/HEAD x", "mv x .git/HEAD", "is gone"},
           Case{"mv .git/objects x && mkdir .git/objects", "rm -r .git/objects; mv x .git/objects",
                "another directory"},
           Case{"mkdir -p .git/objects/info; echo /x > .git/objects/info/alternates",
                "rm .git/objects/info/alternates", "objects from another place"},
           Case{"cp .git/config x; echo '[bad' >> .git/config", "mv x .git/config",
                "cannot be read"},
           Case{"cp .git/index x; echo bad > .git/index", "mv x .git/index", "cannot be read"},
       }) {
    shell(attack);
    EXPECT_TRUE(refusal().contains(says)) << attack << ": " << refusal();
    shell(back);
    EXPECT_EQ(refusal(), "") << back;
  }
}

TEST_F(GitIntegrity, ReplacedObjectsHaveNoEffect) {
  shell("echo other > other && git add other");
  const auto tree = work_->tree();
  shell("git replace $(git rev-parse HEAD^{tree}) $(git write-tree)");
  EXPECT_EQ(work_->tree(), tree);
  const auto found = restore();
  ASSERT_TRUE(found);
  ASSERT_EQ(found->size(), 1U);
  EXPECT_TRUE(found->front().contains("git replace"));
}

TEST_F(GitIntegrity, OldVersionsComeFromATree) {
  shell("mkdir t && echo one > t/a && echo two > t/b && chmod +x t/b && ln -s a t/l");
  const auto start = work_->tree();
  ASSERT_TRUE(start);
  shell("echo changed > t/a && rm t/b t/l && echo new > t/new");
  const auto now = work_->tree();
  const auto changes = tree_differences(work_->program(), *start, *now);
  ASSERT_TRUE(changes);
  ASSERT_EQ(changes->size(), 4U);
  EXPECT_EQ((*changes)[0].path, "t/a");
  EXPECT_EQ(read_blob(work_->program(), (*changes)[0].old_id), "one\n");
  EXPECT_EQ((*changes)[1].old_mode, 0100755U);
  EXPECT_EQ((*changes)[2].old_mode, 0120000U);
  EXPECT_EQ((*changes)[3].old_mode, 0U);
  EXPECT_EQ(paths_in_tree(work_->program(), *start, {"t/a", "t/new"}),
            (std::set<std::string>{"t/a"}));
}

TEST_F(GitIntegrity, IgnoredFilesAreKnown) {
  shell("echo gen > .gitignore && echo x > gen && echo x > mine");
  EXPECT_EQ(ignored_files(work_->program(), repo(), {"gen", "mine"}),
            (std::vector<std::string>{"gen"}));
}

}  // namespace
}  // namespace ralph::git
