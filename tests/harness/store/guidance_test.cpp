#include "harness/store/guidance.h"

#include <fstream>

#include <gtest/gtest.h>

#include "harness/store/workspace.h"
#include "support/temp_folder.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

class GuidanceTest : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(Workspace::open(work_.path())); }
  std::vector<std::string> texts() {
    std::vector<std::string> all;
    for (const auto& each : guidance_.pending(refused_)) all.push_back(each.text);
    return all;
  }
  fs::path file_of(const std::string& name) const {
    for (const auto& entry : fs::recursive_directory_iterator(outside_.path())) {
      if (entry.path().filename() == name) return entry.path();
    }
    return {};
  }
  using Texts = std::vector<std::string>;

  test::TempFolder work_, outside_;
  Guidance guidance_{work_.path(), outside_ / "ralph"};
  std::string refused_;
};

TEST_F(GuidanceTest, IsTakenInItsOrderAndOnce) {
  const auto first = guidance_.leave("Use tabs");
  const auto second = guidance_.leave("Look at \"cart.c\"\n");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(texts().size(), 2U);
  guidance_.remove({*first});
  EXPECT_EQ(texts(), Texts{"Look at \"cart.c\"\n"});
  EXPECT_EQ(refused_, "");
  EXPECT_FALSE(guidance_.leave(" \n"));
  EXPECT_FALSE(guidance_.leave(std::string(100'000, 'x')));
}

TEST_F(GuidanceTest, TheLongestTextIsReadBack) {
  const std::string text(64 << 10, '\x01');
  ASSERT_TRUE(guidance_.leave(text));
  EXPECT_EQ(texts(), Texts{text});
}

TEST_F(GuidanceTest, FilesInTheWorkspaceAreNamedAndNotUsed) {
  ASSERT_TRUE(guidance_.leave("mine"));
  work_.write(".ralph/state/guidance/1.md", "planted");
  EXPECT_EQ(texts(), Texts{"mine"});
  EXPECT_TRUE(refused_.contains("1.md' is ignored")) << refused_;
}

TEST_F(GuidanceTest, WhatRalphDidNotWriteIsNotUsed) {
  const auto name = guidance_.leave("mine");
  ASSERT_TRUE(name);
  const auto file = file_of(*name);
  auto text = test::text_of(file);
  text.replace(text.find("mine"), 4, "evil");
  std::ofstream(file) << text;
  EXPECT_TRUE(texts().empty());
  EXPECT_TRUE(refused_.contains("MAC does not match")) << refused_;
}

TEST_F(GuidanceTest, NamesLeadNowhereElse) {
  ASSERT_TRUE(guidance_.leave("mine"));
  const auto key = outside_ / "ralph/key";
  guidance_.remove({"../../../key", key.native(), "..", ""});
  EXPECT_TRUE(fs::exists(key));
  EXPECT_EQ(texts(), Texts{"mine"});
}

TEST_F(GuidanceTest, AFolderThatTookTheNameOfAnotherGetsNothing) {
  ASSERT_TRUE(guidance_.leave("mine"));
  fs::rename(work_.path(), outside_ / "old");
  fs::create_directories(work_.path());
  EXPECT_TRUE(texts().empty());
  EXPECT_TRUE(refused_.contains("another directory of this name")) << refused_;
}

TEST_F(GuidanceTest, WithoutAFolderOfTheUsersNothingIsKeptAndNothingUsed) {
  for (const auto& folder : {fs::path(), work_ / "home/ralph"}) {
    const Guidance guidance(work_.path(), folder);
    const auto left = guidance.leave("mine");
    ASSERT_FALSE(left);
    EXPECT_TRUE(left.error().message.contains("cannot be stored")) << left.error().message;
    work_.write(".ralph/state/guidance/1.md", "planted");
    EXPECT_TRUE(guidance.pending(refused_).empty());
    EXPECT_NE(refused_, "");
  }
}

}  // namespace
}  // namespace ralph::store
