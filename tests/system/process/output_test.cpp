#include <sys/socket.h>

#include "system/process/harness.h"

namespace ralph::process {
namespace {

/// Takes the bytes in a checksum, and its time about it every now and then.
struct SlowSink {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;
  std::uint64_t next_pause = 0;
  std::uint64_t pause_every;

  Result<> operator()(std::string_view chunk) {
    bytes += chunk.size();
    lines += static_cast<std::uint64_t>(std::ranges::count(chunk, '\n'));
    if (bytes >= next_pause) {
      std::this_thread::sleep_for(Millis{1});
      next_pause += pause_every;
    }
    return {};
  }
};

void expect_whole_flood(std::uint64_t megabytes, Transport transport) {
  constexpr std::string_view kLine = "{\"type\":\"assistant\",\"n\":1000,\"text\":\"flood\"}\n";
  const std::uint64_t size = megabytes << 20;
  const Agent agent("flood " + std::to_string(size), transport);
  SlowSink sink{.pause_every = size / 32};
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  const Exit exit = supervise(*std::move(child), {std::ref(sink), {}}, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(sink.bytes, size);
  EXPECT_EQ(exit.out_bytes, size);
  EXPECT_EQ(sink.lines, size / kLine.size());
}

TEST(Output, SixtyFourMegabytesPassASlowSinkWhole) { expect_whole_flood(64, Transport::pipe); }
TEST(Output, SixteenMegabytesOfTerminalPassASlowSinkWhole) {
  expect_whole_flood(16, Transport::pty);
}

TEST(Output, AGigabytePassesASlowSinkWhole) {
  if (std::getenv("RALPH_TEST_LARGE") == nullptr)
    GTEST_SKIP() << "set RALPH_TEST_LARGE=1 to run it";
  expect_whole_flood(1024, Transport::pipe);
}

TEST(Output, BothStreamsAreReadAtTheSameTime) {
  const Ran ran = run(Agent("flood-stderr 3000000\nflood 3000000\nflood-stderr 1000000\n").command);
  EXPECT_EQ(ran.exit.out_bytes, 3'000'000U);
  EXPECT_EQ(ran.exit.err_bytes, 4'000'000U);
  EXPECT_EQ(ran.err.size(), 4'000'000U);
}

TEST(Output, WhatWasWrittenBeforeTheEndIsDeliveredHoweverLateItIsRead) {
  // The program and its tree are gone long before the sink takes the first byte.
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    Agent agent("flood 3000\nhalf {\"type\":\"res\nnotify DIR/end\nexit 1\n", transport);
    std::string out;
    auto child = start(agent.command);
    ASSERT_TRUE(child) << describe(child.error());
    RunHandle watch;
    const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                        EXPECT_TRUE(eventually([&] { return agent.nothing_alive(); }));
                        out += bytes;
                        return {};
                      },
                      {}};
    const EndPolicy policy{.grace = Millis{50}, .drain = Millis{0}, .patience = Millis{0}};
    const Exit exit = supervise(*std::move(child), sinks, watch, {}, policy);
    EXPECT_EQ(exit.exit_code, 1);
    EXPECT_EQ(out.size(), 3000 + std::string_view("{\"type\":\"res").size());
    EXPECT_TRUE(out.ends_with("{\"type\":\"res"));
  }
}

TEST(Output, BytesAreNotTouched) {
  const Ran ran = run(Agent("surrogate\nbad-utf8\nnul\nraw \\xe2\\x82\n").command);
  EXPECT_NE(ran.out.find("\\ud83d alone"), std::string::npos);
  EXPECT_NE(ran.out.find("\xff\xc3("), std::string::npos);
  EXPECT_NE(ran.out.find('\0'), std::string::npos);
  EXPECT_TRUE(ran.out.ends_with("\xe2\x82"));
}

TEST(Output, AFailingSinkEndsTheTreeAndKeepsItsError) {
  Agent agent("spawn-tool\nline first\nhang\n");
  int calls = 0;
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  const Sinks sinks{[&](std::string_view) -> Result<> {
                      ++calls;
                      return fail(Code::storage, "disk full");
                    },
                    {}};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::sink_failure);
  EXPECT_EQ(exit.sink_error, (Error{Code::storage, "disk full", ""}));
  EXPECT_EQ(exit.signal, SIGTERM);
  EXPECT_EQ(calls, 1);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Output, AFailingSinkDoesNotStopTheOther) {
  Agent agent("on-term last words\\n\nstderr complaint\nhang\n");
  std::string out;
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  const Sinks sinks{append_to(out),
                    [](std::string_view) -> Result<> { return fail(Code::storage, "disk full"); }};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::sink_failure);
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_EQ(out, "last words\n");
}

