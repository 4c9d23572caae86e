#include "harness/run/config_watch.h"

#include <algorithm>

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "harness/run/unseen_settings.h"
#include "support/temp_folder.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr Millis kTicks{20};  // more than the clocks differ by

class ConfigWatchTest : public testing::Test {
 protected:
  void write(std::string_view text) { ASSERT_TRUE(write_file_atomically(file(), text)); }
  fs::path file() const { return folder_.path() / "ralph.yml"; }
  fs::path state() const { return folder_.path() / "state" / "ralph"; }
  std::vector<fs::path> files() const { return {file(), folder_.path() / ".envrc"}; }
  Result<> check() const {
    return ConfigWatch::check(state(), files(), Masker(std::vector<std::string>{}));
  }

  test::TempFolder folder_;
};

TEST_F(ConfigWatchTest, WhatTheUserChangesIsObeyed) {
  write("retries: 1\n");
  auto watch = ConfigWatch::begin(state(), files());
  ASSERT_TRUE(watch) << describe(watch.error());
  EXPECT_TRUE(watch->finish().empty());
  write("retries: 2\n");
  EXPECT_TRUE(check());
}

TEST_F(ConfigWatchTest, WhatChangedMeanwhileIsRefusedUntilAccepted) {
  write("same: 1\nold: 1\n");
  auto watch = ConfigWatch::begin(state(), files());
  ASSERT_TRUE(watch) << describe(watch.error());
  write("same: 1\nnew: \x1b[31m\n");
  EXPECT_EQ(watch->finish(), std::vector{file()});
  const auto seen = check();
  ASSERT_FALSE(seen);
  EXPECT_EQ(seen.error().code, Code::usage);
  EXPECT_TRUE(seen.error().message.ends_with("\n  - old: 1\n  + new: ?[31m"))
      << seen.error().message;
  EXPECT_FALSE(ConfigWatch::begin(state(), files())) << "the old record is not replaced";
  EXPECT_EQ(ConfigWatch::accept(state(), files()), std::vector{file()});
  EXPECT_TRUE(check());
}

TEST_F(ConfigWatchTest, PutBackIsFine) {
  write("a: 1\n");
  auto watch = ConfigWatch::begin(state(), files());
  ASSERT_TRUE(watch);
  write("a: 2\n");
  watch->finish();
  write("a: 1\n");
  EXPECT_TRUE(check());
}

TEST_F(ConfigWatchTest, CreatedRemovedAndReplacedFilesAreChanges) {
  auto watch = ConfigWatch::begin(state(), files());
  ASSERT_TRUE(watch);
  write("a: 1\n");
  EXPECT_TRUE(check().error().message.contains("was created"));
  fs::remove(file());
  EXPECT_TRUE(check());
  ASSERT_EQ(::mkfifo(file().c_str(), 0600), 0);
  EXPECT_FALSE(check()) << "and nobody waits for a writer";
  EXPECT_EQ(watch->finish().size(), 1u);
}

