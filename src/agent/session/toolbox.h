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
#include "agent/permission/decide.h"
#include "agent/session/heartbeat_reporter.h"
#include "agent/settings/options.h"
#include "agent/tool/tool.h"
#include "agent/tool/workspace.h"
#include "core/json/schema.h"

namespace ralph::session {

/// A call of the model, and what came of it.
struct ToolCallResult {
  const api::Block* call = nullptr;
  tool::Outcome outcome;
  std::string meta;                            // an object of `tool_result_meta`, JSON; empty: none
  std::optional<permission::Decision> denied;  // it was not run
};

/// The tools of a session: which there are, who may use them, and how a message's calls are run.
class Toolbox {
 public:
  /// `more`: tools of this session beside those every session has; they outlive the toolbox.
  Toolbox(tool::Workspace& workspace, const settings::Options& options, permission::Mode mode,
          permission::Rules rules, std::span<const tool::Tool* const> more = {});

  std::vector<std::string> names() const;
  /// Those that are left out because they need ripgrep, which was not found.
  const std::vector<std::string>& without_ripgrep() const { return without_ripgrep_; }
  /// As the API is told of them: JSON objects, joined by commas.
  std::string definitions() const;

  /// Runs the calls side by side, those that change files alone, and tells each when it is done, on this thread. Returns
  /// when all are told; after a stop request they come to their end soon.
  void run_calls(std::span<const api::Block* const> calls,
                 const std::function<void(ToolCallResult)>& tell, const std::stop_token& stop);

  /// A call the user's own words make, under the same rules, whether or not the model has the tool. nullopt: it may not be
  /// made, or it failed.
  std::optional<tool::Outcome> run_for_user(std::string_view tool, const json::Document& input,
                                            const std::stop_token& stop);

  /// See Workspace::set_read_room.
  void set_read_room(std::int64_t tokens) { workspace_.set_read_room(tokens); }
  /// See Workspace::set_media_room.
  void set_media_room(const tool::Media& room) { workspace_.set_media_room(room); }

  /// Calls that take long are told of from here on.
  void watch_with(HeartbeatReporter& heartbeats) { heartbeats_ = &heartbeats; }

  permission::Mode mode() const;
  void set_mode(permission::Mode mode);

 private:
  permission::Decision decide(const tool::Tool& tool, const json::Document& input,
                              const permission::Access& access) const;
  const tool::Tool* find(std::string_view name) const;
  bool runs_beside_others(const api::Block& call) const;
  ToolCallResult run_safely(const api::Block& call, const std::stop_token& stop);
  ToolCallResult run_one(const api::Block& call, const std::stop_token& stop);
  /// nullopt: it is good.
  std::optional<std::string> complaint(const tool::Tool& tool, const json::Document& input);

  tool::Workspace& workspace_;
  permission::Rules rules_;
  bool no_prompts_;  // --permission-prompts none
  HeartbeatReporter* heartbeats_ = nullptr;
  std::vector<const tool::Tool*> tools_;
  std::vector<std::string> without_ripgrep_;
  mutable std::mutex mutex_;
  permission::Mode mode_;
  std::map<std::string, json::Schema, std::less<>> schemas_;  // compiled when first needed
};

}  // namespace ralph::session
