#pragma once
// Private to this module's .cpp files.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "agent/wire/agent_parts_impl.h"
#include "core/json/document.h"

namespace ralph::wire {

/// The answer to a control request.
struct ControlReply {
  std::optional<json::Document> payload = {};        // of success; nullopt: none
  std::string error = {}, error_code = {};           // of a refusal
  json::Document beside = json::Document::object();  // more members of the response
  std::function<void()> after = {};                  // once it is written
};

inline ControlReply success() { return {}; }
inline ControlReply success(json::Document payload) { return {.payload = std::move(payload)}; }
inline ControlReply refusal(std::string error, std::string code = {}) {
  return {.error = std::move(error), .error_code = std::move(code)};
}

/// One function per request: `request` is an object. They run on the thread that reads stdin, also during a turn, and do
/// not wait.
using ServeControl = ControlReply(AgentParts& parts, const json::Document& request);

// control_initialize.cpp
ServeControl serve_initialize;
// control_turn.cpp
ServeControl serve_interrupt, serve_cancel_async_message, serve_stop_task, serve_background_tasks,
    serve_get_task_output;
// control_choices.cpp
ServeControl serve_set_model, serve_set_permission_mode, serve_set_max_thinking_tokens,
    serve_apply_flag_settings, serve_rename_session;
// control_usage.cpp
ServeControl serve_get_context_usage, serve_get_session_cost, serve_get_usage;
// control_lists.cpp
ServeControl serve_list_models, serve_get_binary_version, serve_reload_plugins, serve_reload_skills,
    serve_reload_output_styles, serve_get_settings, serve_list_permission_rules;
// control_files.cpp
ServeControl serve_read_file, serve_file_suggestions, serve_seed_read_state, serve_rewind_files;
// control_mcp.cpp
ServeControl serve_mcp_status, serve_mcp_set_servers, serve_mcp_reconnect, serve_mcp_toggle;

/// The commands that a client can offer to its user.
json::Document command_list(const AgentParts& parts);
json::Document agent_list(const AgentParts& parts);
/// Clients treat an empty list as an error.
json::Document model_list(const AgentParts& parts);
json::Document output_style_list();
/// The MCP servers of the session, with their tools.
json::Document server_list(const AgentParts& parts);
/// Servers inside the client, by their names.
void add_client_servers(AgentParts& parts, const std::vector<std::string>& names);

}  // namespace ralph::wire
