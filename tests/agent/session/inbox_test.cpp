#include "agent/session/inbox.h"

#include <gtest/gtest.h>

namespace ralph::session {
namespace {

UserMessage message(std::string uuid, bool started = false) {
  UserMessage made;
  made.uuid = std::move(uuid);
  made.started = started;
  return made;
}

/// The client was told that its message is being answered: it must be, before one that came in between.
TEST(Inbox, AClaimedMessageIsNextWhateverComesInBetween) {
  Inbox inbox;
  ASSERT_TRUE(inbox.claim());
  EXPECT_FALSE(inbox.claim()) << "the next one has to wait";
  inbox.push(message("notification"));
  inbox.push(message("claimed", true));
  inbox.close();
  const auto first = inbox.next({});
  ASSERT_EQ(first.size(), 1U);
  EXPECT_EQ(first[0].uuid, "claimed");
  const auto second = inbox.next({});
  ASSERT_EQ(second.size(), 1U);
  EXPECT_EQ(second[0].uuid, "notification");
  EXPECT_TRUE(inbox.next({}).empty());
}

TEST(Inbox, AWorkingAgentCannotBeClaimed) {
  Inbox inbox;
  inbox.push(message("a"));
  EXPECT_FALSE(inbox.claim());
  EXPECT_EQ(inbox.next({}).size(), 1U);
  EXPECT_FALSE(inbox.claim()) << "it works";
}

TEST(Inbox, AStopEndsTheWaitForAClaimedMessage) {
  Inbox inbox;
  ASSERT_TRUE(inbox.claim());
  inbox.close();
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(inbox.next(stop.get_token()).empty());
}

}  // namespace
}  // namespace ralph::session
