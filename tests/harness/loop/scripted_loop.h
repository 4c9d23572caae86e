#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/backend/backend.h"
#include "harness/loop/loop.h"
#include "harness/loop/ralph_folder.h"
#include "support/temp_folder.h"

/// A loop without processes: agent, files, verification and time are scripted; state and records are real files.
namespace ralph::loop::scripted {

class FakeClock final : public Clock {
 public:
  UtcTime now() const override { return utc_; }
  SteadyTime steady() const override { return SteadyTime(passed_); }
  bool wait(Millis pause, run::Control& control) override {
    pass(pause);
    waited.push_back(pause);
    return !control.cancelled_by();
  }
  void pass(Millis time) {
    utc_ += time;
    passed_ += time;
  }

  std::vector<Millis> waited;

 private:
  UtcTime utc_ = *parse_iso("2026-11-15T14:00:00Z");
  Millis passed_{0};
};

/// Remembers every step.
class Recorder final : public store::LoopObserver {
 public:
  void started(const store::LoopState&, const std::vector<store::LoopRecord>&) override {}
  std::vector<stream::Handler*> run_started(const store::RunInfo&,
                                            const stream::Summary&) override {
    return {};
  }
  void run_ended(const store::RunInfo&, const store::LoopRecord&,
                 const store::LoopTotals&) override {}
  void on(const store::LoopEvent& event) override { steps.push_back(event.step); }
  void output_of_verification(std::string_view) override {}
  bool waiting(std::string_view, Millis) override { return false; }
  void flush() override {}
  void set_drain_timeout(Millis) override {}

  template <typename Step>
  std::vector<Step> all() const {
    std::vector<Step> found;
    for (const auto& step : steps) {
      if (const auto* one = std::get_if<Step>(&step)) found.push_back(*one);
    }
    return found;
  }
  /// All notes, each on a line.
  std::string notes() const {
    std::string text;
    for (const auto& note : all<store::LoopNote>()) text += note.text + "\n";
    return text;
  }

  std::vector<store::LoopStep> steps;
};

/// Files whose content is a text, with commits of it.
class FakeRepository final : public Repository {
 public:
  std::string content() override { return unreadable ? "" : files; }
  const std::optional<Error>& tampered() const override { return tampered_with; }
  std::string head() const override { return commits.empty() ? "" : "c" + commits.back(); }
  Result<std::string> commit(std::string_view message, std::string_view) override {
    if (commit_error) return std::unexpected(*commit_error);
    if (!commits.empty() && commits.back() == files) return std::string();
    messages.emplace_back(message);
    commits.push_back(files);
    return head();
  }
  Result<> check_committed() const override {
    return committed_error ? Result<>(std::unexpected(*committed_error)) : Result<>();
  }
  Result<bool> needs_rollback(const store::Current& before) override {
    return "c" + files != before.commit_before;
  }
  Result<RolledBack> roll_back(const store::Current& before) override {
    files = before.commit_before.substr(1);
    return RolledBack{"refs/ralph/rolled-back", {}};
  }
  Result<Changed> changed_between(const std::string&, const std::string&) override {
    return changed;
  }
  void leave_out_edited_goal(store::LoopState&) override {}

  std::string files = "start";
  std::optional<Error> tampered_with;
  std::vector<std::string> commits{"start"}, messages;
  std::optional<Error> commit_error, committed_error;
  Changed changed;
  bool unreadable = false;
};

class FakeVerifier final : public DoneVerifier {
 public:
  std::vector<std::string> commands() const override { return names; }
  Result<store::Verification> verify(const std::string& content) override {
    verified.push_back(content);
    if (while_verifying) while_verifying();
    if (error) return std::unexpected(*error);
    const bool passed = !refusals.empty() ? !refusals.front() : true;
    if (!refusals.empty()) refusals.pop_front();
    store::Verification said;
    said.passed = passed;
    if (!passed) said.command = "make test", said.reason = "exit code 1";
    return said;
  }

  std::vector<std::string> names, verified;
  std::deque<bool> refusals;  // of each DONE; behind the last: it passes
  std::function<void()> while_verifying;
  std::optional<Error> error;
};

/// Answers from a list; behind its end the test fails and the user stops the loop.
class ScriptedRunner final : public Runner {
 public:
  using Step = std::function<RunOutcome()>;

