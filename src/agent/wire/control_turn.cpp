#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

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

struct FileEnd {
  std::string text;  // the last kShownOutput bytes
  std::size_t total_bytes = 0;
};

/// Of a file that others may be writing.
Result<FileEnd> end_of_file(const std::filesystem::path& path) {
  TRY_ASSIGN(const auto file, tool::open_for_reading(path));
  const auto size = static_cast<std::size_t>(file.stamp.size);
  FileEnd end{std::string(std::min(size, kShownOutput), '\0'), size};
  std::size_t got = 0;
  while (got < end.text.size()) {
    const auto at = static_cast<off_t>(size - end.text.size() + got);
    const auto count = ::pread(file.fd.get(), end.text.data() + got, end.text.size() - got, at);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return fail_errno(errno, fmt::format("cannot read '{}'", path.string()));
    if (count == 0) break;  // it became shorter
    got += static_cast<std::size_t>(count);
  }
  end.text.resize(got);
  return end;
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
  if (!parts.subagents.end(id)) parts.tasks.end(id, tool::Ender::user);
  return success(Document::object());  // as Claude Code does, also for an unknown task
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
  const auto output = end_of_file(real_path(task->output_file));
  if (!output) return refusal("get_task_output: " + describe(output.error()));
  return success({{"output", utf8::repaired(output->text)},
                  {"total_bytes", output->total_bytes},
                  {"truncated", output->text.size() < output->total_bytes}});
}

}  // namespace ralph::wire
