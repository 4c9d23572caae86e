#include "agent/mcp/server_tool.h"

#include <nlohmann/json.hpp>

#include "agent/mcp/server.h"

namespace ralph::mcp {

tool::Outcome ServerTool::run(const json::Document& input, const tool::Access& access,
                              tool::Workspace& workspace, const std::stop_token& stop) const {
  auto outcome = server_.call(definition_, input, access.call_id, workspace, stop);
  const auto& on_failed = server_.surroundings().on_failed_call;
  if (!outcome.is_error.value_or(false) || !on_failed || !on_failed(name())) return outcome;
  const auto text = json::parse(outcome.content);
  if (!text || !text->is_string()) return outcome;
  outcome.content = json::write(json::Document(
      text->get<std::string>() +
      "\n\nThe parameters of this tool were not shown before the call; they are shown from now "
      "on. If the input did not match them, call it again."));
  return outcome;
}

}  // namespace ralph::mcp