  RunOutcome run(run::Request request, const store::RunInfo& info) override {
    requests.push_back(std::move(request));
    runs.push_back(info);
    if (script.empty()) {
      ADD_FAILURE() << "run " << runs.size() << " is not in the script";
      RunOutcome outcome{{}, {}, stream::Summary(model::Table::builtin()), {}};
      outcome.verdict.outcome = stream::Outcome::cancelled;
      return outcome;
    }
    auto step = std::move(script.front());
    script.pop_front();
    return step();
  }

  std::deque<Step> script;
  std::vector<run::Request> requests;
  std::vector<store::RunInfo> runs;
};

inline RunOutcome ended(stream::Outcome outcome) {
  RunOutcome run{{}, {}, stream::Summary(model::Table::builtin()), {}};
  run.verdict.outcome = outcome;
  return run;
}
inline RunOutcome answered(std::string summary, bool done = false) {
  auto run = ended(stream::Outcome::ok);
  run.answer.summary = std::move(summary);
  run.answer.done = done;
  return run;
}

class ScriptedLoop : public testing::Test {
 protected:
  ScriptedLoop() {
    setup.loop_id = "20261115-140000-loop";
    setup.goal = "Make it work";
    setup.request.backend = backend::find_backend("claude");
    setup.request.host.workspace = folder.path();
    setup.request.state_folder = state_folder.path();
    setup.options.summarize_every = 0;
    setup.options.budget.iterations = 9;
  }
  /// As a start does it: a new loop.
  void open() {
    auto taken = RalphFolder::open(folder.path(), setup.loop_id);
    ASSERT_TRUE(taken) << describe(taken.error());
    ralph_folder.emplace(*std::move(taken));
    keeper = std::make_unique<StateKeeper>(setup, *ralph_folder, reporter, clock);
    ASSERT_TRUE(keeper->store().prepare());
    keeper->state.loop_id = setup.loop_id;
    keeper->state.goal = setup.goal;
    keeper->state.started = clock.now();
    keeper->state.branch_at_start = "refs/heads/main";
    keeper->state.tree_at_start = repository.files;
    keeper->state.commit_at_start = repository.head();
    ASSERT_TRUE(keeper->save());
    budget = std::make_unique<LoopBudget>(setup.options.budget, *keeper, clock);
    waiter = std::make_unique<Waiter>(*keeper, *budget, reporter, control, clock);
    goal = std::make_unique<GoalTracker>(setup, keeper->state, reporter, masker);
  }
  LoopStop run(Loop::Before before = Loop::Before::not_over) {
    if (!keeper) open();
    return Loop({setup, *keeper, reporter, runner, repository, verifier, *budget, *waiter, *goal,
                 guidance, control, clock, masker})
        .run(before);
  }

  /// The agent answers after it wrote `files`; empty: it changes nothing.
  void answer(std::string summary, std::string files = {}, bool done = false) {
    runner.script.push_back([this, summary, files, done] {
      if (!files.empty()) repository.files = files;
      clock.pass(Millis{1000});
      return answered(summary, done);
    });
  }
  void done(std::string files = {}) { answer("DONE", std::move(files), true); }
  void fails(stream::Outcome outcome, std::string files = {}) {
    runner.script.push_back([this, outcome, files] {
      if (!files.empty()) repository.files = files;
      return ended(outcome);
    });
  }
  void user_stops() {
    runner.script.push_back([this] {
      control.stop_now(SIGTERM);
      return ended(stream::Outcome::cancelled);
    });
  }
  const std::vector<store::LoopRecord>& records() const { return keeper->records(); }

  test::TempFolder folder{test::memory_folder()}, state_folder{test::memory_folder()};
  loop::Setup setup;
  FakeClock clock;
  Recorder seen;
  LoopReporter reporter{seen, clock};
  Control control;
  Masker masker;
  ScriptedRunner runner;
  FakeRepository repository;
  FakeVerifier verifier;
  store::Guidance guidance{folder.path(), state_folder.path()};
  std::optional<RalphFolder> ralph_folder;
  std::unique_ptr<StateKeeper> keeper;
  std::unique_ptr<LoopBudget> budget;
  std::unique_ptr<Waiter> waiter;
  std::unique_ptr<GoalTracker> goal;
};

}  // namespace ralph::loop::scripted
