// A real process, scripted, through supervision, raw log, decoder, console and verdict: the harness's flow.
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/mask.h"
#include "harness/store/raw_log.h"
#include "harness/stream/decoder.h"
#include "harness/stream/outcome.h"
#include "support/collect.h"
#include "support/fixtures.h"
#include "system/process/harness.h"
#include "system/process/supervise.h"
#include "ui/console/console.h"
#include "ui/console/fake_output.h"

namespace ralph {
namespace {

using process::Agent;
using process::Limit;
using process::Transport;

constexpr auto kFixtures = RALPH_FIXTURES "/claude/";

struct Piped {
  process::Exit exit;
  stream::Verdict verdict;
  std::string text, raw, raw_err;
  std::vector<std::string> events;
  std::int64_t skipped = 0;
  console::FakeOutput shown;
};

/// Arms the limit for a lingering agent once it has said that it is done.
class LeaveAfterTheEnd final : public stream::Handler {
 public:
  explicit LeaveAfterTheEnd(process::RunHandle& watch) : watch_(watch) {}
  void on(const stream::Event&, const stream::TurnEnded&) override {
    watch_.close_stdin();
    watch_.arm(Limit::after_end, Millis{50});
  }

 private:
  process::RunHandle& watch_;
};

Piped pipe_through(Agent& agent, console::Verbosity verbosity = console::Verbosity::normal) {
  Piped piped;
  process::RunHandle watch;
  LeaveAfterTheEnd leave(watch);
  stream::Summary summary(model::Table::builtin());
  test::Collector collector;
  const Masker masker;
  console::Console console({.verbosity = verbosity, .agent_name = "Claude"}, masker, summary,
                           piped.shown);
  stream::Decoder decoder(stream::make_claude_dialect(), {&summary, &collector, &console, &leave},
                          "run");
  auto log = store::RawLog::open(store::Location(agent.folder / "logs"), "log", now_utc()).value();

  auto child = process::start(agent.command).value();
  const process::Sinks sinks{[&](std::string_view bytes) -> Result<> {
                               TRY(log.append_out(bytes, store::Micros{1}));
                               decoder.feed(bytes, 1);
                               return {};
                             },
                             [&](std::string_view bytes) { return log.append_err(bytes); }};
  piped.exit = process::supervise(std::move(child), sinks, watch, {}, {.grace = Millis{50}});
  decoder.finish(2);

  stream::ProcessEnd end{.exit_code = piped.exit.exit_code,
                         .signal = piped.exit.signal,
                         .skipped_lines = decoder.skipped()};
  if (piped.exit.ended_by == process::EndedBy::after_end)
    end.time_limit = {stream::TimeLimit::exit};
  piped.verdict = stream::classify(summary, end);
  const auto texts = stream::result_texts(summary, piped.verdict);
  decoder.publish(stream::make_result(summary, end, piped.verdict, texts), 3);
  EXPECT_TRUE(log.finish());
  piped.raw = read_file(log.paths().out).value();
  piped.raw_err = read_file(log.paths().err).value();
  piped.text = summary.text;
  piped.events = collector.events;
  piped.skipped = decoder.skipped();
  return piped;
}

std::string print_fixture(const std::string& name) {
  return std::string("file ") + kFixtures + name + ".ndjson\n";
}

TEST(MockClaudeOutput, AProcessThatPrintsAStreamGivesItsEvents) {
  for (const auto transport : {Transport::pipe, Transport::pty}) {
    Agent agent(print_fixture("tool_bash"), transport);
    const auto piped = pipe_through(agent);
    const auto bytes = test::fixture("claude/tool_bash.ndjson");
    EXPECT_EQ(piped.raw, bytes);
    EXPECT_EQ(piped.verdict.outcome, stream::Outcome::ok);
    EXPECT_EQ(piped.events.size(), test::claude_events(bytes).size() + 1);
    EXPECT_NE(piped.shown.stdout_text.find("[Tool] Bash: exit 3\n"), std::string::npos);
    EXPECT_EQ(piped.shown.stderr_text, "");
  }
}

TEST(ErrorHandling, MixedValidAndInvalidLinesAreAllKeptAndCounted) {
  Agent agent("line not json\nsurrogate\nbad-utf8\nnul\nstderr a word on stderr\n" +
              print_fixture("text_turn"));
  const auto piped = pipe_through(agent);
  EXPECT_EQ(piped.verdict.outcome, stream::Outcome::ok);
  EXPECT_EQ(piped.text, "Hello from the fake.");
  EXPECT_EQ(piped.skipped, 2);
  EXPECT_TRUE(piped.raw.starts_with("not json\n"));
  EXPECT_TRUE(piped.raw.ends_with(test::fixture("claude/text_turn.ndjson")));
  EXPECT_EQ(piped.raw_err, "a word on stderr\n");
  EXPECT_EQ(piped.shown.stderr_text, "[Warning] 2 lines could not be read and were skipped\n");
}

TEST(QuietMode, NothingIsShownOfAGoodRun) {
  Agent agent(print_fixture("text_turn"));
  const auto piped = pipe_through(agent, console::Verbosity::quiet);
  EXPECT_EQ(piped.shown.stdout_text + piped.shown.stderr_text, "");
}

TEST(ResultIntact, OfAnAgentThatSleepsForEverAfterIt) {
  for (const auto transport : {Transport::pipe, Transport::pty}) {
    Agent agent("ignore-term\n" + print_fixture("text_turn") + "hang\n", transport);
    const auto piped = pipe_through(agent);
    EXPECT_EQ(piped.exit.ended_by, process::EndedBy::after_end);
    EXPECT_EQ(piped.verdict.outcome, stream::Outcome::ok);
    EXPECT_EQ(piped.text, "Hello from the fake.");
    EXPECT_TRUE(agent.nothing_alive());
  }
}

TEST(ResultIntact, OfAnAgentWhoseGrandchildKeepsStdoutOpen) {
  for (const auto transport : {Transport::pipe, Transport::pty}) {
    Agent agent("grandchild-holds-stdout\ndaemon\n" + print_fixture("text_turn"), transport);
    const auto piped = pipe_through(agent);
    EXPECT_EQ(piped.exit.exit_code, 0);
    EXPECT_GE(piped.exit.strays, 1);  // on a terminal the grandchild leaves by its SIGHUP
    EXPECT_EQ(piped.verdict.outcome, stream::Outcome::ok);
    EXPECT_EQ(piped.text, "Hello from the fake.");
    EXPECT_TRUE(agent.nothing_alive());
  }
}

TEST(NoResult, OfAnAgentThatCrashesInTheMiddleOfALine) {
  Agent agent(print_fixture("interrupt_sigterm_tool") + "half {\"type\":\"resu\nsignal 11\n");
  const auto piped = pipe_through(agent);
  EXPECT_EQ(piped.exit.signal, SIGSEGV);
  EXPECT_EQ(piped.verdict.outcome, stream::Outcome::crashed);
  EXPECT_TRUE(piped.raw.ends_with("{\"type\":\"resu"));
  EXPECT_EQ(piped.skipped, 1);
}

}  // namespace
}  // namespace ralph
