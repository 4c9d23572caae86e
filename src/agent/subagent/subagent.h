#pragma once
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/subagent/child_events.h"
#include "agent/subagent/host.h"
#include "agent/subagent/task.h"

namespace ralph::subagent {

/// The tools of a source that an agent may use. What is listed by name is always offered.
class ListedTools final : public session::ToolSource {
 public:
  /// `names`: of tools or of MCP servers, as in rules; nullopt: all.
  ListedTools(session::ToolSource* source, std::optional<std::vector<std::string>> names)
      : source_(source), names_(std::move(names)) {}
  std::vector<const tool::Tool*> tools(const std::stop_token& stop) override;
  bool is_offered(const tool::Tool& tool) const override {
    return source_ == nullptr || names_ || source_->is_offered(tool);
  }
  std::vector<session::ServerFacts> servers() const override {
    return source_ == nullptr ? std::vector<session::ServerFacts>() : source_->servers();
  }

 private:
  session::ToolSource* source_;  // nullptr: none
  std::optional<std::vector<std::string>> names_;
};

/// A session that works for a call of another one, once. Used by one thread.
class Subagent {
 public:
  /// `host` outlives it. An error: its session cannot be created.
  static Result<std::unique_ptr<Subagent>> create(const Host& host, Task task);
  Subagent(const Subagent&) = delete;
  Subagent& operator=(const Subagent&) = delete;

  /// Works until the task is done or a stop is requested.
  Report run(const std::stop_token& stop);

  const Task& task() const { return task_; }
  /// As clients see it.
  const tool::BackgroundTask& facts() const { return facts_; }
  std::string model_id() const { return choice_.id(); }

 private:
  Subagent(const Host& host, Task task);
  Result<> open();
  session::SessionConfig config() const;
  void show_prompt();
  Report report_of(std::optional<session::TurnReport> turn, const std::stop_token& stop) const;

  const Host& host_;
  Task task_;
  tool::BackgroundTask facts_;
  settings::Options options_;
  session::Identity identity_;
  settings::ModelChoice choice_;
  CountingModel model_;
  tool::Workspace workspace_;
  session::CallGate gate_;
  ChildEvents events_;
  session::HeartbeatReporter heartbeats_;
  ListedTools more_;
  session::Toolbox toolbox_;
  session::Inbox inbox_;
  std::unique_ptr<session::Session> session_;
};

}  // namespace ralph::subagent
