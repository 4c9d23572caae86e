#include "harness/run/file_watch.h"

#include <fstream>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

TEST(FileWatch, SeesWhatWasTakenBack) {
  test::TempFolder folder;
  for (const auto* name : {"quiet", "written", "replaced", "removed"}) {
    folder.write(name, "x");
  }
  auto watch = FileWatch::on(folder / "", {"quiet", "written", "replaced", "removed", "missing"});
  ASSERT_TRUE(watch);
  EXPECT_TRUE(watch->changed().empty());
  EXPECT_EQ(test::text_of(folder / "quiet"), "x");
  std::ofstream(folder / "written") << "y";
  std::ofstream(folder / "written") << "x";
  folder.write("new", "y");
  fs::rename(folder / "new", folder / "replaced");
  fs::remove(folder / "removed");
  const auto changed = watch->changed();
  EXPECT_EQ(changed.size(), 3U);
}

TEST(FileWatch, SeesAnotherFileUnderTheName) {
  test::TempFolder folder;
  for (const auto* name : {"linked", "sub/deep/moved", "sub/quiet"}) folder.write(name, "x");
  auto watch = FileWatch::on(folder / "", {"linked", "sub/deep/moved", "sub/quiet"});
  ASSERT_TRUE(watch);
  fs::create_hard_link(folder / "linked", folder / "kept");
  EXPECT_TRUE(watch->changed().empty());
  fs::remove(folder / "linked");
  fs::create_hard_link(folder / "kept", folder / "linked");
  EXPECT_EQ(watch->changed().size(), 1U);
  fs::rename(folder / "sub/deep", folder / "aside");
  fs::rename(folder / "aside", folder / "sub/deep");
  const auto changed = watch->changed();
  ASSERT_EQ(changed.size(), 1U);
  EXPECT_TRUE(changed[0].ends_with("moved"));
}

TEST(FileWatch, SeesAnotherDirectoryInThePlaceOfTheRoot) {
  const test::TempFolder folder;
  folder.write("above/root/file", "x");
  fs::create_directory_symlink("above", folder / "link");
  for (const auto* root : {"above/root", "link/root"}) {
    auto watch = FileWatch::on(folder / root, {"file"});
    ASSERT_TRUE(watch);
    folder.write("above/other", "x");
    folder.write("above/root/new", "x");
    EXPECT_TRUE(watch->changed().empty());
    fs::rename(folder / "above/root", folder / "above/aside");
    fs::rename(folder / "above/aside", folder / "above/root");
    EXPECT_EQ(watch->changed(), std::vector<std::string>{(folder / root).native()});
    fs::rename(folder / "above", folder / "aside");
    fs::rename(folder / "aside", folder / "above");
    EXPECT_EQ(watch->changed().size(), 1U);
  }
}

}  // namespace
}  // namespace ralph::run
