#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/reply.h"
#include "agent/session/call_gate.h"
#include "agent/session/collaborators.h"
#include "agent/session/heartbeat_reporter.h"
#include "agent/settings/options.h"
#include "agent/tool/tool.h"
#include "agent/tool/workspace.h"
#include "core/schema/schema.h"

namespace ralph::session {

/// Tools that come and go during a session, such as those of MCP servers. A tool that was returned once stays valid.
/// Thread-safe: a session and its subagents share one.
class ToolSource {
 public:
  virtual ~ToolSource() = default;
  /// May ask servers; not after a stop request.
  virtual std::vector<const tool::Tool*> tools(const std::stop_token& stop) = 0;
  /// Whether requests contain the tool. It can be called in any case.
  virtual bool is_offered(const tool::Tool& /*tool*/) const { return true; }
  virtual std::vector<ServerFacts> servers() const { return {}; }
};

/// What a toolbox is made of; everything outlives it.
struct ToolboxParts {
  tool::Workspace& workspace;
  const settings::Options& options;
  const CallGate& gate;
  std::vector<const tool::Tool*> more = {};  // in addition to the built-in tools
  ToolSource* source = nullptr;
  HeartbeatReporter* heartbeats = nullptr;
};

/// The tools of a session, run under its permissions.
class Toolbox final : public Tools {
 public:
  explicit Toolbox(ToolboxParts parts);

  bool update(const std::stop_token& stop) override;
  std::vector<std::string> names() const override;
  std::vector<ServerFacts> servers() const override;
  std::string definitions() const override;
  /// Tools that are not offered because ripgrep was not found.
  const std::vector<std::string>& without_ripgrep() const { return without_ripgrep_; }

  /// Runs calls concurrently, except those that change files.
  void run_calls(std::span<const api::Block* const> calls, const CallRoom& room,
                 const std::function<void(ToolCallResult)>& on_result,
                 const std::stop_token& stop) override;
  std::vector<tool::BackgroundTask> running_tasks() const override;

  /// nullptr: not offered. Call it where update() cannot run: from tools, hooks and approvers.
  const tool::Tool* find(std::string_view name) const;

  /// A call on behalf of the user, under the same rules, even if the model is not offered the tool. nullopt: denied or
  /// failed.
  std::optional<tool::Outcome> run_for_user(std::string_view tool, const json::Document& input,
                                            const std::stop_token& stop);

 private:
  bool is_parallel(const api::Block& call) const;
  ToolCallResult run_safely(const api::Block& call, const std::stop_token& stop);
  ToolCallResult run_one(const api::Block& call, const std::stop_token& stop);
  ToolCallResult run_if_permitted(const api::Block& call, const tool::Tool& tool,
                                  json::Document input, const std::stop_token& stop);
  /// nullopt: valid.
  std::optional<std::string> complaint(const tool::Tool& tool, const json::Document& input);

  ToolboxParts parts_;
  std::vector<const tool::Tool*> fixed_;  // without those of the source
  std::vector<const tool::Tool*> tools_;
  std::vector<const tool::Tool*> offered_;  // of tools_
  std::vector<std::string> without_ripgrep_;
  std::mutex mutex_;
  std::map<std::string, schema::Schema, std::less<>> schemas_;  // compiled when first needed
};

}  // namespace ralph::session