TEST(Output, AReadErrorIsKeptAndDoesNotHideTheExit) {
  Agent agent("stderr complaint\nexit 5\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ChildParts parts = child->take();
  parts.out = UniqueFd(::open("/", O_RDONLY | O_CLOEXEC));  // reading a folder fails
  std::string err;
  RunHandle watch;
  const Exit exit = supervise(Child(std::move(parts)), {{}, append_to(err)}, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 5);
  EXPECT_EQ(err, "complaint\n");
  ASSERT_TRUE(exit.read_error);
  EXPECT_NE(exit.read_error->message.find("stdout"), std::string::npos);
}

TEST(Output, AGrandchildThatHoldsThePipeDoesNotDelayTheEnd) {
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    const Agent agent("grandchild-holds-stdout\nline result\nexit 0\n", transport);
    const Ran ran = run(agent.command);
    EXPECT_EQ(ran.exit.exit_code, 0);
    EXPECT_EQ(ran.exit.ended_by, EndedBy::nothing);
    EXPECT_EQ(ran.out, "result\n");
    EXPECT_TRUE(agent.nothing_alive());
  }
}

TEST(Output, AGrandchildThatWritesForEverDoesNotDelayTheEnd) {
  const Agent agent("ignore-term\nendless-grandchild\nexit 0\n");
  const Ran ran = run(agent.command);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_EQ(ran.exit.strays, 1);
  EXPECT_TRUE(agent.nothing_alive());
}

TEST(Output, ASinkThatThrowsEndsTheTreeToo) {
  Agent agent("spawn-tool\nline x\nhang\n");
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  const pid_t guard = child->guard_pid();
  RunHandle watch;
  const Sinks sinks{[](std::string_view) -> Result<> { throw std::bad_alloc(); }, {}};
  EXPECT_THROW(supervise(std::move(*child), sinks, watch, {}), std::bad_alloc);
  EXPECT_TRUE(agent.nothing_alive());
  ProcessInfo info;
  EXPECT_FALSE(read_process(guard, info));  // not even as a zombie
}

TEST(Output, AGrandchildThatLeavesLateDoesNotHideWhatCameBefore) {
  const Ran ran = run(Agent("late-grandchild late\\n\nline early\n").command);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_TRUE(ran.out.starts_with("early\n")) << ran.out;
}

/// A writer that is no descendant of the program and so outlives the sweep, as one that got the
/// descriptor over a socket would.
void expect_bounded_drain(bool endless) {
  Agent agent("line result\nexit 0\n");
  int fds[2];
  ASSERT_EQ(::pipe2(fds, O_CLOEXEC | O_NONBLOCK), 0);
  UniqueFd writer(fds[1]);
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ChildParts parts = child->take();
  parts.err = UniqueFd(fds[0]);
  const std::string noise(4096, 'n');
  ASSERT_GT(::write(writer.get(), noise.data(), noise.size()), 0);
  std::uint64_t taken = 0;
  const Sinks sinks{{}, [&](std::string_view bytes) -> Result<> {
                      taken += bytes.size();
                      const ssize_t more =
                          endless ? ::write(writer.get(), bytes.data(), bytes.size()) : 1;
                      EXPECT_GT(more, 0);
                      return {};
                    }};
  RunHandle watch;
  const EndPolicy policy{.grace = Millis{50}, .drain = Millis{20}, .patience = kLongWait};
  const Exit exit = supervise(Child(std::move(parts)), sinks, watch, {}, policy);
  EXPECT_EQ(exit.exit_code, 0);
  EXPECT_GE(taken, noise.size());
}

TEST(Output, AStrangerThatHoldsThePipeIsAwaitedForTheDrainTimeOnly) { expect_bounded_drain(false); }
TEST(Output, AStrangerThatWritesForEverIsReadForTheDrainTimeOnly) { expect_bounded_drain(true); }

}  // namespace
}  // namespace ralph::process
