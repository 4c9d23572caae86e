#include "agent/session/events.h"
#include "core/base/id.h"
#include "core/json/writer.h"

namespace ralph::session {

using json::ObjectWriter;

std::string EventMaker::permission_denied(const api::Block& call,
                                          const permission::Decision& decision) const {
  std::string out;
  ObjectWriter writer(out);
  writer.text("type", "system")
      .text("subtype", "permission_denied")
      .text("tool_name", call.name)
      .text("tool_use_id", call.id);
  if (!decision.reason_type.empty()) writer.text("decision_reason_type", decision.reason_type);
  if (!decision.reason.empty()) writer.text("decision_reason", decision.reason);
  writer.text("message", decision.message)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::tasks_changed(const std::vector<tool::BackgroundTask>& tasks) const {
  std::string list = "[";
  for (const auto& task : tasks) {
    if (list.size() > 1) list += ',';
    ObjectWriter(list)
        .text("task_id", task.task_id)
        .text("task_type", "local_bash")
        .text("description", task.description)
        .close();
  }
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "background_tasks_changed")
      .raw("tasks", list + "]")
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::task_started(const tool::BackgroundTask& task) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_started")
      .text("task_id", task.task_id)
      .text("tool_use_id", task.tool_use_id)
      .text("description", task.description)
      .boolean("is_backgrounded", true)
      .text("task_type", "local_bash")
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::command_started(std::string_view id, const api::Block& call,
                                        std::string_view what) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_started")
      .text("task_id", id)
      .text("tool_use_id", call.id)
      .text("description", what)
      .boolean("is_backgrounded", false)
      .text("task_type", "local_bash")
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::heartbeat(const api::Block& call, std::int64_t beat, Millis elapsed) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "tool_progress")
      .text("tool_use_id", call.id + "-heartbeat-" + std::to_string(beat))
      .text("tool_name", call.name)
      .text("parent_tool_use_id", call.id)
      .number("elapsed_time_seconds", std::int64_t{elapsed.count() / 1000})
      .boolean("heartbeat", true)
      .text("session_id", session_id_)
      .text("uuid", make_uuid())
      .close();
  return out;
}

std::string EventMaker::command_ended(std::string_view id, const api::Block& call,
                                      std::string_view status, std::string_view what) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_notification")
      .text("task_id", id)
      .text("tool_use_id", call.id)
      .text("status", status)
      .text("output_file", "")
      .text("summary", what)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::task_updated(const tool::TaskNotification& ended) const {
  std::string patch, out;
  ObjectWriter(patch)
      .text("status", ended.status)
      .number("end_time", std::int64_t{now_utc().time_since_epoch().count()})
      .close();
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_updated")
      .text("task_id", ended.task_id)
      .raw("patch", patch)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

std::string EventMaker::task_notification(const tool::TaskNotification& ended) const {
  std::string out;
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "task_notification")
      .text("task_id", ended.task_id)
      .text("tool_use_id", ended.tool_use_id)
      .text("status", ended.status)
      .text("output_file", ended.output_file.string())
      .text("summary", ended.summary)
      .text("uuid", make_uuid())
      .text("session_id", session_id_)
      .close();
  return out;
}

}  // namespace ralph::session
