// A loop whose ralph is killed at any moment and resumed.
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "integration/loop_harness.h"

namespace ralph::loop_process {
namespace {

constexpr int kIterations = 6;

/// Every request is answered by what it holds, not by its number: a repeated one gets the same answer.
std::vector<std::string> steps() {
  const std::string usage = R"("usage":{"input_tokens":10000,"output_tokens":100})";
  std::vector<std::string> steps;
  for (int i = 1; i <= kIterations; ++i) {
    const auto prompt = fmt::format("This is iteration {} of", i);
    const auto summary = i == kIterations ? std::string("DONE") : fmt::format("Step {}.", i);
    steps.push_back(fmt::format(
        R"({{"match":{{"contains":"{0}","tool_result":"wrote"}},{1},"tool_use":{{"name":"StructuredOutput","input":{{"summary":"{2}"}}}}}})",
        prompt, usage, summary));
    steps.push_back(fmt::format(
        R"({{"match":{{"contains":"{0}"}},{1},"tool_use":{{"name":"Bash","input":{{"command":"echo {2} > step{2}; echo wrote"}}}}}})",
        prompt, usage, i));
  }
  return steps;
}

int wanted_kills() {
  const char* text = std::getenv("RALPH_LOOP_KILLS");
  return text == nullptr ? 12 : std::atoi(text);
}

/// Kills the loop's ralph after the pause, unless it has ended before. Returns whether it was killed.
bool run_and_kill(const process::Command& command, std::chrono::microseconds pause) {
  auto child = process::start(command);
  if (!child) {
    ADD_FAILURE() << describe(child.error());
    return false;
  }
  process::Watch watch;
  watch.arm(process::Limit::wall, Millis{process::kLongWait});
  std::jthread killer([&](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, pause, [] { return false; });
    if (!stop.stop_requested()) watch.send_signal(SIGKILL);
  });
  const auto exit = process::supervise(*std::move(child), {}, watch, {});
  killer.request_stop();
  return exit.signal == SIGKILL;
}

TEST(LoopKill, AtAnyMomentNoIterationIsLostOrDoubledAndTheCostIsKnown) {
  std::mt19937 random(20261115);
  std::chrono::microseconds whole{0};
  double request_cost = 0;
  int killed = 0, tries = 0;
  for (const int wanted = wanted_kills(); killed < wanted && tries < 4 * wanted; ++tries) {
    SCOPED_TRACE(fmt::format("try {}", tries));
    LoopStage stage(steps());
    std::vector<std::string> words{"-p", "Write six files", "--model", "sonnet", "-q"};
    if (tries % 2 == 1) words.emplace_back("--commit");
    if (tries % 3 == 2) words.insert(words.end(), {"--verify", "test -f step6"});
    int kills = 0;
    if (request_cost == 0) {
      const auto began = std::chrono::steady_clock::now();
      ASSERT_EQ(stage.loop(words).code(), 0);
      whole = std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::steady_clock::now() - began);
      request_cost = loop::add_up(stage.records()).cost_usd / (2 * kIterations);
      ASSERT_GT(request_cost, 0);
    } else {
      std::uniform_int_distribution<std::int64_t> any(0, whole.count());
      kills += run_and_kill(stage.loop_command(words), std::chrono::microseconds(any(random)));
      // Before the state was written there is nothing to resume: it begins.
      const bool begun = std::filesystem::exists(stage.work() / ".ralph/state/loop.json");
      if (begun)
        kills += run_and_kill(stage.loop_command({"--resume", "-q"}),
                              std::chrono::microseconds(any(random)));
      const auto ran = begun ? stage.loop({"--resume", "-q"}) : stage.loop(words);
      ASSERT_EQ(ran.code(), 0) << ran.out << ran.err;
    }
    killed += kills;
    EXPECT_EQ(stage.state().end, "done");
    const auto iterations = stage.iterations();
    ASSERT_EQ(iterations.size(), static_cast<std::size_t>(kIterations));
    for (int i = 1; i <= kIterations; ++i) {
      const auto& record = iterations[static_cast<std::size_t>(i - 1)];
      EXPECT_EQ(record.iteration, i);
      EXPECT_EQ(record.progress, i == kIterations ? "DONE" : fmt::format("Step {}.", i));
      EXPECT_EQ(stage.read(fmt::format("step{}", i)), fmt::format("{}\n", i));
    }
    const auto served = static_cast<double>(stage.requests().size()) * request_cost;
    EXPECT_NEAR(loop::add_up(stage.records()).cost_usd, served, kills * request_cost + 1e-9)
        << kills << " kills, " << stage.requests().size() << " requests";
  }
  EXPECT_GE(killed, wanted_kills());
}

}  // namespace
}  // namespace ralph::loop_process
