#include "system/process/harness.h"

namespace ralph::process {
namespace {

TEST(StdinOf, NullIsAtItsEndAtOnce) {
  EXPECT_EQ(run(Agent("wait-stdin-eof").command).out, "stdin 0\n");
}

TEST(StdinOf, TextArrivesWholeAndEnds) {
  Agent agent("echo-stdin");
  agent.command.input = StdinText{std::string("line\nwith \0 nul and no end", 26)};
  EXPECT_EQ(run(agent.command).out, std::string("line\nwith \0 nul and no end", 26));
}

TEST(StdinOf, EmptyTextIsEndOfInput) {
  Agent agent("wait-stdin-eof");
  agent.command.input = StdinText{};
  EXPECT_EQ(run(agent.command).out, "stdin 0\n");
}

TEST(StdinOf, TenMegabytesWhileTheProgramWritesSixBeforeItReads) {
  Agent agent("flood 6000000\nwait-stdin-eof\n");
  agent.command.input = StdinText{std::string(10'000'000, 'i')};
  const Ran ran = run(agent.command);
  EXPECT_EQ(ran.exit.out_bytes, 6'000'000 + std::string_view("stdin 10000000\n").size());
  EXPECT_TRUE(ran.out.ends_with("stdin 10000000\n"));
}

TEST(StdinOf, AnOpenOneTakesWritesFromSinksUntilClosed) {
  Agent agent("line ready\necho-stdin\n");
  agent.command.input = StdinOpen{};
  RunHandle watch;
  watch.write("before the start;");
  std::string out;
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      if (out.empty()) {
                        watch.write(std::string(1'000'000, 'z'));
                        watch.close_stdin();
                        watch.write("after the close");
                      }
                      out += bytes;
                      return {};
                    },
                    {}};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(out, "ready\nbefore the start;" + std::string(1'000'000, 'z'));
}

TEST(StdinOf, AnOpenOneTakesWritesFromOtherThreads) {
  Agent agent("wait-stdin-eof");
  agent.command.input = StdinOpen{};
  RunHandle watch;
  std::jthread writer([&] {
    for (int i = 0; i < 100; ++i) watch.write(std::string(10'000, 'w'));
    watch.close_stdin();
  });
  EXPECT_EQ(run(agent.command, watch).out, "stdin 1000000\n");
}

TEST(StdinOf, ASlowReaderGetsAllOfIt) {
  Agent agent("read-stdin-slowly 50000 1");
  agent.command.input = StdinText{std::string(2'000'000, 's')};
  EXPECT_EQ(run(agent.command).out, "stdin 2000000\n");
}

TEST(StdinOf, WhatAProgramDoesNotReadIsDroppedQuietly) {
  for (const char* script : {"close-stdin\nline done\nexit 4\n", "line done\nexit 4\n"}) {
    Agent agent(script);
    agent.command.input = StdinText{std::string(5'000'000, 'd')};
    const Ran ran = run(agent.command);
    EXPECT_EQ(ran.exit.exit_code, 4);
    EXPECT_EQ(ran.out, "done\n");
    EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
  }
}

TEST(StdinOf, AWatchIsHarmlessAfterTheEnd) {
  RunHandle watch;
  run(Agent("exit 0").command, watch);
  watch.write("late");
  watch.close_stdin();
  watch.send_signal(SIGINT);
  watch.arm(Limit::wall, Millis{0});
  watch.touch();
  watch.disarm(Limit::wall);
}

TEST(StdinOf, SigpipeStaysAsItWasInTheCaller) {
  Agent agent("close-stdin\nline done\n");
  agent.command.input = StdinText{std::string(1'000'000, 'd')};
  run(agent.command);
  sigset_t mask;
  sigset_t pending;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &mask);
  ::sigpending(&pending);
  EXPECT_EQ(::sigismember(&mask, SIGPIPE), 0);
  EXPECT_EQ(::sigismember(&pending, SIGPIPE), 0);
}

}  // namespace
}  // namespace ralph::process
