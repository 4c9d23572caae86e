// A loop whose ralph is killed at any moment and resumed. RALPH_LOOP_KILLS=200 kills it more often, RALPH_LOOP_SEED=N at
// other moments.
#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>

#include "core/model/model.h"
#include "harness/store/journal.h"
#include "harness/stream/decoder.h"
#include "harness/stream/summary.h"
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

int number_from(const char* variable, int otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::atoi(text);
}

/// What the answers cost that reached a disk: the raw logs of all runs, read anew.
double cost_in_logs(const std::filesystem::path& work) {
  double cost = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(work / ".ralph/logs")) {
    if (entry.path().extension() != ".ndjson") continue;
    stream::Summary summary(model::Table::builtin());
    stream::Decoder decoder(stream::make_claude_dialect(), {&summary}, "run");
    decoder.feed(test::text_of(entry.path()), 0);
    decoder.finish(0);
    cost += summary.cost_usd().value_or(0);
  }
  return cost;
}

/// Kills the loop's ralph after the pause, unless it has ended before. Returns whether it was killed.
bool run_and_kill(const process::Command& command, std::chrono::microseconds pause) {
  auto child = process::start(command);
  if (!child) {
    ADD_FAILURE() << describe(child.error());
    return false;
  }
  process::RunHandle watch;
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
  const int seed = number_from("RALPH_LOOP_SEED", 20261115);
  const int wanted = number_from("RALPH_LOOP_KILLS", 12);
  std::cout << "RALPH_LOOP_SEED=" << seed << " RALPH_LOOP_KILLS=" << wanted << "\n";
  std::mt19937 random(static_cast<unsigned>(seed));
  std::chrono::microseconds whole{0};
  double request_cost = 0;
  int killed = 0, tries = 0;
  for (; killed < wanted && tries < 4 * wanted; ++tries) {
    SCOPED_TRACE(fmt::format("seed {}, try {}", seed, tries));
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
      request_cost = store::add_up(stage.records()).cost_usd / (2 * kIterations);
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
    EXPECT_EQ(stage.state().end, store::StopReason::done);
    const auto iterations = stage.iterations();
    ASSERT_EQ(iterations.size(), static_cast<std::size_t>(kIterations));
    for (int i = 1; i <= kIterations; ++i) {
      const auto& record = iterations[static_cast<std::size_t>(i - 1)];
      EXPECT_EQ(record.iteration, i);
      EXPECT_EQ(record.progress, i == kIterations ? "DONE" : fmt::format("Step {}.", i));
      EXPECT_EQ(stage.read(fmt::format("step{}", i)), fmt::format("{}\n", i));
    }
    // Exactly what was heard; an answer that a kill cut off is known to the API only.
    const auto counted = store::add_up(stage.records()).cost_usd;
    EXPECT_NEAR(counted, cost_in_logs(stage.work()), 1e-9) << kills << " kills";
    const auto served = static_cast<double>(stage.requests().size()) * request_cost;
    EXPECT_NEAR(counted, served, kills * request_cost + 1e-9)
        << kills << " kills, " << stage.requests().size() << " requests";
  }
  EXPECT_GE(killed, wanted);
}

/// As if the kill had come when the answer was in the raw log and not yet in the journal.
TEST(LoopKill, WhatTheJournalHadNotGotIsTakenFromTheRawLog) {
  auto first = bash("tail -f start.txt");
  first.insert(first.size() - 1, R"(,"usage":{"input_tokens":10000,"output_tokens":100})");
  LoopStage stage({first, bash("touch b"), answer("DONE")});
  bool sent = false;
  stage.run(stage.loop_command({"-p", "Go", "--model", "sonnet", "--json"}),
            [&](std::string_view so_far, auto& watch) {
              if (!so_far.contains("tail -f") || std::exchange(sent, true)) return;
              watch.send_signal(SIGKILL);
            });
  int journals = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(stage.work() / ".ralph/runs")) {
    if (entry.path().filename() != store::Journal::kName) continue;
    ++journals;
    std::string records;
    for (const auto& line : agent_process::lines_of(test::text_of(entry.path()))) {
      if (line.starts_with(R"({"record":)")) records += line + "\n";
    }
    std::ofstream(entry.path()) << records;
  }
  ASSERT_EQ(journals, 1);
  ASSERT_GT(cost_in_logs(stage.work()), 0);
  const auto ran = stage.loop({"--resume"});
  EXPECT_EQ(ran.code(), 0) << ran.out << ran.err;
  EXPECT_NEAR(store::add_up(stage.records()).cost_usd, cost_in_logs(stage.work()), 1e-9);
}

}  // namespace
}  // namespace ralph::loop_process
