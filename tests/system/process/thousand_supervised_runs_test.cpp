#include <sys/wait.h>

#include "system/process/harness.h"

namespace ralph::process {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int kRuns = 200;
#else
constexpr int kRuns = 1000;
#endif
constexpr int kThreads = 6;

/// How a scenario is ended, and how its run must then look.
struct Scenario {
  const char* name;
  const char* script;
  EndedBy ended_by =
      EndedBy::nothing;  // other than nothing: that limit is armed once "go" is printed
  std::optional<int> exit_code;
  std::optional<int> signal;
  int strays = 0;               // -1: any number
  std::uint64_t out_bytes = 0;  // 0: any number
  Millis grace = kLongWait;     // short where something of the tree does not leave on SIGTERM
};

constexpr Millis kShort{30};
constexpr int kAnySignal = -1;

const std::vector<Scenario>& scenarios() {
  static const std::vector<Scenario> all{
      {.name = "quick", .script = "line hello\n", .exit_code = 0, .out_bytes = 6},
      {.name = "fails", .script = "stderr no\nexit 42\n", .exit_code = 42},
      {.name = "crashes mid-line",
       .script = "half {\"type\nsignal 11\n",
       .signal = SIGSEGV,
       .out_bytes = 6},
      {.name = "floods", .script = "flood 200000\nexit 0\n", .exit_code = 0, .out_bytes = 200'000},
      {.name = "floods both",
       .script = "flood-stderr 100000\nflood 100000\nexit 1\n",
       .exit_code = 1,
       .out_bytes = 100'000},
      {.name = "long line", .script = "longline 300000\n", .exit_code = 0, .out_bytes = 300'000},
      {.name = "odd bytes", .script = "surrogate\nbad-utf8\nnul\nexit 3\n", .exit_code = 3},
      {.name = "waits for input", .script = "wait-stdin-eof\n", .exit_code = 0, .out_bytes = 8},
      {.name = "closes stdout",
       .script = "line x\nclose-stdout\nexit 5\n",
       .exit_code = 5,
       .out_bytes = 2},
      {.name = "grandchild holds stdout",
       .script = "grandchild-holds-stdout\nline x\nexit 0\n",
       .exit_code = 0,
       .strays = -1,
       .out_bytes = 2},
      {.name = "daemon stays",
       .script = "daemon\nline x\nexit 0\n",
       .exit_code = 0,
       .strays = 1,
       .out_bytes = 2,
       .grace = kShort},
      {.name = "tool stays", .script = "spawn-tool\nexit 9\n", .exit_code = 9, .strays = 1},
      {.name = "fork loop stays",
       .script = "forkloop 5000\nexit 0\n",
       .exit_code = 0,
       .strays = -1,
       .grace = kShort},
      {.name = "endless writer stays",
       .script = "endless-grandchild\nexit 0\n",
       .exit_code = 0,
       .strays = -1},
      {.name = "hangs", .script = "line go\nhang\n", .ended_by = EndedBy::wall, .signal = SIGTERM},
      {.name = "result, then stays",
       .script = "line go\nhang\n",
       .ended_by = EndedBy::after_end,
       .signal = SIGTERM,
       .out_bytes = 3},
      {.name = "falls silent",
       .script = "line go\nhang\n",
       .ended_by = EndedBy::silence,
       .signal = SIGTERM},
      {.name = "ignores TERM",
       .script = "ignore-term\nline go\nhang\n",
       .ended_by = EndedBy::wall,
       .signal = SIGKILL,
       .grace = kShort},
      {.name = "leaves on TERM",
       .script = "on-term bye\\n\nline go\nhang\n",
       .ended_by = EndedBy::wall,
       .exit_code = 0,
       .out_bytes = 7},
      {.name = "is stopped by us with everything",
       .script = "daemon\nspawn-tool\ngrandchild-holds-stdout\nline go\nhang\n",
       .ended_by = EndedBy::stop_request,
       .signal = kAnySignal,
       .strays = 3,
       .grace = kShort},
      {.name = "stops itself",
       .script = "line go\nstop\nhang\n",
       .ended_by = EndedBy::wall,
       .signal = SIGTERM},
      {.name = "fork loop runs",
       .script = "forkloop 5000\nline go\nhang\n",
       .ended_by = EndedBy::stop_request,
       .signal = kAnySignal,
       .strays = -1,
       .grace = kShort},
      {.name = "sink fails",
       .script = "spawn-tool\nline go\nhang\n",
       .ended_by = EndedBy::sink_failure,
       .signal = SIGTERM,
       .strays = 1},
  };
  return all;
}

/// Does what the scenario says should end the run.
Result<> bring_about(EndedBy end, RunHandle& watch, std::stop_source& stop) {
  switch (end) {
    case EndedBy::wall: watch.arm(Limit::wall, Millis{0}); break;
    case EndedBy::after_end: watch.arm(Limit::after_end, Millis{1}); break;
    case EndedBy::silence: watch.arm(Limit::silence, Millis{1}); break;
    case EndedBy::stop_request: stop.request_stop(); break;
    case EndedBy::sink_failure: return fail(Code::storage, "disk full");
    case EndedBy::nothing:
    case EndedBy::guard_lost: break;
  }
  return {};
}

void run_scenario(const Scenario& scenario, Transport transport, const std::string& mark,
                  const std::string& script_path) {
  SCOPED_TRACE(std::string(scenario.name) + (transport == Transport::pty ? " on a PTY" : ""));
  const Command command{.argv = {fake_agent(), script_path},
                        .env = {{"RALPH_TEST_MARK", mark}},
                        .transport = transport};
  auto child = start(command);
  ASSERT_TRUE(child) << describe(child.error());
  RunHandle watch;
  std::stop_source stop;
  std::string out;
  const Sinks sinks{[&](std::string_view bytes) -> Result<> {
                      out += bytes;
                      return out.starts_with("go\n") ? bring_about(scenario.ended_by, watch, stop)
                                                     : Result<>{};
                    },
                    {}};
  const EndPolicy policy{.grace = scenario.grace, .drain = Millis{100}, .patience = kLongWait};
  const Exit exit = supervise(*std::move(child), sinks, watch, stop.get_token(), policy);
  EXPECT_EQ(exit.ended_by, scenario.ended_by);
  EXPECT_EQ(exit.exit_code, scenario.exit_code);
  if (scenario.signal == kAnySignal) {
    EXPECT_TRUE(exit.signal);
  } else {
    EXPECT_EQ(exit.signal, scenario.signal);
  }
  EXPECT_EQ(exit.left, 0);
  EXPECT_FALSE(exit.read_error);
  if (scenario.strays >= 0) {
    EXPECT_EQ(exit.strays, scenario.strays);
  }
  if (scenario.out_bytes > 0) {
    EXPECT_EQ(exit.out_bytes, scenario.out_bytes);
    EXPECT_EQ(out.size(), scenario.out_bytes);
  }
}

TEST(ThousandSupervisedRuns, EndRightAndLeaveNothing) {
  const TempFolder folder;
  const std::string mark = random_hex(8);
  std::vector<std::string> scripts;
  for (const Scenario& scenario : scenarios()) {
    scripts.push_back(folder.write(std::to_string(scripts.size()), scenario.script));
  }
  run_scenario(scenarios()[0], Transport::pipe, mark, scripts[0]);  // opens what stays open
  const std::size_t descriptors = open_descriptors();

  std::atomic<int> next = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&] {
        for (int run = next++; run < kRuns; run = next++) {
          const auto index = static_cast<std::size_t>(run) % scripts.size();
          const bool pty = (static_cast<std::size_t>(run) / scripts.size()) % 2 == 1;
          run_scenario(scenarios()[index], pty ? Transport::pty : Transport::pipe, mark,
                       scripts[index]);
        }
      });
    }
  }
  EXPECT_TRUE(alive_with_mark(mark).empty());
  EXPECT_TRUE(zombies_of_ours().empty());
  EXPECT_EQ(open_descriptors(), descriptors);
}

}  // namespace
}  // namespace ralph::process