/// What a killed ralph leaves behind is what begin() wrote.
TEST_F(ConfigWatchTest, TheRecordIsThereBeforeTheAgent) {
  write("a: 1\n");
  auto watch = ConfigWatch::begin(state(), files());
  ASSERT_TRUE(watch);
  write("a: 2\n");
  EXPECT_FALSE(check());
  struct stat info{};
  ASSERT_EQ(::stat((state() / "config").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777u, 0700u);
}

TEST_F(ConfigWatchTest, WithoutAHomeNothingIsRecorded) {
  EXPECT_EQ(state_folder("", ""), "");
  EXPECT_EQ(state_folder("", "/h"), "/h/.local/state/ralph");
  EXPECT_EQ(state_folder("/s", "/h"), "/s/ralph");
  auto watch = ConfigWatch::begin("", files());
  ASSERT_TRUE(watch);
  write("a: 1\n");
  EXPECT_TRUE(watch->finish().empty());
}

class SettingsAroundTest : public ConfigWatchTest {
 protected:
  fs::path root() const { return folder_.path() / "root\xff"; }  // any bytes
  void plant(const fs::path& file, std::string_view text = "a: 1\n") {
    fs::create_directories(file.parent_path());
    ASSERT_TRUE(write_file_atomically(file, text));
  }
  bool refused(const fs::path& file) const {
    return !ConfigWatch::check(state(), {file}, Masker(std::vector<std::string>{}));
  }
};

TEST_F(SettingsAroundTest, WhatAppearedInOtherFoldersIsRefused) {
  plant(root() / "same/ralph.yml");
  plant(root() / "old/ralph.yml");
  plant(root() / "gone/ralph.yml");
  auto watch = ConfigWatch::begin(state(), {root() / "ralph.yml"}, root());
  ASSERT_TRUE(watch) << describe(watch.error());
  plant(root() / "old/ralph.yml", "b: 1\n");
  plant(root() / "new/.ralph/config.yml");
  plant(root() / "ralph.yml");
  plant(file());  // above the root
  fs::remove(root() / "gone/ralph.yml");
  std::vector<fs::path> changed{root() / "ralph.yml", root() / "gone/ralph.yml",
                                root() / "new/.ralph/config.yml", root() / "old/ralph.yml", file()};
  auto found = watch->finish();
  std::ranges::sort(found);
  std::ranges::sort(changed);
  EXPECT_EQ(found, changed);
  for (const auto& path : changed) EXPECT_TRUE(refused(path)) << path;
  EXPECT_FALSE(refused(root() / "same/ralph.yml"));
  EXPECT_EQ(ConfigWatch::accept(state(), {root() / "old/ralph.yml"}),
            std::vector{root() / "old/ralph.yml"});
  EXPECT_FALSE(refused(root() / "old/ralph.yml"));
  EXPECT_EQ(changed_settings(*watch, changed, root()).size(), 5u);
}

/// A scan that was cut short accuses nobody of what it did not see.
TEST_F(SettingsAroundTest, WhereNotAllWasSeenTheTimeOfTheChangeCounts) {
  fs::create_directories(state() / "config");
  plant(root() / "old/ralph.yml");
  plant(root() / "seen/ralph.yml");
  SettingsAround before = SettingsAround::look(root());
  while (SettingsAround::look(root()).time < before.time + kTicks) {
  }
  before.time += kTicks;
  before.all = false;
  before.files.erase(root() / "old/ralph.yml");
  plant(root() / "new/ralph.yml");
  SettingsAround now = SettingsAround::look(root());
  now.all = false;
  now.files.erase(root() / "seen/ralph.yml");
  EXPECT_EQ(before.record_changes(state(), now), std::vector{root() / "new/ralph.yml"});
}

/// A tree that was not scanned as a whole, by the time of the change.
TEST_F(SettingsAroundTest, WhatChangedDuringAnUnseenRunIsRefused) {
  const auto planted = root() / "a/b/ralph.yml";
  plant(planted);
  const auto now = file_clock();
  const auto hour = std::chrono::hours(1);
  ASSERT_TRUE(record_unseen_run(state(), root() / "other", now - hour, now + hour));
  ASSERT_TRUE(record_unseen_run(state(), root(), now - 2 * hour, now - hour));
  EXPECT_FALSE(refused(planted)) << "it was changed at another time, or elsewhere";
  ASSERT_TRUE(record_unseen_run(state(), root(), now - hour, now + hour));
  EXPECT_TRUE(refused(planted));
  EXPECT_FALSE(refused(root() / "a/b/missing.yml"));
  EXPECT_EQ(ConfigWatch::accept(state(), {planted}), std::vector{planted});
  EXPECT_FALSE(refused(planted));
  EXPECT_EQ(ConfigWatch::accept(state(), {planted}), std::vector<fs::path>{});
  plant(planted, "b: 1\n");
  EXPECT_TRUE(refused(planted)) << "accepted is what it held";
}

TEST_F(SettingsAroundTest, ARunThatSawNotAllIsRecorded) {
  plant(root() / "sub/ralph.yml");
  const auto record = running_record(state(), root());
  std::string text;
  {
    auto watch = ConfigWatch::begin(state(), {}, root());
    ASSERT_TRUE(watch);
    text = read_file(record).value_or("");
  }
  EXPECT_FALSE(refused(root() / "sub/ralph.yml"));
  const std::string_view all = "\"all\":true";
  ASSERT_TRUE(text.contains(all)) << text;
  text.replace(text.find(all), all.size(), "\"all\":false");
  plant(root() / "sub/deep/ralph.yml");
  ASSERT_TRUE(write_file_atomically(record, text)) << "as a ralph that was killed leaves it";
  EXPECT_TRUE(refused(root() / "sub/deep/ralph.yml"));
  ASSERT_TRUE(ConfigWatch::accept(state(), {root() / "sub/deep/ralph.yml"}));
  const auto ended = file_clock();
  while (file_clock() <= ended + kTicks) {
  }
  plant(root() / "more/ralph.yml");
  EXPECT_FALSE(refused(root() / "more/ralph.yml")) << "later";
}

/// What can be seen there is not watched.
TEST_F(SettingsAroundTest, SettingsInHiddenFoldersAreRefused) {
  for (const auto* const file : {".git/x/ralph.yml", ".ralph/x/ralph.yml", ".git/.ralph/config.yml",
                                 ".ralph/.ralph/config.yml"}) {
    plant(root() / file);
    EXPECT_TRUE(refused(root() / file)) << file;
  }
  for (const auto* const file : {".ralph/config.yml", ".ralph/ci.yml", ".github/ralph.yml"}) {
    plant(root() / file);
    EXPECT_FALSE(refused(root() / file)) << file;
  }
  fs::create_directory_symlink(".git/x", root() / "linked");
  EXPECT_TRUE(refused(root() / "linked/ralph.yml"));
}

TEST_F(SettingsAroundTest, AChangeThatWasNotAcceptedStaysRefused) {
  for (int i = 0; i < 2; ++i) {
    fs::create_directories(root());
    auto watch = ConfigWatch::begin(state(), {}, root());
    ASSERT_TRUE(watch);
    if (i == 0) plant(root() / "sub/ralph.yml");
    EXPECT_EQ(watch->finish().size(), i == 0 ? 1u : 0u);
    EXPECT_TRUE(refused(root() / "sub/ralph.yml"));
  }
}

/// A run in a repository inside of the workspace, while the agent works.
TEST_F(SettingsAroundTest, WhatARunChangesIsRefusedWhileItGoesOn) {
  plant(root() / "same/ralph.yml");
  auto watch = ConfigWatch::begin(state(), {}, root());
  ASSERT_TRUE(watch);
  for (const auto* const file : {"in/ralph.yml", "in/deep/.ralph/config.yml", "in/ralph.yaml"}) {
    plant(root() / file);
    EXPECT_TRUE(refused(root() / file)) << file;
  }
  EXPECT_FALSE(refused(root() / "same/ralph.yml"));
  plant(root() / "same/ralph.yml", "b: 1\n");
  EXPECT_TRUE(refused(root() / "same/ralph.yml"));
}

TEST_F(SettingsAroundTest, WhatIsRestoredHasToBeAccepted) {
  fs::create_directories(root());
  const auto before = SettingsAround::look(root());
  plant(root() / "sub/ralph.yml");
  ASSERT_TRUE(record_restored_settings(state(), root(), before));
  EXPECT_TRUE(refused(root() / "sub/ralph.yml"));
}

TEST_F(SettingsAroundTest, WhatTheUserKnowsNeedNotBeAccepted) {
  plant(root() / "ralph.yml");
  plant(root() / "gone/ralph.yml");
  auto before = SettingsAround::look(root());
  plant(root() / "ralph.yml", "b: 1\n");
  fs::remove(root() / "gone/ralph.yml");
  for (const auto* const file : {"ralph.yml", "gone/ralph.yml"}) before.know(root() / file);
  plant(root() / "sub/ralph.yml");
  ASSERT_TRUE(record_restored_settings(state(), root(), before));
  EXPECT_FALSE(refused(root() / "ralph.yml"));
  EXPECT_FALSE(refused(root() / "gone/ralph.yml"));
  EXPECT_TRUE(refused(root() / "sub/ralph.yml"));
}

/// The record of a ralph that is alive is left to it.
TEST_F(SettingsAroundTest, OneThatWasKilledIsCaughtUpWith) {
  fs::create_directories(root());
  const auto record = running_record(state(), root());
  {
    auto watch = ConfigWatch::begin(state(), {}, root());
    ASSERT_TRUE(watch);
    plant(root() / "sub/ralph.yml");
    EXPECT_TRUE(fs::exists(record));
    fs::copy_file(record, folder_.path() / "kept");
  }
  EXPECT_FALSE(fs::exists(record));
  fs::remove_all(state() / "config");
  fs::create_directories(state() / "config");
  fs::copy_file(folder_.path() / "kept", record);
  EXPECT_TRUE(refused(root() / "sub/ralph.yml"));
  EXPECT_FALSE(fs::exists(record));
}

}  // namespace
}  // namespace ralph::run
