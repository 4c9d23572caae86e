#include <fmt/format.h>

#include "agent/tool/bash_harness.h"

namespace ralph::tool {
namespace {

TEST(BashEnd, NeverWaitsForThePipe) {
  Session session;
  const auto answer =
      session.run("sleep 1000 & setsid sleep 1000 & (setsid sleep 1000 &) ; echo done");
  EXPECT_EQ(answer.content, "done");
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashEnd, DetachedProcessesThatIgnoreTermAreEnded) {
  Session session;
  EXPECT_EQ(session
                .run("(trap '' TERM; touch ready; while :; do sleep 1; done) & "
                     "until [ -e ready ]; do sleep 0.01; done; echo done")
                .content,
            "done");
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashEnd, ClosedOutputsDoNotEndACall) {
  Session session;
  EXPECT_EQ(session.run("exec >&- 2>&-; sleep 0.05; touch after; exit 5").content, "Exit code 5");
  EXPECT_TRUE(session.exists("after"));
}

TEST(BashEnd, TimeoutKillsWithoutBackgroundTasks) {
  Session session;
  session.setup.background = false;
  const auto answer = session.call(
      {{"command", "trap '' TERM; echo a; while :; do sleep 1; done"}, {"timeout", 1000}});
  EXPECT_EQ(answer.content, "Exit code 143\nCommand timed out after 1s\na");
  EXPECT_EQ(answer.detail, "Error: Exit code 143\nCommand timed out after 1s\na");
  EXPECT_EQ(answer.is_error, true);
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashEnd, TimeoutKillsASleep) {
  Session session;
  const auto answer = session.call({{"command", "sleep 20"}, {"timeout", 50}});
  EXPECT_EQ(answer.content, "Exit code 143\nCommand timed out after 50ms");
  EXPECT_TRUE(session.tasks.list().empty());
}

TEST(BashEnd, TimeoutsComeFromVariablesToo) {
  Session session;
  session.setup.background = false;
  session.setup.variables = {"BASH_DEFAULT_TIMEOUT_MS=40", "BASH_MAX_TIMEOUT_MS=60"};
  const std::string endless = "while :; do sleep 1; done";
  EXPECT_EQ(session.run(endless).content, "Exit code 143\nCommand timed out after 40ms");
  EXPECT_EQ(session.call({{"command", endless}, {"timeout", 1e300}}).content,
            "Exit code 143\nCommand timed out after 60ms");
  EXPECT_EQ(session.call({{"command", endless}, {"timeout", -5}}).content,
            "Exit code 143\nCommand timed out after 40ms");
}

TEST(BashEnd, AStopEndsTheTree) {
  Session session;
  session.workspace();
  std::stop_source stop;
  Answer answer;
  std::jthread caller([&] {
    answer = session.call(
        {{"command", "echo begun; setsid sleep 1000 & touch ready; sleep 1000; echo never"}},
        stop.get_token());
  });
  ASSERT_TRUE(session.reached("ready"));
  stop.request_stop();
  caller.join();
  EXPECT_EQ(answer.detail["interrupted"], true);
  EXPECT_EQ(answer.detail["stdout"], "begun");
  EXPECT_EQ(answer.is_error, true);
  EXPECT_TRUE(session.nothing_alive());
}

TEST(BashEnd, NothingStartsAfterAStop) {
  Session session;
  std::stop_source stop;
  stop.request_stop();
  const auto answer = session.call({{"command", "touch begun"}}, stop.get_token());
  EXPECT_EQ(answer.detail["interrupted"], true);
  EXPECT_FALSE(session.exists("begun"));
}

TEST(BashEnd, ManyCallsLeaveNoDescriptor) {
  Session session;
  const auto count = [] {
    return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
  };
  session.run("true");
  const auto before = count();
  for (int i = 0; i < 20; ++i) session.run("seq 1 50000");
  EXPECT_EQ(count(), before);
}

}  // namespace
}  // namespace ralph::tool
