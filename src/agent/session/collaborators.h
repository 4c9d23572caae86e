#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/api/client.h"
#include "agent/api/reply.h"
#include "agent/api/request.h"
#include "agent/permission/decide.h"
#include "agent/session/event.h"
#include "agent/tool/background.h"
#include "agent/tool/tool.h"
#include "agent/tool/workspace.h"

namespace ralph::session {

/// The model a session asks.
class Model {
 public:
  virtual ~Model() = default;
  /// False: there is no credential.
  virtual bool available() const = 0;
  virtual api::Answer ask(const api::Request& request, api::Listener& listener,
                          const std::stop_token& stop) = 0;
};

/// A call of the model and its result.
struct ToolCallResult {
  const api::Block* call = nullptr;
  tool::Outcome outcome = {};
  std::optional<CallDecision> decision = {};        // nullopt: there was nothing to decide
  std::optional<permission::Decision> denied = {};  // it was not run
  std::vector<std::string> contexts = {};           // texts of hooks for the model
  bool interrupt = false;                           // the user wants the turn to end
  std::optional<std::string> stop = {};             // a hook wants the turn to end; why
};

/// How much the calls of one reply may add to the conversation.
struct CallRoom {
  std::int64_t read_tokens = 0;  // see Workspace::set_read_room
  tool::Media media;             // see Workspace::set_media_room
};

/// The tools a session offers to the model. The list changes only in update().
class Tools {
 public:
  virtual ~Tools() = default;
  /// Takes over changes, such as new tools of an MCP server. Called between requests. False: there are none.
  virtual bool update(const std::stop_token& stop) = 0;
  /// All that can be called, also those that are not offered yet.
  virtual std::vector<std::string> names() const = 0;
  virtual std::vector<ServerFacts> servers() const { return {}; }
  /// Of the offered ones, in the form of the API: JSON objects, joined by commas.
  virtual std::string definitions() const = 0;
  /// Runs the calls of one reply and passes each result to `on_result` on this thread. Returns after the last one; a stop
  /// request makes the calls end early.
  virtual void run_calls(std::span<const api::Block* const> calls, const CallRoom& room,
                         const std::function<void(ToolCallResult)>& on_result,
                         const std::stop_token& stop) = 0;
  /// Commands that run in the background.
  virtual std::vector<tool::BackgroundTask> running_tasks() const = 0;
};

}  // namespace ralph::session
