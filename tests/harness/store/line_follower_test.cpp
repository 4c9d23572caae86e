#include "harness/store/line_follower.h"

#include <fstream>

#include <gtest/gtest.h>

#include "support/temp_folder.h"

namespace ralph::store {
namespace {

class LineFollowerTest : public testing::Test {
 protected:
  void append(std::string_view text) const {
    std::ofstream(file_, std::ios::app | std::ios::binary) << text;
  }
  std::vector<std::string> read(LineFollower& follower, std::size_t most = SIZE_MAX) const {
    std::vector<std::string> lines;
    const auto done = follower.read([&](std::string_view line) { lines.emplace_back(line); }, most);
    EXPECT_TRUE(done) << describe(done.error());
    return lines;
  }
  using Lines = std::vector<std::string>;

  test::TempFolder folder_;
  std::filesystem::path file_ = folder_ / "lines";
  LineFollower follower_{Location(file_)};
};

TEST_F(LineFollowerTest, AFileThatIsMissingHasNoLinesYet) {
  EXPECT_EQ(read(follower_), Lines());
  append("one\n");
  EXPECT_EQ(read(follower_), Lines{"one"});
}

TEST_F(LineFollowerTest, EveryReadGivesWhatIsNew) {
  append("one\ntwo\n");
  EXPECT_EQ(read(follower_), (Lines{"one", "two"}));
  EXPECT_EQ(read(follower_), Lines());
  append("three\n");
  EXPECT_EQ(read(follower_), Lines{"three"});
}

TEST_F(LineFollowerTest, ALineComesWhenItIsWhole) {
  append("one\ntw");
  EXPECT_EQ(read(follower_), Lines{"one"});
  append("o");
  EXPECT_EQ(read(follower_), Lines());
  append("\n");
  EXPECT_EQ(read(follower_), Lines{"two"});
}

TEST_F(LineFollowerTest, ARotatedFileIsReadToItsEnd) {
  append("one\n");
  EXPECT_EQ(read(follower_), Lines{"one"});
  append("two\nhal");
  std::filesystem::rename(file_, folder_ / "lines.1");
  EXPECT_EQ(read(follower_), Lines{"two"}) << "there is no new one yet";
  append("three\n");
  EXPECT_EQ(read(follower_), Lines{"three"}) << "without the half line of the old one";
}

TEST_F(LineFollowerTest, LastLinesOfTheOldFileComeBeforeTheNewOne) {
  append("one\n");
  EXPECT_EQ(read(follower_), Lines{"one"});
  append("two\n");
  std::filesystem::rename(file_, folder_ / "lines.1");
  append("three\n");
  EXPECT_EQ(read(follower_), (Lines{"two", "three"}));
}

TEST_F(LineFollowerTest, AFileThatWasRemovedAndMadeAgainIsANewOne) {
  append("one\n");
  EXPECT_EQ(read(follower_), Lines{"one"});
  std::filesystem::remove(file_);
  EXPECT_EQ(read(follower_), Lines());
  append("two\n");
  EXPECT_EQ(read(follower_), Lines{"two"});
}

TEST_F(LineFollowerTest, AFileThatWasCutIsReadFromItsBeginning) {
  append("one\ntwo\nthr");
  EXPECT_EQ(read(follower_), (Lines{"one", "two"}));
  std::filesystem::resize_file(file_, 4);
  EXPECT_EQ(read(follower_), Lines{"one"});
  append("four\n");
  EXPECT_EQ(read(follower_), Lines{"four"});
}

TEST_F(LineFollowerTest, LinesAreTheSameHoweverLittleIsReadAtATime) {
  append("one\n\ntwo three\nfour");
  for (const std::size_t most : {1U, 2U, 3U, 7U}) {
    LineFollower follower{Location(file_)};
    Lines all;
    for (int i = 0; i < 40; ++i) {
      for (auto& line : read(follower, most)) all.push_back(std::move(line));
    }
    EXPECT_EQ(all, (Lines{"one", "", "two three"})) << most;
  }
}

TEST_F(LineFollowerTest, AnOverlongLineIsSkippedAndCounted) {
  LineFollower follower(Location(file_), 10);
  append("one\n" + std::string(5000, 'x'));
  EXPECT_EQ(read(follower), Lines{"one"});
  append(std::string(5000, 'x') + "\ntwo\n");
  EXPECT_EQ(read(follower), Lines{"two"});
  EXPECT_EQ(follower.overlong(), 1);
}

TEST_F(LineFollowerTest, WhatIsNoFileIsAnError) {
  std::filesystem::create_symlink("elsewhere", file_);
  const auto done = follower_.read([](std::string_view) {});
  ASSERT_FALSE(done);
  EXPECT_TRUE(done.error().message.contains("lines")) << describe(done.error());
}

}  // namespace
}  // namespace ralph::store
