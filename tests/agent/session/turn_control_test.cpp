#include "agent/session/turn_control.h"

#include <gtest/gtest.h>

namespace ralph::session {
namespace {

TEST(TurnControl, AnInterruptEndsTheTurnThatRunsAndNoOther) {
  TurnControl control;
  control.interrupt();
  const auto first = control.begin_turn();
  EXPECT_FALSE(first.stop_requested());
  control.interrupt();
  EXPECT_TRUE(first.stop_requested());
  EXPECT_FALSE(control.over().stop_requested());
  control.end_turn();
  EXPECT_FALSE(control.begin_turn().stop_requested());
}

TEST(TurnControl, AStrongerStopReplacesAWeakerOne) {
  TurnControl control;
  const auto stop = control.begin_turn();
  control.interrupt();
  control.finish(130);
  EXPECT_EQ(control.exit_code(), 130);
  EXPECT_FALSE(control.abandoned());
  control.abandon(143);
  EXPECT_TRUE(control.abandoned());
  control.finish(1);
  EXPECT_EQ(control.exit_code(), 143);
  EXPECT_TRUE(stop.stop_requested());
  EXPECT_TRUE(control.over().stop_requested());
}

TEST(TurnControl, AFinishedAgentBeginsNoTurn) {
  TurnControl control;
  control.finish(0);
  EXPECT_TRUE(control.begin_turn().stop_requested());
}

TEST(TurnControl, IsAnsweredUntilATurnIsExpected) {
  TurnControl control;
  EXPECT_FALSE(control.answered());
  control.set_answered(1);
  EXPECT_EQ(control.answered(), 1);
  control.expect_turn();
  EXPECT_FALSE(control.answered());
}

}  // namespace
}  // namespace ralph::session
