#include "cli/cli.h"

#include <csignal>
#include <stdexcept>
#include <thread>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/options.h"
#include "cli/std_output.h"
#include "core/base/file.h"
#include "core/base/unique_fd.h"

namespace ralph::cli {
namespace {

struct Ran {
  int code;
  std::string out, err;
};
Ran ralph(std::vector<std::string> words) {
  words.insert(words.begin(), "ralph");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = cli::main(words);
  auto out = testing::internal::GetCapturedStdout();
  return {code, std::move(out), testing::internal::GetCapturedStderr()};
}

TEST(Main, Version) {
  const auto ran = ralph({"--version"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out, "ralph 0.1.0\n");
}

TEST(Main, HelpNamesEveryCommand) {
  const auto ran = ralph({"--help"});
  EXPECT_EQ(ran.code, 0);
  for (const auto* command : commands()) {
    EXPECT_NE(ran.out.find(std::string(command->name)), std::string::npos) << command->name;
  }
}

TEST(Main, BadUsageIsExit2AndOnStderr) {
  for (const auto& words : std::vector<std::vector<std::string>>{{},
                                                                 {""},
                                                                 {"relpay"},
                                                                 {"--nope"},
                                                                 {"replay"},
                                                                 {"replay", "--nope", "x"},
                                                                 {"help", "nope"}}) {
    const auto ran = ralph(words);
    EXPECT_EQ(ran.code, 2);
    EXPECT_EQ(ran.out, "");
    EXPECT_NE(ran.err.find("--help'"), std::string::npos) << ran.err;
  }
}

TEST(Main, Replay) {
  const auto ran = ralph({"replay", RALPH_FIXTURES "/claude/text_turn.ndjson", "-q"});
  EXPECT_EQ(ran.code, 0);
  EXPECT_EQ(ran.out + ran.err, "");
}

TEST(Help, OfEveryCommandHasUsageOptionsAndExamples) {
  for (const auto* command : commands()) {
    const auto text = command_help(*command);
    for (const char* part : {"Usage: ralph ", "Options:", "--help", "Examples:"}) {
      EXPECT_NE(text.find(part), std::string::npos) << command->name << ' ' << part;
    }
    EXPECT_TRUE(text.ends_with('\n'));
  }
}

TEST(Arguments, AreSortedByTheTable) {
  const auto given =
      parse_arguments(kReplayCommand, {"-v", "a.ndjson", "--speed=2", "--speed", "3"});
  ASSERT_TRUE(given);
  EXPECT_TRUE(given->flag("verbose"));
  EXPECT_FALSE(given->flag("quiet"));
  EXPECT_EQ(given->value("speed", "max"), "3") << "the last one counts";
  EXPECT_EQ(given->positional(0), "a.ndjson");
}

TEST(Arguments, DashIsAFileAndTwoDashesEndTheOptions) {
  EXPECT_EQ(parse_arguments(kReplayCommand, {"-"})->positional(0), "-");
  EXPECT_EQ(parse_arguments(kReplayCommand, {"-q", "--", "-v"})->positional(0), "-v");
  EXPECT_EQ(parse_arguments(kReplayCommand, {"x"})->value("speed", "max"), "max");
}

TEST(Arguments, RepeatedOnesAreKeptInOrder) {
  const auto given = parse_arguments(kMockCommand, {"--text", "a", "--text", "", "--text=[b,c]"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->all("text"), (std::vector<std::string>{"a", "", "[b,c]"}));
  EXPECT_EQ(given->all("log"), std::vector<std::string>{});
  EXPECT_EQ(given->positional(0), "") << "an optional one that is missing";
}

TEST(Arguments, WordsBehindTwoDashesBelongToTheCommandThatTakesThem) {
  const auto given = parse_arguments(kMockCommand, {"s.json", "--exec", "--", "a", "--text", "--"});
  ASSERT_TRUE(given);
  EXPECT_EQ(given->positional(0), "s.json");
  EXPECT_EQ(given->rest(), (std::vector<std::string>{"a", "--text", "--"}));
  EXPECT_FALSE(given->flag("text"));
}

TEST(Arguments, HelpNeedsNothingElse) {
  EXPECT_TRUE(parse_arguments(kReplayCommand, {"--help"})->wants_help());
  EXPECT_TRUE(parse_arguments(kReplayCommand, {"-h"})->wants_help());
}

TEST(Arguments, AnOptionIsNotTheValueOfAnotherUnlessThatIsAText) {
  const auto error = [](const Command& command, const std::vector<std::string>& words) {
    const auto given = parse_arguments(command, words);
    return given ? "none" : given.error().message;
  };
  EXPECT_EQ(error(kReplayCommand, {"x", "--speed", "--help"}),
            "option '--speed' needs a value: N|max; '--help' is an option (if it is the value: "
            "--speed=--help)");
  EXPECT_EQ(error(kMockCommand, {"--text", "--json"}), "none");
  EXPECT_NE(error(kMockCommand, {"--text", "--json", "x"}), "none");
  EXPECT_EQ(error(kReplayCommand, {"x", "--speed"}), "option '--speed' needs a value: N|max");
  EXPECT_EQ(error(kReplayCommand, {"x", "--json=true"}), "option '--json' takes no value");
  EXPECT_EQ(error(kReplayCommand, {"x", "-v=1"}), "'-v=1': short options take no '='");
  EXPECT_EQ(error(kReplayCommand, {"x", "--speed="}), "'--speed=' has no value");
  EXPECT_EQ(error(kReplayCommand, {"--sped", "x"}),
            "unknown option '--sped'; did you mean '--speed'?");
}

TEST(Arguments, LongNames) {
  EXPECT_EQ(long_name("-v,--verbose"), "verbose");
  EXPECT_EQ(long_name("--json"), "json");
}

TEST(StdOutput, AReaderThatGoesAwayIsNoFailure) {
  std::signal(SIGPIPE, SIG_IGN);
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_CLOEXEC), 0);
  ::close(ends[0]);
  StdOutput output(ends[1]);
  output.out("text");
  EXPECT_FALSE(output.closed()) << "not written yet";
  output.flush();
  EXPECT_TRUE(output.closed());
  EXPECT_FALSE(output.failure());
  ::close(ends[1]);
}

TEST(StdOutput, AFullDiskIsAFailure) {
  const int full = ::open("/dev/full", O_WRONLY | O_CLOEXEC);
  StdOutput output(full);
  output.out("text");
  output.flush();
  EXPECT_TRUE(output.closed());
  EXPECT_TRUE(output.failure());
  ::close(full);
}

/// Puts another descriptor in the place of stdin for a while.
class StdinIs {
 public:
  explicit StdinIs(int fd) : saved_(::dup(0)) { ::dup2(fd, 0); }
  ~StdinIs() {
    ::dup2(saved_, 0);
    ::close(saved_);
  }

