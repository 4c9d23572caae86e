#include "agent/wire/mcp_approver.h"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "agent/wire/client_approver.h"
#include "core/json/field.h"

namespace ralph::wire {
namespace {

/// The text of a result: a string, or the first text block.
std::string answer_text(const tool::Outcome& outcome) {
  const auto content = json::parse(outcome.content).value_or(json::Document());
  if (content.is_string()) return content.get<std::string>();
  return content.is_array() && !content.empty() ? json::text(content.front(), "text") : "";
}

}  // namespace

Result<session::Approval> McpApprover::ask(const session::ApprovalRequest& request,
                                           const std::stop_token& stop) {
  const auto* const tool = servers_.find(tool_);
  if (tool == nullptr) {
    return fail(Code::not_found,
                fmt::format("MCP tool {} (--permission-prompt-tool) not found", tool_));
  }
  const json::Document input{
      {"tool_name", request.call.name}, {"input", request.input}, {"tool_use_id", request.call.id}};
  const auto outcome = tool->run(input, {}, workspace_, stop);
  const auto text = answer_text(outcome);
  if (outcome.is_error.value_or(false)) return fail(Code::unavailable, text);
  const auto answer = json::parse(text, fmt::format("the answer of {}", tool_));
  if (!answer) return std::unexpected(answer.error());
  return read_approval(*answer, policy_);
}

}  // namespace ralph::wire
