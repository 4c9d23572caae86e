#include "run/protected_files.h"

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

TEST(MissingFiles, WhatWasCreatedIsMovedAway) {
  const test::TempFolder folder;
  folder.write("work/.git/HEAD", "ref: refs/heads/main\n");
  folder.write("work/.mcp.json", "mine");
  const MissingFiles missing(folder / "work");
  folder.write("work/ralph.yml", "evil");
  folder.write("work/.claude/settings.json", "evil");
  folder.write("work/.git/commondir", "evil");
  fs::create_symlink("/nowhere", folder / "work/.envrc");
  folder.write("work/.mcp.json", "changed");
  const auto told = missing.move_created(folder / "removed");
  EXPECT_EQ(told.size(), 4u);
  EXPECT_TRUE(told.at(0).contains("'ralph.yml'")) << told.at(0);
  for (const auto* name : {"ralph.yml", ".claude", ".git/commondir", ".envrc"}) {
    EXPECT_FALSE(fs::exists(fs::symlink_status(folder / "work" / name))) << name;
  }
  EXPECT_EQ(test::text_of(folder / "removed/.claude/settings.json"), "evil");
  EXPECT_EQ(test::text_of(folder / "work/.mcp.json"), "changed") << "it was there before";
}

TEST(MissingFiles, NothingCreatedLeavesNothing) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  EXPECT_TRUE(MissingFiles(folder / "work").move_created(folder / "removed").empty());
  EXPECT_FALSE(fs::exists(folder / "removed"));
}

TEST(MissingFiles, ARepositoryOfTheAgentIsTold) {
  const test::TempFolder folder;
  fs::create_directory(folder / "work");
  const MissingFiles missing(folder / "work");
  folder.write("work/.git/config", "");
  const auto told = missing.move_created(folder / "removed");
  ASSERT_EQ(told.size(), 1u);
  EXPECT_TRUE(told[0].contains(".git/config")) << told[0];
  EXPECT_TRUE(fs::exists(folder / "work/.git/config"));
}

}  // namespace
}  // namespace ralph::run
