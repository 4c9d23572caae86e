#include "agent/wire/control_request_handler.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "agent/wire/control_requests_impl.h"
#include "core/json/writer.h"

namespace ralph::wire {
namespace {

/// Nothing has to be done: what they change does not exist here.
ControlReply serve_nothing(AgentParts&, const json::Document&) { return success(); }

struct ControlRow {
  std::string_view subtype;
  ServeControl* serve;
};

constexpr auto kControlRows = std::to_array<ControlRow>({
    {"initialize", serve_initialize},
    {"interrupt", serve_interrupt},
    {"cancel_async_message", serve_cancel_async_message},
    {"stop_task", serve_stop_task},
    {"background_tasks", serve_background_tasks},
    {"get_task_output", serve_get_task_output},
    {"set_model", serve_set_model},
    {"set_permission_mode", serve_set_permission_mode},
    {"set_max_thinking_tokens", serve_set_max_thinking_tokens},
    {"apply_flag_settings", serve_apply_flag_settings},
    {"rename_session", serve_rename_session},
    {"get_context_usage", serve_get_context_usage},
    {"get_session_cost", serve_get_session_cost},
    {"get_usage", serve_get_usage},
    {"list_models", serve_list_models},
    {"get_binary_version", serve_get_binary_version},
    {"reload_plugins", serve_reload_plugins},
    {"reload_skills", serve_reload_skills},
    {"reload_output_styles", serve_reload_output_styles},
    {"get_settings", serve_get_settings},
    {"list_permission_rules", serve_list_permission_rules},
    {"read_file", serve_read_file},
    {"file_suggestions", serve_file_suggestions},
    {"seed_read_state", serve_seed_read_state},
    {"rewind_files", serve_rewind_files},
    {"mcp_status", serve_mcp_status},
    {"mcp_set_servers", serve_mcp_set_servers},
    {"mcp_reconnect", serve_mcp_reconnect},
    {"mcp_toggle", serve_mcp_toggle},
    {"set_has_subscribers", serve_nothing},
});

ControlReply serve(AgentParts& parts, const ControlRequest& request) {
  const auto parsed = json::parse(request.request);
  if (!parsed || !parsed->is_object()) {
    return refusal("'request' must be an object", "invalid_request");
  }
  const auto* const row = std::ranges::find(kControlRows, request.subtype, &ControlRow::subtype);
  if (row == kControlRows.end()) {
    return refusal("Unsupported control request subtype: " + request.subtype,
                   "unsupported_request");
  }
  return row->serve(parts, *parsed);
}

std::string response_line(std::string_view id, const ControlReply& reply) {
  std::string response;
  json::ObjectWriter writer(response);
  writer.text("subtype", reply.error.empty() ? "success" : "error").raw("request_id", id);
  if (reply.payload) writer.raw("response", json::write(*reply.payload));
  if (!reply.error.empty()) writer.text("error", reply.error);
  if (!reply.error_code.empty()) writer.text("error_code", reply.error_code);
  for (const auto& [name, value] : reply.beside.items()) writer.raw(name, json::write(value));
  writer.close();
  std::string line;
  json::ObjectWriter(line).text("type", "control_response").raw("response", response).close();
  return line;
}

}  // namespace

void ControlRequestHandler::handle(const ControlRequest& request) {
  const auto reply = serve(parts_, request);
  writer_.event(response_line(request.id, reply));
  if (reply.after) reply.after();
}

}  // namespace ralph::wire
