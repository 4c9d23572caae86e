#include "core/base/nearest.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace ralph {
namespace {

TEST(Nearest, CountsEdits) {
  EXPECT_EQ(edit_distance("", ""), 0u);
  EXPECT_EQ(edit_distance("", "abc"), 3u);
  EXPECT_EQ(edit_distance("abc", ""), 3u);
  EXPECT_EQ(edit_distance("replay", "replay"), 0u);
  EXPECT_EQ(edit_distance("relpay", "replay"), 1u) << "a swap is one slip";
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3u);
}

TEST(Nearest, SuggestsOnlyWhatIsNear) {
  const std::vector<std::string> known{"replay", "run", "watch"};
  EXPECT_EQ(nearest("replya", known), "replay");
  EXPECT_EQ(nearest("rnu", known), "run");
  EXPECT_EQ(nearest("x", known), "");
  EXPECT_EQ(nearest("", known), "");
  EXPECT_EQ(nearest("something", known), "");
  EXPECT_EQ(nearest(std::string(100'000, 'r'), known), "");
}

TEST(Nearest, PrefersTheOnlyWordWithThatBeginning) {
  EXPECT_EQ(nearest("--max-iter", {"--max-time", "--max-iterations"}), "--max-iterations");
  EXPECT_EQ(nearest("--ver", {"--verify", "--version", "--vex"}), "--vex") << "two begin so";
}

TEST(Nearest, PrefersWhatIsAbbreviated) {
  const std::vector<std::string> known{"MAX_TURNS", "MAX_ITERATIONS", "MAX_COST"};
  EXPECT_EQ(nearest("MAX_ITERS", known), "MAX_ITERATIONS");
  EXPECT_EQ(nearest("MAX_TURN", known), "MAX_TURNS");
  EXPECT_EQ(nearest("MAX_", known), "") << "a prefix of all of them";
}

}  // namespace
}  // namespace ralph
