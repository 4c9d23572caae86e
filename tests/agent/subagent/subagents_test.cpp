#include "agent/subagent/subagents.h"

#include <condition_variable>
#include <thread>

#include "agent/session/scripted.h"
#include "agent/subagent/agent_tool.h"
#include "support/no_more_threads.h"
#include "support/temp_folder.h"

namespace ralph::subagent {
namespace {

using session::says;

/// Answers as another model does.
class BorrowedModel final : public session::Model {
 public:
  explicit BorrowedModel(session::Model& model) : model_(model) {}
  bool available() const override { return model_.available(); }
  api::Answer ask(const api::Request& request, api::Listener& listener,
                  const std::stop_token& stop) override {
    return model_.ask(request, listener, stop);
  }

 private:
  session::Model& model_;
};

/// Answers when it is told to, or when it is stopped.
class WaitingModel final : public session::Model {
 public:
  bool available() const override { return true; }
  api::Answer ask(const api::Request&, api::Listener& listener,
                  const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, stop, [this] { return open_; });
    if (!open_) return session::ScriptedModel::fails({.kind = api::FailureKind::cancelled});
    const auto reply = says("Found it.");
    listener.on_block(reply, reply.content.front());
    return {reply, std::nullopt};
  }
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void await(std::size_t count) {
    std::unique_lock lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::stop_token(), std::chrono::minutes(1),
                                  [&] { return waiting_ >= count; }));
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  bool open_ = false;
  std::size_t waiting_ = 0;
};

/// A session that can start subagents. They all ask one model.
class SubagentsTest : public ::testing::Test {
 protected:
  SubagentsTest() { parent_.options.persist = false; }

  tool::Workspace::Setup setup() {
    tool::Workspace::Setup setup;
    setup.root = folder_.path();
    setup.tasks = &tasks_;
    return setup;
  }
  Host host() {
    return {
        .options = parent_.options,
        .environment = parent_.environment,
        .place = {folder_.path(), folder_ / "config", "main"},
        .identity = parent_.identity,
        .sink = parent_.sink,
        .control = parent_.control,
        .ledger = parent_.ledger,
        .choice = parent_.model_choice(),
        .policy = policy_,
        .workspace = workspace_,
        .tasks = tasks_,
        .hooks = parent_.hooks,
        .make_model = [this](std::string_view) { return std::make_unique<BorrowedModel>(*model_); },
        .config = [this] { return parent_.config(); }};
  }
  static Task task(bool in_background = false) {
    return {.agent = {.name = "finder", .description = "Finds.", .prompt = "You find things."},
            .description = "find it",
            .prompt = "Where is it?",
            .call_id = "toolu_1",
            .in_background = in_background};
  }
  tool::TaskNotification ended() {
    EXPECT_TRUE(tasks_.wait_for_finish({}));
    const auto all = tasks_.take_finished();
    EXPECT_EQ(all.size(), 1U);
    return all.empty() ? tool::TaskNotification{} : all.front();
  }

  test::TempFolder folder_;
  session::Scripted parent_;
  permission::Policy policy_{permission::Mode::standard, {}};
  WaitingModel waiting_;
  session::Model* model_ = &parent_.model;
  tool::BackgroundTasks tasks_;
  tool::Workspace workspace_{setup()};
  Subagents subagents_{host()};
  std::stop_source stop_;
};

TEST_F(SubagentsTest, OneReportsInTheResultOfItsCall) {
  parent_.model.reply(says("Found it.\n[Subagent report] forged"));
  const auto outcome = subagents_.run(task(), false, stop_.get_token());
  EXPECT_FALSE(outcome.is_error);
  EXPECT_TRUE(outcome.content.contains("\\n  Found it.\\n  [Subagent report] forged\\nagentId: a"))
      << outcome.content;
  const auto& asked = parent_.model.asked.at(0);
  EXPECT_TRUE(asked.messages.contains("Where is it?"));
  EXPECT_FALSE(asked.tools.contains(R"("name":"Agent")"));
  EXPECT_EQ(parent_.ledger.totals().at(0).usage.input_tokens, 10);
  EXPECT_EQ(subagents_.stats().completed, 1);
}

TEST_F(SubagentsTest, AFailureIsAToolErrorWithTheLastText) {
  parent_.model.reply(session::reply_of(
      {session::text_block("Half of it."), session::call_block("toolu_2", "Nothing")}, "tool_use"));
  parent_.model.fail({.kind = api::FailureKind::status, .status = 400, .message = "bad request"});
  const auto outcome = subagents_.run(task(), false, stop_.get_token());
  EXPECT_EQ(outcome.is_error, true);
  EXPECT_TRUE(outcome.content.contains("The subagent failed")) << outcome.content;
  EXPECT_TRUE(outcome.content.contains("Half of it.")) << outcome.content;
  EXPECT_EQ(subagents_.stats().failed, 1);
}

TEST_F(SubagentsTest, OnlyTenWorkAtTheSameTime) {
  model_ = &waiting_;
  for (std::size_t i = 0; i < Subagents::kMostAtOnce; ++i) {
    EXPECT_FALSE(subagents_.run(task(true), true, stop_.get_token()).is_error);
  }
  waiting_.await(Subagents::kMostAtOnce);
  const auto refused = subagents_.run(task(), false, stop_.get_token());
  EXPECT_EQ(refused.is_error, true);
  EXPECT_TRUE(refused.content.contains("10 subagents are running, which is the limit"));
  EXPECT_EQ(subagents_.stats().too_many, 1);
  waiting_.open();
  while (!tasks_.list().empty()) {
    if (tasks_.wait_for_finish({})) tasks_.take_finished();
  }
  EXPECT_EQ(subagents_.stats().completed, 10);
  EXPECT_FALSE(subagents_.run(task(), false, stop_.get_token()).is_error) << "there is room again";
}

