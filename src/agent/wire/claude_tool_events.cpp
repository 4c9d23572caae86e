#include "agent/wire/claude_json_impl.h"
#include "core/base/id.h"
#include "core/base/time.h"
#include "core/json/writer.h"

/// Tool calls, the commands they run, and background tasks.
namespace ralph::wire {

using json::ObjectWriter;

namespace {

std::string_view type_of(const tool::BackgroundTask& task) {
  return task.is_subagent() ? "local_agent" : "local_bash";
}

std::string usage_json(const tool::TaskUsage& usage) {
  std::string out;
  ObjectWriter(out)
      .number("total_tokens", usage.total_tokens)
      .number("tool_uses", usage.tool_uses)
      .number("duration_ms", std::int64_t{usage.duration.count()})
      .close();
  return out;
}

}  // namespace

std::string line(const session::Identity& from, const session::CallDenied& event) {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "permission_denied")
      .text("tool_name", event.call.name)
      .text("tool_use_id", event.call.id);
  if (event.decision.reason_type != permission::Reason::none) {
    writer.text("decision_reason_type", to_string(event.decision.reason_type));
  }
  if (!event.decision.reason.empty()) writer.text("decision_reason", event.decision.reason);
  writer.text("message", event.decision.message)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TasksChanged& event) {
  std::string list = "[";
  for (const auto& task : event.tasks) {
    if (list.size() > 1) list += ',';
    ObjectWriter one(list);
    one.text("task_id", task.task_id).text("task_type", type_of(task));
    if (task.is_subagent()) one.text("subagent_type", task.agent_type);
    one.text("description", task.description).close();
  }
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "background_tasks_changed")
      .raw("tasks", list + "]")
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TaskStarted& event) {
  const auto& task = event.task;
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "task_started")
      .text("task_id", task.task_id)
      .text("tool_use_id", task.tool_use_id)
      .text("description", task.description);
  if (task.is_subagent()) {
    writer.text("subagent_type", task.agent_type)
        .number("spawn_depth", std::int64_t{1})
        .text("prompt", task.prompt);
  }
  writer.boolean("is_backgrounded", task.in_background)
      .text("task_type", type_of(task))
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TaskProgress& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_progress")
      .text("task_id", event.task.task_id)
      .text("tool_use_id", event.task.tool_use_id)
      .text("description", event.doing)
      .text("subagent_type", event.task.agent_type)
      .raw("usage", usage_json(event.usage))
      .text("last_tool_name", event.tool)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::CommandStarted& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_started")
      .text("task_id", event.id)
      .text("tool_use_id", event.call.id)
      .text("description", event.description)
      .boolean("is_backgrounded", false)
      .text("task_type", "local_bash")
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::CommandRunning& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "tool_progress")
      .text("tool_use_id", event.call.id + "-heartbeat-" + std::to_string(event.beat))
      .text("tool_name", event.call.name)
      .text("parent_tool_use_id", event.call.id)
      .number("elapsed_time_seconds", std::int64_t{event.elapsed.count() / 1000})
      .boolean("heartbeat", true)
      .text("session_id", from.session_id())
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::CommandEnded& event) {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_notification")
      .text("task_id", event.id)
      .text("tool_use_id", event.call.id)
      .text("status", to_string(event.status))
      .text("output_file", "")
      .text("summary", event.description)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TaskUpdated& event) {
  std::string patch, out;
  ObjectWriter(patch)
      .text("status", to_string(event.task.status))
      .number("end_time", std::int64_t{now_utc().time_since_epoch().count()})
      .close();
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_updated")
      .text("task_id", event.task.task_id)
      .raw("patch", patch)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::TaskEnded& event) {
  const bool killed = event.task.status == tool::TaskStatus::killed;
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "task_notification")
      .text("task_id", event.task.task_id)
      .text("tool_use_id", event.task.tool_use_id)
      .text("status", killed ? "stopped" : to_string(event.task.status))
      .text("output_file", event.task.output_file.string())
      .text("summary", event.task.summary);
  if (event.task.is_subagent()) writer.raw("usage", usage_json(event.task.usage));
  writer.text("uuid", make_uuid()).text("session_id", from.session_id()).close();
  return out;
}

}  // namespace ralph::wire
