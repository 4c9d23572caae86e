#include "agent/wire/task_watcher.h"

#include <functional>
#include <future>
#include <system_error>
#include <thread>

#include "agent/session/scripted.h"
#include "support/no_more_threads.h"

namespace ralph::wire {
namespace {

using tool::Ender;

/// Ends when the test says so; `killed` if it was asked to end before.
class ScriptedWork final : public tool::BackgroundWork {
 public:
  void start(std::function<void()> when_ended) override { when_ended_ = std::move(when_ended); }
  bool ended() const override { return ended_; }
  void end(Ender /*by*/) override { killed_ = true; }
  tool::TaskNotification notification(const tool::BackgroundTask& task) const override {
    return {.task_id = task.task_id,
            .tool_use_id = {},
            .status = killed_ ? tool::TaskStatus::killed : tool::TaskStatus::completed,
            .output_file = task.output_file,
            .summary = "It has ended",
            .agent_type = task.agent_type};
  }
  void finish() {
    const auto notify = when_ended_;
    ended_ = true;  // from here on another thread may destroy it
    notify();
  }

 private:
  std::function<void()> when_ended_;
  std::atomic<bool> killed_ = false, ended_ = false;
};

/// Keeps a word for every event. Only the watcher's thread reports any.
struct TaskSink final : session::EventSink {
  void emit(const session::Identity&, const session::Event& event) override {
    if (const auto* updated = std::get_if<session::TaskUpdated>(&event)) {
      add("updated:" + updated->task.task_id);
    } else if (const auto* ended = std::get_if<session::TaskEnded>(&event)) {
      add("ended:" + ended->task.task_id);
      if (on_ended) on_ended();
    } else if (const auto* changed = std::get_if<session::TasksChanged>(&event)) {
      add("tasks:" + std::to_string(changed->tasks.size()));
    } else if (const auto* result = std::get_if<session::TurnEnded>(&event)) {
      add(result->result.is_error ? "failed" : "succeeded");
    }
  }
  void add(const std::string& word) { story += (story.empty() ? "" : " ") + word; }

  std::string story;
  std::function<void()> on_ended;  // while a task is announced
};

class TaskWatcherTest : public ::testing::Test {
 protected:
  ~TaskWatcherTest() override { tasks_.end_all(); }

  ScriptedWork& add(std::string id, std::string agent_type = {}) {
    auto work = std::make_unique<ScriptedWork>();
    auto& added = *work;
    tasks_.adopt({.task_id = std::move(id),
                  .tool_use_id = {},
                  .description = "work",
                  .output_file = "/out",
                  .agent_type = std::move(agent_type)},
                 std::move(work));
    return added;
  }
  /// Waits until no task is watched; returns the messages to the model.
  std::vector<std::string> messages() {
    inbox_.close();
    std::vector<std::string> contents;
    for (;;) {
      const auto next = inbox_.next({});
      if (next.empty()) return contents;
      for (const auto& message : next) {
        EXPECT_TRUE(message.notification);
        contents.push_back(message.content);
      }
    }
  }

  /// Asks subagents_open() while a task is announced; answer_ gets the answer.
  void ask_when_announced() {
    sink_.on_ended = [this] {
      std::promise<void> asks;
      const auto asking = asks.get_future();
      asker_ = std::jthread([this, asks = std::move(asks)]() mutable {
        asks.set_value();
        answer_.set_value(watcher_.subagents_open());
      });
      asking.wait();
    };
  }

