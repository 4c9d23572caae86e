#include "harness/loop/goal_file.h"

#include <fstream>

#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/config/load.h"
#include "harness/loop/run_loop.h"
#include "support/temp_folder.h"

namespace ralph::loop {
namespace {

using test::TempFolder;

store::LoopState state_of(const TempFolder& folder, std::string_view goal) {
  store::LoopState state;
  state.goal = goal;
  state.goal_file = "GOAL.md";
  state.goal_path = (folder / "GOAL.md").native();
  state.goal_seen = goal_id(goal);
  return state;
}

TEST(GoalFile, AnEditSinceTheLastRunIsTheUsers) {
  const TempFolder folder;
  auto state = state_of(folder, "one");
  folder.write("GOAL.md", "one");
  EXPECT_EQ(resumed_goal(state, false, false).message, "");
  folder.write("GOAL.md", "two");
  const auto goal = resumed_goal(state, false, false);
  EXPECT_TRUE(goal.edited);
  EXPECT_EQ(goal.text, "two");
  EXPECT_EQ(goal.id, goal_id("two"));
  EXPECT_TRUE(goal.message.contains("'GOAL.md' was edited"));
  state.goal_path.clear();
  EXPECT_EQ(resumed_goal(state, false, false).text, "one") << "it came from no file";
}

TEST(GoalFile, WhatMayBeTheAgentsIsUsedOnlyWhenItIsAccepted) {
  const TempFolder folder;
  folder.write("GOAL.md", "two");
  auto killed = state_of(folder, "one");
  killed.current.emplace();
  auto changed = state_of(folder, "one");
  changed.goal_seen = goal_id("two");
  for (const auto& state : {killed, changed}) {
    const auto goal = resumed_goal(state, false, false);
    EXPECT_FALSE(goal.edited);
    EXPECT_EQ(goal.text, "one");
    EXPECT_TRUE(goal.message.contains("changed while the agent worked")) << goal.message;
    EXPECT_EQ(resumed_goal(state, false, true).text, "two");
  }
  EXPECT_EQ(resumed_goal(killed, true, false).text, "two") << "a sandbox kept the agent from it";
  killed.goal_seen = kNoGoalFile;
  EXPECT_EQ(resumed_goal(killed, true, false).text, "one") << "there was nothing to protect";
}

TEST(GoalFile, WhatCannotBeAGoalIsNotUsed) {
  const TempFolder folder;
  const auto state = state_of(folder, "one");
  for (const auto& text : {std::string(" \n"), std::string("a\0b", 3), std::string(2 << 20, 'x')}) {
    folder.write("GOAL.md", text);
    const auto goal = resumed_goal(state, false, false);
    EXPECT_EQ(goal.text, "one");
    EXPECT_TRUE(goal.message.starts_with("cannot use 'GOAL.md'")) << goal.message;
  }
}

/// The user edits the goal while the loop waits, and does not wait himself.
class EditingUser final : public store::LoopObserver {
 public:
  explicit EditingUser(const TempFolder& folder) : folder_(folder) {}
  void started(const store::LoopState&, const std::vector<store::LoopRecord>&) override {}
  std::vector<stream::Handler*> run_started(const store::RunInfo&,
                                            const stream::Summary&) override {
    return {};
  }
  void run_ended(const store::RunInfo&, const store::LoopRecord& record,
                 const store::LoopTotals&) override {
    notes.push_back(record.note);
  }
  void on(const store::LoopEvent& event) override {
    if (const auto* note = std::get_if<store::LoopNote>(&event.step)) told += note->text + "\n";
  }
  void output_of_verification(std::string_view) override {}
  bool waiting(std::string_view, Millis) override {
    folder_.write("GOAL.md", "Goal two");
    return true;
  }
  void flush() override {}
  void set_drain_timeout(Millis) override {}

  std::vector<std::string> notes;
  std::string told;

 private:
  const TempFolder& folder_;
};

TEST(GoalFile, AnEditBetweenTwoIterationsCountsFromTheNextOneOn) {
  const TempFolder folder, state_folder;
  folder.write("GOAL.md", "Goal one");
  folder.write("agent.sh",
               "grep -o 'Goal [a-z]*' >prompt-$(ls prompt-* 2>/dev/null | wc -l)\nexit 1\n");
  const std::vector<config::FlagValue> flags{
      {config::Key::cwd, {folder.path().string()}},
      {config::Key::command, {"sh agent.sh"}},
      {config::Key::retry_delay, {"1m"}},
  };
  const auto loaded = config::load({folder.path(), {}, {}, flags});
  ASSERT_TRUE(loaded) << describe(loaded.error());
  run::Invocation invocation;
  invocation.instead_of_prompt = "Goal one";
  invocation.environment = {"PATH=/usr/bin:/bin"};
  auto request = run::make_request(loaded->settings, std::move(invocation), Masker());
  ASSERT_TRUE(request) << describe(request.error());
  loop::Setup setup;
  setup.loop_id = make_run_id();
  setup.goal = "Goal one";
  setup.goal_file = "GOAL.md";
  setup.goal_path = folder / "GOAL.md";
  setup.goal_seen = goal_id(setup.goal);
  setup.request = *std::move(request);
  setup.request.state_folder = state_folder.path();
  setup.options.budget.iterations = 2;
  EditingUser user(folder);
  Control control;
  const auto report = run_loop(std::move(setup), user, control, Masker());
  ASSERT_FALSE(report.start_error) << describe(*report.start_error);
  EXPECT_EQ(report.reason, store::StopReason::iterations) << report.why << user.told;
  EXPECT_EQ(read_file(folder / "prompt-0").value_or(""), "Goal one\n");
  EXPECT_EQ(read_file(folder / "prompt-1").value_or(""), "Goal two\n");
  EXPECT_TRUE(user.told.contains("'GOAL.md' was edited")) << user.told;
  ASSERT_EQ(user.notes.size(), 2U);
  EXPECT_EQ(user.notes[0], "");
  EXPECT_TRUE(user.notes[1].contains("'GOAL.md' was edited"));
}

}  // namespace
}  // namespace ralph::loop
