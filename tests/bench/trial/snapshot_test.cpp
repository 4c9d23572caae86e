#include "bench/trial/snapshot.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"
#include "system/git/tree_files.h"

namespace ralph::trial {
namespace {

class Snapshots : public testing::Test {
 protected:
  Snapshots() { std::filesystem::create_directories(folder_ / "work"); }
  SnapshotStore open() {
    return *SnapshotStore::open(*git::Program::find(), folder_ / "work", folder_ / "store.git");
  }
  static std::vector<std::string> changes(const SnapshotStore& store, const std::string& from,
                                          const std::string& to) {
    std::vector<std::string> paths;
    const auto found = git::tree_differences(store.git(), from, to);
    EXPECT_TRUE(found);
    for (const auto& change : *found) paths.push_back(change.path);
    return paths;
  }

  test::TempFolder folder_;
};

TEST_F(Snapshots, AChangedGitignoreHidesNothing) {
  folder_.write("work/.gitignore", "made\n");
  folder_.write("work/made/x", "1");
  auto store = open();
  ASSERT_TRUE(store.fix_ignored());
  const auto base = *store.take();
  folder_.write("work/.gitignore", "*\n");
  folder_.write("work/made/x", "2");
  folder_.write("work/new", "x");
  EXPECT_EQ(changes(store, base, *store.take()), (std::vector<std::string>{".gitignore", "new"}));
}

TEST_F(Snapshots, FilesThatAreMuchLargerThanBeforeAreRefused) {
  folder_.write("work/a", "x");
  auto store = open();
  ASSERT_TRUE(store.take());
  std::filesystem::resize_file(folder_.write("work/sparse", ""), std::uintmax_t{6} << 30);
  const auto tree = store.take();
  ASSERT_FALSE(tree);
  EXPECT_EQ(tree.error().code, Code::limit);
  EXPECT_EQ(tree.error().message,
            "the files have more than 1073741825 bytes; the largest is 'sparse'");
  std::filesystem::remove(folder_ / "work/sparse");
  EXPECT_TRUE(store.take());
}

TEST_F(Snapshots, ARepositoryInsideHidesNothing) {
  auto store = open();
  const auto base = *store.take();
  folder_.write("work/sub/file", "x");
  folder_.write("work/sub/.git/HEAD", "ref: refs/heads/main\n");
  EXPECT_EQ(changes(store, base, *store.take()), std::vector<std::string>{"sub/file"});
  EXPECT_EQ(store.left_out(), std::vector<std::string>{"sub/.git"});
}

TEST_F(Snapshots, TrackedFilesCountAlthoughTheyAreIgnored) {
  folder_.write("work/.gitignore", "*.gen\n");
  folder_.write("work/tracked.gen", "1");
  folder_.write("work/other.gen", "1");
  auto store = open();
  ASSERT_TRUE(store.fix_ignored());
  EXPECT_TRUE(store.has_ignore_rules());
  store.add_tracked({"tracked.gen"});
  const auto base = *store.take();
  folder_.write("work/tracked.gen", "2");
  folder_.write("work/other.gen", "2");
  EXPECT_EQ(changes(store, base, *store.take()), std::vector<std::string>{"tracked.gen"});
}

TEST_F(Snapshots, IgnoredFilesAreTakenByPatterns) {
  folder_.write("work/.gitignore", "modules/\n");
  folder_.write("work/modules/a", "1");
  folder_.write("work/modules/b", "1");
  folder_.write("work/src", "1");
  auto store = open();
  ASSERT_TRUE(store.fix_ignored());
  ASSERT_TRUE(store.take());
  EXPECT_EQ(*store.take_ignored({}), "");
  const auto tree = *store.take_ignored(*git::PathGlobs::make({"*", "!modules/b"}));
  EXPECT_EQ(*store.git().ask({{"ls-tree", "-r", "--name-only", tree}}), "modules/a\n");
}

/// "attributes, hooks, filters … in the patch have no effect on us"
TEST_F(Snapshots, AttributesChangeNoBytes) {
  folder_.write("work/.gitattributes",
                "* text eol=lf ident working-tree-encoding=UTF-16 filter=x\n");
  folder_.write("work/a", "1\r\n$Id$\r\n");
  auto store = open();
  const auto tree = *store.take();
  const auto id = store.git().ask_line({{"rev-parse", tree + ":a"}});
  EXPECT_EQ(*git::read_blob(store.git(), *id), "1\r\n$Id$\r\n");
}

TEST_F(Snapshots, EveryChangeBreaksTheSeal) {
  folder_.write("work/a", "1");
  auto store = open();
  ASSERT_TRUE(store.take());
  ASSERT_TRUE(store.seal());
  EXPECT_TRUE(store.check_seal());
  folder_.write("store.git/objects/info/alternates", "/elsewhere\n");
  EXPECT_FALSE(store.check_seal());
  std::filesystem::remove(folder_ / "store.git/objects/info/alternates");
  EXPECT_TRUE(store.check_seal());
  folder_.write("store.git/info/attributes", "* filter=x\n");
  const auto broken = store.check_seal();
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().code, Code::permission);
  EXPECT_TRUE(broken.error().message.contains("info/attributes")) << broken.error().message;
}

TEST_F(Snapshots, AHugeFileBreaksTheSealWithoutBeingRead) {
  auto store = open();
  ASSERT_TRUE(store.take());
  ASSERT_TRUE(store.seal());
  std::filesystem::resize_file(folder_.write("store.git/objects/huge", ""),
                               std::uintmax_t{1} << 40);
  const auto broken = store.check_seal();
  ASSERT_FALSE(broken);
  EXPECT_TRUE(broken.error().message.contains("objects/huge")) << broken.error().message;
}

TEST_F(Snapshots, ARemovedFileBreaksTheSeal) {
  folder_.write("work/a", "1");
  auto store = open();
  ASSERT_TRUE(store.take());
  ASSERT_TRUE(store.seal());
  std::filesystem::remove(folder_ / "store.git/info/attributes");
  EXPECT_FALSE(store.check_seal());
}

}  // namespace
}  // namespace ralph::trial