  TaskSink sink_;
  std::string warnings_;
  wire::Setup setup_{
      .options = {},
      .environment = settings::Environment({}),
      .cwd = {},
      .io = {.out = {}, .err = [this](std::string_view lines) { warnings_ += lines; }},
      .version = {}};
  session::Identity identity_{"session-1"};
  session::SessionEvents events_{sink_, identity_};
  session::Ledger ledger_{model::Table::builtin(), {}};
  session::Inbox inbox_;
  session::TurnControl control_;
  std::atomic<bool> reporting_ = false;
  tool::BackgroundTasks tasks_;
  HeldResults held_{{.events = events_,
                     .ledger = ledger_,
                     .inbox = inbox_,
                     .tasks = tasks_,
                     .control = control_,
                     .subagent_stats = [] { return session::SubagentStats(); },
                     .output = settings::Format::stream_json,
                     .reporting = reporting_}};
  TaskWatcher watcher_{{.setup = setup_,
                        .events = events_,
                        .tasks = tasks_,
                        .inbox = inbox_,
                        .control = control_,
                        .held = held_}};
  std::promise<bool> answer_;
  std::jthread asker_;
};

TEST_F(TaskWatcherTest, TellsTheClientAndTheModelWhenATaskEnds) {
  auto& one = add("b1");
  auto& two = add("b2");
  watcher_.start();
  EXPECT_FALSE(inbox_.is_empty()) << "it can still add a message";
  bool first = true;
  sink_.on_ended = [&] {
    if (std::exchange(first, false)) two.finish();
  };
  one.finish();
  const auto told = messages();
  EXPECT_EQ(sink_.story, "updated:b1 ended:b1 tasks:1 updated:b2 ended:b2 tasks:0");
  ASSERT_EQ(told.size(), 2U);
  EXPECT_TRUE(
      told[0].contains(R"(<task-notification>\nTask b1 has ended: completed\nIt has ended\n)"
                       R"(Its output is in /out\n</task-notification>)"))
      << told[0];
  EXPECT_TRUE(watcher_.take_notes().empty());
}

TEST_F(TaskWatcherTest, WithoutTasksNothingIsAwaited) {
  watcher_.start();
  EXPECT_TRUE(inbox_.is_empty());
}

TEST_F(TaskWatcherTest, CanBeStartedAgainWhenThereWasNoThread) {
  add("b1").finish();
  {
    const test::NoMoreThreads none;
    EXPECT_THROW(watcher_.start(), std::system_error);
  }
  EXPECT_TRUE(inbox_.is_empty()) << "nothing can add a message";
  watcher_.start();
  EXPECT_EQ(messages().size(), 1U);
}

TEST_F(TaskWatcherTest, CanBeStartedByManyThreads) {
  constexpr int kTasks = 16;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < kTasks; ++i) {
      threads.emplace_back([this, i] {
        auto& work = add("b" + std::to_string(i));
        watcher_.start();
        work.finish();
      });
    }
  }
  EXPECT_EQ(messages().size(), kTasks);
  EXPECT_TRUE(inbox_.is_empty());
  EXPECT_TRUE(tasks_.list().empty());
}

TEST_F(TaskWatcherTest, SubagentsAreOpenUntilTheModelIsTold) {
  EXPECT_FALSE(watcher_.subagents_open());
  auto& agent = add("a1", "finder");
  EXPECT_TRUE(watcher_.subagents_open());
  ask_when_announced();
  watcher_.start();
  agent.finish();
  EXPECT_TRUE(answer_.get_future().get()) << "it has left the list, but its message will come";
  EXPECT_EQ(messages().size(), 1U);
  EXPECT_FALSE(watcher_.subagents_open());
}

TEST_F(TaskWatcherTest, AnEndThatStartsNoTurnLeavesNothingOpen) {
  auto& command = add("b1");
  ask_when_announced();
  watcher_.start();
  EXPECT_TRUE(tasks_.end("b1", Ender::user));
  command.finish();
  EXPECT_FALSE(answer_.get_future().get()) << "nothing would release the result of the turn later";
  EXPECT_TRUE(messages().empty());
}

TEST_F(TaskWatcherTest, AResultWaitsForTheTurnThatIsToldOfItsSubagent) {
  inbox_.push({.content = "[]"});
  ASSERT_EQ(inbox_.next({}).size(), 1U);  // a turn runs
  held_.add({});
  for (int i = 0; i < 100; ++i) {
    auto& agent = add("a1", "finder");
    watcher_.start();
    agent.finish();
    while (inbox_.take_pending().empty()) std::this_thread::yield();  // the turn takes the message
    EXPECT_FALSE(watcher_.subagents_open());  // the announcement is complete
    ASSERT_FALSE(sink_.story.contains("succeeded")) << "in round " << i;
  }
}

