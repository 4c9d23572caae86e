#include <sys/ioctl.h>
#include <sys/wait.h>

#include "system/process/harness.h"

namespace ralph::process {
namespace {

TEST(Terminal, IsStdinAndStdoutButNotStderr) {
  Agent agent("print-tty", Transport::pty);
  agent.command.input = StdinOpen{};
  agent.command.terminal = {.columns = 93, .rows = 17};
  EXPECT_EQ(run(agent.command).out, "stdin=tty stdout=tty stderr=no ctty=yes size=93x17 raw=yes\n");
}

TEST(Terminal, WithoutInputStdinIsAtItsEnd) {
  const Agent agent("print-tty\nwait-stdin-eof\n", Transport::pty);
  EXPECT_EQ(run(agent.command).out,
            "stdin=no stdout=tty stderr=no ctty=yes size=120x40 raw=yes\nstdin 0\n");
}

TEST(Terminal, PipesAreNoTerminal) {
  EXPECT_EQ(run(Agent("print-tty").command).out,
            "stdin=no stdout=no stderr=no ctty=no size=0x0 raw=no\n");
}

TEST(Terminal, KeepsStdoutAndStderrApart) {
  const Ran ran =
      run(Agent("line one\nstderr two\nline three\nstderr four\n", Transport::pty).command);
  EXPECT_EQ(ran.out, "one\nthree\n");
  EXPECT_EQ(ran.err, "two\nfour\n");
}

TEST(Terminal, ChangesNoByteOfOutput) {
  const Ran ran =
      run(Agent("raw a\\r\\nb\\nc\\t\\x03\\x04\\x11\\x13\\x7f\\xff\\0\\x1b[0m\n", Transport::pty)
              .command);
  EXPECT_EQ(ran.out, std::string("a\r\nb\nc\t\x03\x04\x11\x13\x7f\xff\0\x1b[0m", 18));
}

TEST(Terminal, PassesALongInputLineWholeAndWithoutEcho) {
  Agent agent("read-stdin 10001", Transport::pty);
  agent.command.input = StdinOpen{};
  std::string line(10'000, 'x');
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<char>('a' + i % 26);
  line += "\n";
  std::uint64_t sum = 0;
  for (const char c : line) sum = sum * 31 + static_cast<unsigned char>(c);
  RunHandle watch;
  watch.write(line);
  EXPECT_EQ(run(agent.command, watch).out, "read 10001 " + std::to_string(sum) + "\n");
}

TEST(Terminal, PassesAMegabyteEachWay) {
  Agent agent("flood 1000000\nread-stdin 1000000\n", Transport::pty);
  agent.command.input = StdinOpen{};
  RunHandle watch;
  watch.write(std::string(1'000'000, 'y'));
  const Ran ran = run(agent.command, watch);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_EQ(ran.out.substr(1'000'000, 13), "read 1000000 ");
}

TEST(Terminal, RefusesInputTextBecauseItCannotEnd) {
  Agent agent("wait-stdin-eof", Transport::pty);
  agent.command.input = StdinText{"prompt"};
  const auto child = start(agent.command);
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().code, Code::usage);
}

TEST(Terminal, CtrlCByteIsInputNotASignal) {
  Agent agent("read-stdin 2\nline alive", Transport::pty);
  agent.command.input = StdinOpen{};
  RunHandle watch;
  watch.write("\x03\n");
  const Ran ran = run(agent.command, watch);
  EXPECT_EQ(ran.exit.exit_code, 0);
  EXPECT_EQ(ran.out, "read 2 " + std::to_string(3 * 31 + 10) + "\nalive\n");
}

TEST(Terminal, ProgramIsInASessionOfItsOwnSoOurCtrlCNeverReachesIt) {
  for (const Transport transport : {Transport::pipe, Transport::pty}) {
    const Ran ran = run(Agent("print-session", transport).command);
    EXPECT_TRUE(ran.out.starts_with("session=own ")) << ran.out;
  }
}

TEST(Terminal, GuardIsInASessionOfItsOwnToo) {
  Agent agent("notify DIR/up\nhang\n", Transport::pty);
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  ProcessInfo guard;
  ASSERT_TRUE(read_process(child->guard_pid(), guard));
  EXPECT_EQ(guard.session, child->guard_pid());
  // What a terminal would send to our group leaves guard and program alone.
  ::kill(child->guard_pid(), SIGINT);
  ::kill(child->guard_pid(), SIGTERM);
  ::kill(child->guard_pid(), SIGHUP);
  ASSERT_TRUE(agent.reached("up"));
  RunHandle watch;
  watch.arm(Limit::wall, Millis{0});
  const Exit exit = supervise(*std::move(child), {}, watch, {}, patient());
  EXPECT_EQ(exit.ended_by, EndedBy::wall);
  EXPECT_EQ(exit.signal, SIGTERM);
}

TEST(Terminal, OutputOfAHungUpTerminalEndsTheOutputNotTheRun) {
  Agent agent("line before\nclose-stdout\nwait-file DIR/go\nstderr after\nexit 3\n",
              Transport::pty);
  std::string out;
  std::string err;
  auto child = start(agent.command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      out += bytes;
                      agent.folder.write("go", "");
                      return {};
                    },
                    append_to(err)};
  const Exit exit = supervise(*std::move(child), sinks, watch, {}, patient());
  EXPECT_EQ(exit.exit_code, 3);
  EXPECT_EQ(out, "before\n");
  EXPECT_EQ(err, "after\n");
  EXPECT_FALSE(exit.read_error);
}

}  // namespace
}  // namespace ralph::process
