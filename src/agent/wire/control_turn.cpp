#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "agent/tool/safe_file.h"
#include "agent/wire/control_requests_impl.h"
#include "core/base/path.h"
#include "core/base/utf8.h"
#include "core/json/field.h"

/// Requests about the turn that runs, waiting messages and background tasks.
namespace ralph::wire {
namespace {

using json::Document;

constexpr std::size_t kShownOutput = 8192;
constexpr std::size_t kLargestOutput = std::size_t{64} << 20;

bool cancel(AgentParts& parts, const std::string& uuid) {
  if (!parts.inbox.cancel(uuid)) return false;
  parts.meter.emit(parts.identity,
                   session::MessageProgress{uuid, session::MessageState::cancelled});
  return true;
}

Document cancel_all(AgentParts& parts) {
  auto cancelled = Document::array();
  for (const auto& uuid : parts.inbox.waiting()) {
    if (cancel(parts, uuid)) cancelled.push_back(uuid);
  }
  return cancelled;
}

}  // namespace

/// The client must first read that its open permission requests are withdrawn, then the answer, then the result.
ControlReply serve_interrupt(AgentParts& parts, const Document& request) {
  parts.client.withdraw("can_use_tool");
  Document payload = Document::object();
  if (json::boolean(request, "cancel_queued")) payload["cancelled"] = cancel_all(parts);
  payload["still_queued"] = parts.inbox.waiting();
  auto reply = success(std::move(payload));
  reply.after = [&parts] {
    parts.control.interrupt();
    parts.client.end_withdrawn();
  };
  return reply;
}

ControlReply serve_cancel_async_message(AgentParts& parts, const Document& request) {
  return success({{"cancelled", cancel(parts, json::text(request, "message_uuid"))}});
}

ControlReply serve_stop_task(AgentParts& parts, const Document& request) {
  const auto id = json::text(request, "task_id");
  if (!parts.subagents.end(id)) parts.tasks.end(id, tool::Stopper::client);
  return success(Document::object());
}

/// A command of the foreground is not moved.
ControlReply serve_background_tasks(AgentParts&, const Document& request) {
  if (!json::text(request, "tool_use_id").empty()) return success({{"backgrounded", false}});
  return success(Document::object());
}

ControlReply serve_get_task_output(AgentParts& parts, const Document& request) {
  const auto id = json::text(request, "task_id");
  const auto tasks = parts.tasks.list();
  const auto task = std::ranges::find(tasks, id, &tool::BackgroundTask::task_id);
  if (task == tasks.end()) {
    return refusal("get_task_output: no background task of this session has that task_id");
  }
  const auto read = tool::read_regular_file(real_path(task->output_file), kLargestOutput);
  const auto& output = read ? *read : std::string();
  const auto shown = std::min(output.size(), kShownOutput);
  return success({{"output", utf8::repaired(output.substr(output.size() - shown))},
                  {"total_bytes", output.size()},
                  {"truncated", shown < output.size()}});
}

}  // namespace ralph::wire