TEST_F(TaskWatcherTest, AnInterruptBeforeTheTurnBeginsStopsItsSubagents) {
  control_.on_interrupt([this] { watcher_.interrupt(); });
  auto& agent = add("a1", "finder");
  watcher_.start();
  held_.add({});
  watcher_.begin_turn();
  control_.interrupt();
  EXPECT_FALSE(control_.begin_turn().stop_requested());
  agent.finish();
  EXPECT_TRUE(messages().empty()) << "the user does not want the model to go on";
  EXPECT_EQ(sink_.story, "updated:a1 ended:a1 tasks:0 failed");
  const auto notes = watcher_.take_notes();
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_TRUE(notes[0].notification);
  EXPECT_TRUE(notes[0].content.contains("Task a1 has ended: killed")) << notes[0].content;
  EXPECT_TRUE(watcher_.take_notes().empty());
}

TEST_F(TaskWatcherTest, AnInterruptIsForgottenInTheNextTurn) {
  auto& first = add("a1", "finder");
  watcher_.start();
  watcher_.interrupt();
  first.finish();
  EXPECT_TRUE(messages().empty());
  watcher_.begin_turn();
  auto& second = add("a2", "finder");
  watcher_.start();
  EXPECT_TRUE(tasks_.end("a2", Ender::parent));
  second.finish();
  EXPECT_EQ(messages().size(), 1U);
}

TEST_F(TaskWatcherTest, AnInterruptWithoutSubagentsEndsNothing) {
  auto& command = add("b1");
  watcher_.start();
  held_.add({});
  watcher_.interrupt();
  command.finish();
  const auto told = messages();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_TRUE(told[0].contains("completed")) << told[0];
  EXPECT_FALSE(sink_.story.contains("failed")) << sink_.story;
}

TEST_F(TaskWatcherTest, ACommandThatTheUserEndedStartsNoTurn) {
  auto& command = add("b1");
  watcher_.start();
  EXPECT_TRUE(tasks_.end("b1", Ender::user));
  command.finish();
  EXPECT_TRUE(messages().empty());
  EXPECT_EQ(watcher_.take_notes().size(), 1U);
}

TEST_F(TaskWatcherTest, AnAbandonedAgentReportsNoResult) {
  auto& agent = add("a1", "finder");
  watcher_.start();
  held_.add({});
  watcher_.interrupt();
  sink_.on_ended = [&] { control_.abandon(1); };
  agent.finish();
  EXPECT_TRUE(messages().empty());
  EXPECT_EQ(sink_.story, "updated:a1 ended:a1 tasks:0");
}

TEST_F(TaskWatcherTest, EndAllDropsWhatTheModelWasNotToldYet) {
  auto& unwanted = add("b1");
  auto& wanted = add("b2");
  auto& last = add("b3");
  add("a4", "finder");
  std::promise<void> announced;  // the two before the last one
  int count = 0;
  sink_.on_ended = [&] {
    if (++count == 3) announced.set_value();
  };
  watcher_.start();
  EXPECT_TRUE(tasks_.end("b1", Ender::user));
  unwanted.finish();
  wanted.finish();
  last.finish();
  announced.get_future().wait();
  EXPECT_TRUE(inbox_.has_notification());
  inbox_.push({.content = "[]", .uuid = "of the user"});
  watcher_.end_all();
  EXPECT_TRUE(tasks_.list().empty());
  EXPECT_FALSE(inbox_.has_notification());
  EXPECT_TRUE(watcher_.take_notes().empty());
  EXPECT_FALSE(watcher_.subagents_open());
  inbox_.close();
  const auto left = inbox_.next({});
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].uuid, "of the user");
  EXPECT_TRUE(inbox_.is_empty());

  add("b5").finish();
  watcher_.start();
  EXPECT_EQ(messages().size(), 1U) << "later tasks are watched again";
}

TEST_F(TaskWatcherTest, AnExceptionStopsTheAgentWithAMessage) {
  auto& command = add("b1");
  watcher_.start();
  sink_.on_ended = [] { throw std::runtime_error("broken sink"); };
  command.finish();
  EXPECT_TRUE(messages().empty());
  EXPECT_TRUE(control_.abandoned());
  EXPECT_EQ(control_.exit_code(), 1);
  EXPECT_TRUE(warnings_.contains("internal error: broken sink; agent stopped")) << warnings_;
}

}  // namespace
}  // namespace ralph::wire
