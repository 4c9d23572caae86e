#include "agent/session/reply_policy.h"

#include "agent/session/scripted.h"

namespace ralph::session {
namespace {

TEST(ReplyPolicy, CallsComeFirstWhateverTheStopReason) {
  ReplyPolicy policy;
  EXPECT_EQ(policy.next(reply_of({call_block("1", "Look")}, "refusal"), true), NextStep::run_tools);
}

TEST(ReplyPolicy, UnknownStopReasonsFinish) {
  ReplyPolicy policy;
  EXPECT_EQ(policy.next(says("Hi.", "something_new"), false), NextStep::finish);
}

TEST(ReplyPolicy, EveryRemedyIsTriedABoundedNumberOfTimes) {
  ReplyPolicy policy;
  auto broken = says("Hi.");
  broken.whole = false;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(policy.next(broken, false), NextStep::resume_broken);
  EXPECT_EQ(policy.next(broken, false), NextStep::fail_broken);
  EXPECT_EQ(policy.next(says("x", "refusal"), false), NextStep::note_refusal);
  EXPECT_EQ(policy.next(says("x", "refusal"), false), NextStep::fail_refused);
  EXPECT_EQ(policy.next(says("x", "tool_use"), false), NextStep::ask_for_call);
  EXPECT_EQ(policy.next(says("x", "tool_use"), false), NextStep::finish);
  EXPECT_EQ(policy.next(says(" "), true), NextStep::ask_for_text);
  EXPECT_EQ(policy.next(says(" "), true), NextStep::demand_structure);
  EXPECT_EQ(policy.next(says(" "), true), NextStep::finish);
}

}  // namespace
}  // namespace ralph::session
