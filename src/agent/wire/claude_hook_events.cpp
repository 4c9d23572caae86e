#include <fmt/core.h>

#include "agent/wire/claude_json_impl.h"
#include "core/base/id.h"
#include "core/base/utf8.h"

/// Hooks.
namespace ralph::wire {

using json::ObjectWriter;

namespace {

/// Clients reject lines that are too long.
constexpr std::size_t kMostShown = std::size_t{64} << 10;

std::string_view shortened_output(std::string_view text) { return utf8::prefix(text, kMostShown); }

ObjectWriter& begin_hook(ObjectWriter& writer, std::string_view subtype,
                         const hook::HookStart& start) {
  return writer.text("type", "system")
      .text("subtype", subtype)
      .text("hook_id", start.id)
      .text("hook_name", start.name)
      .text("hook_event", to_string(start.event));
}

}  // namespace

std::string line(const session::Identity& from, const session::HookStarted& event) {
  std::string out;
  ObjectWriter writer(out);
  begin_hook(writer, "hook_started", event.start)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::HookEnded& event) {
  const auto& end = event.end;
  std::string out;
  ObjectWriter writer(out);
  begin_hook(writer, "hook_response", event.start)
      .text("output", shortened_output(end.out + end.err))
      .text("stdout", shortened_output(end.out))
      .text("stderr", shortened_output(end.err.empty() ? end.problem : end.err));
  if (end.exit_code) writer.number("exit_code", std::int64_t{*end.exit_code});
  writer.text("outcome", to_string(end.outcome))
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

std::string line(const session::Identity& from, const session::PromptBlocked& event) {
  std::string outcome, out;
  ObjectWriter(outcome)
      .text("kind", "blocked_by_hook")
      .boolean("prompt_kept", false)
      .text("reason", event.reason)
      .close();
  ObjectWriter(out)
      .text("type", "system")
      .text("subtype", "informational")
      .text("content", event.text)
      .text("level", "warning")
      .boolean("prevent_continuation", true)
      .raw("prompt_submit_outcome", outcome)
      .text("uuid", make_uuid())
      .text("session_id", from.session_id())
      .close();
  return out;
}

}  // namespace ralph::wire
