#include "harness/run/protected_files.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

TEST(ProtectedFiles, WhatWasCreatedIsMovedAway) {
  const test::TempFolder folder;
  folder.write("work/.git/HEAD", "ref: refs/heads/main\n");
  folder.write("work/.mcp.json", "mine");
  const ProtectedFiles missing(folder / "work");
  folder.write("work/ralph.yml", "evil");
  folder.write("work/.claude/settings.json", "evil");
  folder.write("work/.git/commondir", "evil");
  fs::create_symlink("/nowhere", folder / "work/.envrc");
  folder.write("work/.mcp.json", "changed");
  const auto told = missing.restore(folder / "removed");
  EXPECT_EQ(told.size(), 4u);
  EXPECT_TRUE(told.at(0).contains("'ralph.yml'")) << told.at(0);
  for (const auto* name : {"ralph.yml", ".claude", ".git/commondir", ".envrc"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "work" / name))) << name;
  }
  EXPECT_EQ(test::text_of(folder / "removed/.claude/settings.json"), "evil");
  EXPECT_EQ(test::text_of(folder / "work/.mcp.json"), "changed") << "it was there before";
}

TEST(ProtectedFiles, NothingCreatedLeavesNothing) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  EXPECT_TRUE(ProtectedFiles(folder / "work").restore(folder / "removed").empty());
  EXPECT_FALSE(fs::exists(folder / "removed"));
}

TEST(ProtectedFiles, ARepositoryOfTheAgentIsTold) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  const ProtectedFiles missing(folder / "work");
  folder.write("work/.git/config", "");
  const auto told = missing.restore(folder / "removed");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].contains(".git/config")) << told[0];
  EXPECT_TRUE(fs::exists(folder / "work/.git/config"));
}

TEST(ProtectedFiles, AReplacedLinkIsPutBack) {
  const test::TempFolder folder;
  folder.write("work/shared/envrc", "mine");
  fs::create_symlink("shared/envrc", folder / "work/middle");
  fs::create_symlink("middle", folder / "work/.envrc");
  const ProtectedFiles before(folder / "work");
  fs::remove(folder / "work/.envrc");
  fs::remove(folder / "work/middle");
  folder.write("work/.envrc", "evil");
  folder.write("work/middle", "evil");
  EXPECT_EQ(before.restore(folder / "removed").size(), 4u);
  EXPECT_EQ(test::text_of(folder / "work/.envrc"), "mine");
  EXPECT_TRUE(fs::is_symlink(folder / "work/middle"));
}

TEST(ProtectedFiles, WhatWasMovedBeforeStays) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  const ProtectedFiles before(folder / "work");
  for (const auto* text : {"first", "second"}) {
    folder.write("work/.claude/settings.json", text);
    EXPECT_EQ(before.restore(folder / "removed").size(), 1u);
  }
  EXPECT_EQ(test::text_of(folder / "removed/.claude/settings.json"), "first");
  EXPECT_EQ(test::text_of(folder / "removed/.claude.2/settings.json"), "second");
}

TEST(ProtectedFiles, ARecordOutlivesAKilledRalph) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  alignas(ProtectedFiles) std::array<std::byte, sizeof(ProtectedFiles)> place{};
  // Never destroyed, as in a process that was killed.
  auto* const killed = new (place.data()) ProtectedFiles(folder / "work");
  ASSERT_TRUE(killed->remember(folder / "state"));
  folder.write("work/.claude/settings.json", "evil");
  folder.write("work/ralph.yml", "ConfigWatch decides about it");
  const auto recover = [&] {
    return ProtectedFiles::recover(folder / "work", folder / "state", folder / "removed");
  };
  EXPECT_EQ(recover().size(), 1u);
  EXPECT_FALSE(fs::exists(folder / "work/.claude"));
  EXPECT_TRUE(fs::exists(folder / "work/ralph.yml"));
  folder.write("work/.claude/settings.json", "mine");
  EXPECT_TRUE(recover().empty()) << "once";
  killed->~ProtectedFiles();
}

}  // namespace
}  // namespace ralph::run