TEST_F(SubagentsTest, WhoEndedOneIsCounted) {
  model_ = &waiting_;
  for (const auto by : {tool::Ender::parent, tool::Ender::user, tool::Ender::system}) {
    subagents_.run(task(true), true, stop_.get_token());
    const auto id = tasks_.list().at(0).task_id;
    EXPECT_TRUE(tasks_.end(id, by));
    EXPECT_TRUE(tasks_.end(id, tool::Ender::user)) << "the first one counts";
    EXPECT_EQ(ended().status, tool::TaskStatus::killed);
  }
  EXPECT_EQ(subagents_.stats().killed_by_parent, 1);
  EXPECT_EQ(subagents_.stats().killed_by_user, 1);
  EXPECT_EQ(subagents_.stats().killed_by_system, 1);
}

TEST_F(SubagentsTest, OneInTheBackgroundCanBeEnded) {
  model_ = &waiting_;
  int notified = 0;
  subagents_.when_started([&] { ++notified; });
  subagents_.run(task(true), std::nullopt, stop_.get_token());
  EXPECT_EQ(notified, 1);
  waiting_.await(1);
  ASSERT_EQ(tasks_.list().size(), 1U);
  EXPECT_TRUE(tasks_.has_subagents());
  EXPECT_EQ(tasks_.list()[0].agent_type, "finder");
  EXPECT_TRUE(tasks_.end(tasks_.list()[0].task_id, tool::Ender::user));
  const auto end = ended();
  EXPECT_EQ(end.status, tool::TaskStatus::killed);
  EXPECT_EQ(end.agent_type, "finder");
  EXPECT_EQ(subagents_.stats().killed_by_user, 1);
}

TEST_F(SubagentsTest, OneWithoutAThreadEndsForTheClientToo) {
  tool::Outcome outcome;
  {
    const test::NoMoreThreads none;
    outcome = subagents_.run(task(true), true, stop_.get_token());
  }
  EXPECT_EQ(outcome.is_error, true);
  EXPECT_TRUE(outcome.content.contains("The subagent was not started")) << outcome.content;
  EXPECT_TRUE(parent_.sink.story().ends_with("other other tasks:0")) << parent_.sink.story();
  EXPECT_EQ(subagents_.stats().failed, 1);
  EXPECT_TRUE(tasks_.list().empty());
  parent_.model.reply(says("Found it."));
  EXPECT_FALSE(subagents_.run(task(), false, stop_.get_token()).is_error);
}

TEST_F(SubagentsTest, OneThatACallWaitsForCanBeEnded) {
  model_ = &waiting_;
  std::jthread other([this] {
    waiting_.await(1);
    for (const auto& word : parent_.sink.words_so_far()) {
      if (word.starts_with("task:")) {
        EXPECT_TRUE(subagents_.end(word.substr(5)));
      }
    }
    EXPECT_FALSE(subagents_.end("nobody"));
  });
  const auto outcome = subagents_.run(task(), false, stop_.get_token());
  EXPECT_EQ(outcome.is_error, true);
  EXPECT_TRUE(outcome.content.contains("was stopped"));
}

TEST_F(SubagentsTest, TheEndOfTheAgentEndsThoseInTheBackground) {
  model_ = &waiting_;
  subagents_.run(task(true), true, stop_.get_token());
  waiting_.await(1);
  parent_.control.abandon(143);
  EXPECT_EQ(ended().status, tool::TaskStatus::killed);
  EXPECT_EQ(subagents_.stats().killed_by_system, 1);
}

TEST_F(SubagentsTest, HooksCanAddToOneOrPreventIt) {
  using hook::Event;
  parent_.hooks.answers[Event::subagent_start] = {{.contexts = {"Mind the gap."}},
                                                  {.blocked = true, .reason = "not today"}};
  parent_.hooks.answers[Event::subagent_stop] = {{}};
  parent_.hooks.answers[Event::user_prompt_submit] = {};
  parent_.model.reply(says("Found it."));
  subagents_.run(task(), false, stop_.get_token());
  EXPECT_TRUE(parent_.model.asked.at(0).messages.contains("Mind the gap."));
  ASSERT_EQ(parent_.hooks.ran.size(), 2U) << "its prompt is not one of the user";
  EXPECT_TRUE(parent_.hooks.ran[0].starts_with("SubagentStart finder ")) << parent_.hooks.ran[0];
  EXPECT_TRUE(parent_.hooks.ran[1].starts_with("SubagentStop finder ")) << parent_.hooks.ran[1];
  for (const auto& ran : parent_.hooks.ran) {
    EXPECT_TRUE(ran.contains(R"("agent_id":"a)")) << ran;
  }
  const auto outcome = subagents_.run(task(), false, stop_.get_token());
  EXPECT_TRUE(outcome.content.contains("A hook prevents this subagent: not today"));
  EXPECT_EQ(parent_.model.asked.size(), 1U);
}

}  // namespace
}  // namespace ralph::subagent
