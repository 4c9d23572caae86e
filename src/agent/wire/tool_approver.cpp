#include "agent/wire/tool_approver.h"

#include <utility>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "core/json/field.h"

namespace ralph::wire {
namespace {

using json::Document;

/// The text of a result: a string, or the texts of its blocks.
std::string result_text(const std::string& content) {
  const auto parsed = json::parse(content).value_or(Document());
  if (parsed.is_string()) return parsed.get<std::string>();
  std::string text;
  for (const auto& block : parsed) text += json::text(block, "text");
  return text;
}

}  // namespace

Result<session::Approval> ToolApprover::ask(const session::ApprovalRequest& request,
                                            const std::stop_token& stop) {
  const auto* const tool = find_(name_);
  if (tool == nullptr) {
    return fail(Code::not_found,
                fmt::format("there is no tool {} (--permission-prompt-tool)", name_));
  }
  const Document input{
      {"tool_name", request.call.name}, {"input", request.input}, {"tool_use_id", request.call.id}};
  auto access = tool->access(input, workspace_);
  access.grant = permission::Grant::user;
  access.call_id = request.call.id;
  const auto outcome = tool->run(input, access, workspace_, stop);
  const auto text = result_text(outcome.content);
  if (outcome.is_error.value_or(false)) {
    return fail(Code::unavailable, fmt::format("{} failed: {}", name_, text));
  }
  const auto answer = json::parse(text, "the result of " + name_);
  if (!answer) return std::unexpected(answer.error());
  return read_approval(*answer, targets_);
}

}  // namespace ralph::wire
