#include "agent/session/heartbeat_reporter.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "agent/tool/input.h"
#include "support/no_more_threads.h"

namespace ralph::session {
namespace {

constexpr HeartbeatTimes kOnlyStarts{Millis{0}, Millis{3'600'000}};

/// Records the ids of the calls whose commands were reported, and lets tests wait for them.
class CommandSink final : public EventSink {
 public:
  void emit(const Identity&, const Event& event) override {
    if (const auto* const started = std::get_if<CommandStarted>(&event)) {
      if (on_start) on_start(started->call.id);
      add("started:" + started->call.id);
    }
    if (const auto* const ended = std::get_if<CommandEnded>(&event)) add("ended:" + ended->call.id);
  }
  bool await(const std::string& word) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, std::chrono::minutes(1),
                             [&] { return std::ranges::find(words_, word) != words_.end(); });
  }
  std::vector<std::string> words() {
    const std::lock_guard lock(mutex_);
    return words_;
  }

  std::function<void(const std::string& id)> on_start;

 private:
  void add(std::string word) {
    const std::lock_guard lock(mutex_);
    words_.push_back(std::move(word));
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> words_;
};

struct Commands {
  tool::Outcome run(const std::string& id, const std::function<void()>& work) {
    api::Block call;
    call.id = id;
    call.name = "Bash";
    return reporter.watch(call, {{"command", "x"}}, [&] {
      work();
      return tool::success("done", {});
    });
  }

  CommandSink sink;
  Identity identity{"session-1"};
  HeartbeatReporter reporter{kOnlyStarts, SessionEvents(sink, identity)};
};

TEST(HeartbeatReporter, ReportsACommandAlthoughAnotherIsDueMuchLater) {
  Commands commands;
  commands.run("1", [&] {
    ASSERT_TRUE(commands.sink.await("started:1"));
    commands.run("2", [&] { EXPECT_TRUE(commands.sink.await("started:2")); });
  });
  EXPECT_EQ(commands.sink.words(),
            (std::vector<std::string>{"started:1", "started:2", "ended:2", "ended:1"}));
}

TEST(HeartbeatReporter, AnErrorOfAReportIsNoErrorOfTheCommand) {
  Commands commands;
  commands.sink.on_start = [](const std::string& id) {
    if (id == "1") throw std::runtime_error("cannot report");
  };
  commands.run("1",
               [&] { commands.run("2", [&] { EXPECT_TRUE(commands.sink.await("started:2")); }); });
}

TEST(HeartbeatReporter, AClientThatReadsSlowlyDelaysOnlyTheReportedCommand) {
  Commands commands;
  std::mutex mutex;
  std::condition_variable changed;
  bool reporting = false, other_ended = false;
  commands.sink.on_start = [&](const std::string& id) {
    if (id != "1") return;
    std::unique_lock lock(mutex);
    reporting = true;
    changed.notify_all();
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::minutes(1), [&] { return other_ended; }));
  };
  const auto first = [&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return reporting; });
  };
  std::jthread one([&] { commands.run("1", first); });
  first();
  commands.run("2", [] {});
  {
    const std::lock_guard lock(mutex);
    other_ended = true;
    changed.notify_all();
  }
  one.join();
  EXPECT_EQ(commands.sink.words(), (std::vector<std::string>{"started:1", "ended:1"}));
}

TEST(HeartbeatReporter, CommandsRunWithoutItsThread) {
  Commands commands;
  bool ran = false;
  {
    const test::NoMoreThreads none;
    commands.run("1", [&] { ran = true; });
  }
  EXPECT_TRUE(ran);
  commands.run("2", [&] { EXPECT_TRUE(commands.sink.await("started:2")); });
}

}  // namespace
}  // namespace ralph::session
