#include "harness/loop/loop_repository.h"

#include <gtest/gtest.h>

#include "system/git/harness.h"

namespace ralph::loop {
namespace {

class LoopRepositoryTest : public git::GitWork {
 protected:
  std::string goal_at(const std::filesystem::path& path) const {
    store::LoopState state;
    state.goal_path = path.native();
    return goal_in_repository(state, open());
  }
};

TEST_F(LoopRepositoryTest, AGoalFileIsNamedFromTheRootOfTheRepository) {
  EXPECT_EQ(goal_at(repo() / "docs" / "GOAL.md"), "docs/GOAL.md");
  EXPECT_EQ(goal_at(folder_ / "GOAL.md"), "");
  EXPECT_EQ(goal_at(""), "");
}

TEST_F(LoopRepositoryTest, AGoalFileMayHaveANameThatBeginsWithTwoDots) {
  EXPECT_EQ(goal_at(repo() / "..x"), "..x");
  EXPECT_EQ(goal_at(repo() / "..docs" / "GOAL.md"), "..docs/GOAL.md");
}

}  // namespace
}  // namespace ralph::loop