 private:
  int saved_;
};

TEST(Replay, WaitsForAStdinThatWouldBlock) {
  const auto bytes = read_file(RALPH_FIXTURES "/claude/text_turn.ndjson").value();
  int ends[2];
  ASSERT_EQ(::pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
  const UniqueFd out(ends[0]);
  UniqueFd in(ends[1]);
  ASSERT_TRUE(write_all(in.get(), std::string_view(bytes).substr(0, 100), "pipe"));
  std::jthread writer([&] {
    // The rest comes only after the reader has taken the first part and found nothing more.
    for (int left = 1; left > 0; std::this_thread::yield()) ::ioctl(out.get(), FIONREAD, &left);
    EXPECT_TRUE(write_all(in.get(), std::string_view(bytes).substr(100), "pipe"));
    in.reset();
  });
  const StdinIs replaced(out.get());
  EXPECT_EQ(main({"ralph", "replay", "-q", "-"}), 0);
}

TEST(Replay, TheEndOfATerminalIsTheEndOfTheLog) {
  const auto bytes = read_file(RALPH_FIXTURES "/claude/text_turn.ndjson").value();
  const UniqueFd master(::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  ASSERT_TRUE(master && ::grantpt(master.get()) == 0 && ::unlockpt(master.get()) == 0);
  UniqueFd slave(::open(::ptsname(master.get()), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios raw{};
  ::tcgetattr(slave.get(), &raw);
  ::cfmakeraw(&raw);
  ::tcsetattr(slave.get(), TCSANOW, &raw);
  std::jthread writer([&] {
    EXPECT_TRUE(write_all(slave.get(), bytes, "terminal"));
    slave.reset();
  });
  const StdinIs replaced(master.get());
  EXPECT_EQ(main({"ralph", "replay", "-q", "-"}), 0);
}

/// A child of ours, so that the handler of this program stays as it is.
TEST(Main, AnExceptionThatNobodyCatchesIsAMessageAndAnExitCode) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        cli::main({"ralph", "--version"});
        std::jthread([] { throw std::runtime_error("broken \x1b]0;"); }).join();
      },
      testing::ExitedWithCode(1), "ralph: internal error: broken \\?]0;");
}

}  // namespace
}  // namespace ralph::cli
