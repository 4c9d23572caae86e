#include "system/git/tree_writer.h"

#include "system/git/harness.h"

namespace ralph::git {
namespace {

class WriteTree : public GitWork {
 protected:
  std::string index() const { return test::text_of(repo() / ".git/index"); }
  std::string ours() const {
    const auto tree = write_tree(index(), repo() / ".git/objects");
    EXPECT_TRUE(tree) << tree.error().message;
    return tree && *tree ? **tree : "none";
  }
};

TEST_F(WriteTree, WritesWhatGitWrites) {
  write("a.txt", "x");
  write("a/b/deep.txt", "y");
  write("a/c", "z");
  write("a-b", "z");
  write("ab/run", "#!/bin/sh");
  write(std::string(200, 'n') + "/" + std::string(200, 'm'), "long");
  shell(
      "chmod +x ab/run; ln -s a.txt link; mkdir many; cd many; for i in $(seq 2500); do echo $i > "
      "file-$i; done");
  git("add -A");
  const auto tree = ours();
  EXPECT_EQ(git("cat-file -t " + tree), "tree");
  EXPECT_FALSE(git("fsck --strict --no-dangling").contains("error"));
  EXPECT_EQ(git("write-tree"), tree);
  EXPECT_EQ(ours(), tree);
}

TEST_F(WriteTree, LeavesOtherKindsOfIndexToGit) {
  write("a", "x");
  git("add a");
  EXPECT_EQ(ours(), git("write-tree"));
  git("update-index --index-version 4");
  EXPECT_EQ(ours(), "none");
  git("update-index --index-version 2");
  git("update-index --split-index");
  EXPECT_EQ(ours(), "none");
  for (const std::string_view bad :
       {"", "DIRC", "nothing at all that looks like an index of git"}) {
    const auto tree = write_tree(bad, repo());
    EXPECT_TRUE(tree && !*tree) << bad;
  }
  const auto whole = index();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_TRUE(write_tree(whole.substr(0, size), repo() / ".git/objects"));
  }
}

TEST_F(WriteTree, AnEntryThatIsOnlyIntendedDoesNotCount) {
  write("a", "x");
  git("add a");
  const auto tree = ours();
  write("b", "y");
  git("add --intent-to-add b");
  EXPECT_EQ(ours(), tree);
}

}  // namespace
}  // namespace ralph::git
