#include "agent/session/inbox.h"

#include <thread>

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

TEST(Inbox, NotificationsCanBeDropped) {
  Inbox inbox;
  auto ended = message("");
  ended.notification = true;
  inbox.push(ended);  // handed over: the agent is idle
  inbox.push(ended);
  inbox.push(message("a"));
  inbox.drop_notifications();
  EXPECT_FALSE(inbox.has_notification());
  EXPECT_EQ(inbox.next({}).at(0).uuid, "a");
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

std::vector<std::string> uuids(const std::vector<UserMessage>& messages) {
  std::vector<std::string> all;
  for (const auto& each : messages) all.push_back(each.uuid);
  return all;
}

using Uuids = std::vector<std::string>;

TEST(Inbox, HandsTheFirstMessageOverAloneAndLaterOnesTogether) {
  Inbox inbox;
  for (const auto* uuid : {"a", "b", "c"}) inbox.push(message(uuid));
  inbox.close();
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"a"});
  EXPECT_EQ(uuids(inbox.next({})), (Uuids{"b", "c"}));
  EXPECT_TRUE(inbox.next({}).empty());
}

TEST(Inbox, ACommandSharesNoTurnWithOtherMessages) {
  Inbox inbox;
  inbox.push(message("first"));
  inbox.push(message("b"));
  auto command = message("command");
  command.alone = true;
  inbox.push(command);
  inbox.push(message("d"));
  inbox.close();
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"first"});
  EXPECT_EQ(uuids(inbox.take_pending()), Uuids{"b"}) << "up to the command";
  EXPECT_EQ(uuids(inbox.take_pending()), Uuids{});
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"command"});
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"d"});
}

TEST(Inbox, AcceptsAUuidOnce) {
  Inbox inbox;
  EXPECT_TRUE(inbox.accepts(message("a")));
  EXPECT_FALSE(inbox.accepts(message("a")));
  EXPECT_TRUE(inbox.accepts(message("")));
  EXPECT_TRUE(inbox.accepts(message(""))) << "messages without one are all different";
}

TEST(Inbox, AHeldInboxWaitsAlthoughItIsClosed) {
  Inbox inbox;
  inbox.hold();
  inbox.close();
  EXPECT_FALSE(inbox.is_empty()) << "a task may still add a message";
  std::jthread task([&] {
    inbox.push(message("task"));
    inbox.release();
  });
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"task"});
  task.join();
  EXPECT_TRUE(inbox.is_empty());
  EXPECT_TRUE(inbox.next({}).empty());
}

TEST(Inbox, AMessageWakesAWaitingAgent) {
  Inbox inbox;
  std::jthread client([&] { inbox.push(message("a")); });
  EXPECT_EQ(uuids(inbox.next({})), Uuids{"a"});
}

}  // namespace
}  // namespace ralph::session
