#include "harness/stream/stop_cause.h"

#include <csignal>

#include <gtest/gtest.h>

namespace ralph::stream {
namespace {

TEST(StopCause, SaysWhatStoppedRalph) {
  EXPECT_EQ(StopCause(SIGINT).text(), "Ctrl-C (SIGINT)");
  EXPECT_EQ(StopCause(SIGHUP).text(), "SIGHUP (the terminal was closed)");
  EXPECT_EQ(StopCause(SIGUSR1).text(), "SIGUSR1");
  EXPECT_EQ(StopCause::stop_command().text(), "'ralph stop'");
  EXPECT_EQ(StopCause::stop_now_command().text(), "'ralph stop --now'");
}

TEST(StopCause, DecidesTheExitCode) {
  EXPECT_EQ(StopCause(SIGTERM).exit_code(), 143);
  EXPECT_EQ(StopCause::stop_command().exit_code(), 130);
  EXPECT_EQ(StopCause::stop_now_command().exit_code(), 130);
}

}  // namespace
}  // namespace ralph::stream
