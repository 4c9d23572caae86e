#include <utility>

#include <fmt/core.h>

#include "agent/text.h"
#include "agent/turn.h"
#include "base/id.h"
#include "json/writer.h"

namespace ralph::agent {
namespace {

constexpr std::string_view kStructuredDone = "Structured output provided successfully";

}  // namespace

Turn::Ended Turn::run_tools(const api::Reply& reply) {
  for (const auto& block : reply.content) {
    if (block.type == "tool_use") run_tool(block);
  }
  if (structured_) return finished("", reply.stop_reason);
  if (structured_failures_ >= parts_.max_structured_failures) {
    return limit("error_max_structured_output_retries", "structured_output_retry_exhausted",
                 fmt::format("Failed to provide valid structured output after {} attempts",
                             structured_failures_),
                 reply.stop_reason);
  }
  const auto most = parts_.options.max_turns.value_or(0);
  if (most > 0 && requests_ >= most) {
    return limit("error_max_turns", "max_turns",
                 fmt::format("Reached maximum number of turns ({})", most), reply.stop_reason);
  }
  fold_in_messages();
  return std::nullopt;
}

void Turn::run_tool(const api::Block& call) {
  if (parts_.structured == nullptr || call.name != StructuredOutput::kName) {
    return answer_call(call, "Error: No such tool available: " + call.name, true, false);
  }
  const auto complaint = parts_.structured->complaint(call.input);
  if (!complaint) {
    structured_ = call.input;
    return answer_call(call, kStructuredDone, false, true);
  }
  ++structured_failures_;
  answer_call(call, *complaint, true, true);
}

/// `known`: there is such a tool; what went wrong is the call's fault.
void Turn::answer_call(const api::Block& call, std::string_view text, bool is_error, bool known) {
  std::string result;
  json::ObjectWriter writer(result);
  writer.text("tool_use_id", call.id).text("type", "tool_result");
  writer.text("content",
              known ? std::string(text) : fmt::format("<tool_use_error>{}</tool_use_error>", text));
  if (is_error) writer.boolean("is_error", true);
  writer.close();

  UserExtras extras;
  extras.uuid = make_uuid();
  extras.tool_use_result = json_string(is_error && known ? fmt::format("Error: {}", text) : text);
  if (known) {
    extras.tool_result_meta = fmt::format(
        R"([{{"id":{},"permission_decision":{{"decision":"accept","source":"config"}}}}])",
        json_string(call.id));
  }
  ++added_messages_;
  const auto content = "[" + result + "]";
  parts_.conversation.add_user(content, extras.uuid, "\"toolUseResult\":" + extras.tool_use_result);
  parts_.wire.event(parts_.events.user(content, extras));
}

/// What the user said while the tools ran goes to the model with their results.
void Turn::fold_in_messages() {
  for (const auto& message : parts_.inbox.take_now()) {
    start(message);
    hear(message);
  }
}

}  // namespace ralph::agent
