#include <array>
#include <span>

#include <fmt/core.h>

#include "core/json/raw.h"
#include "harness/stream/claude_impl.h"

namespace ralph::stream {

std::span<const ClaudeDialect::Row> ClaudeDialect::system_rows() {
  static constexpr std::array kRows = std::to_array<Row>({
      {"init", &ClaudeDialect::init},
      {"status", &ClaudeDialect::status},
      {"api_retry", &ClaudeDialect::api_retry},
      {"thinking_tokens", &ClaudeDialect::thinking_tokens},
      {"permission_denied", &ClaudeDialect::permission_denied},
      {"hook_started", &ClaudeDialect::hook},
      {"hook_response", &ClaudeDialect::hook},
      {"task_started", &ClaudeDialect::task},
      {"task_progress", &ClaudeDialect::task},
      {"task_updated", &ClaudeDialect::task},
      {"task_notification", &ClaudeDialect::task},
      {"background_tasks_changed", &ClaudeDialect::background_tasks},
      {"compact_boundary", &ClaudeDialect::compact_boundary},
      {"informational", &ClaudeDialect::informational},
      {"notification", &ClaudeDialect::informational},
      {"model_fallback", &ClaudeDialect::model_change},
      {"model_refusal_no_fallback", &ClaudeDialect::model_change},
      {"session_writes_lost", &ClaudeDialect::writes_lost},
      {"session_title_changed", &ClaudeDialect::detail_only},
      {"ui_invalidate", &ClaudeDialect::detail_only},
  });
  return kRows;
}

/// Comes at the start of every turn; only the first one of a session starts it.
void ClaudeDialect::init(const Line& line) {
  const auto session_id = line.root["session_id"].text();
  if (session_id != session_id_ || turns_ == 0) {
    session_id_ = session_id;
    SessionStarted started;
    started.session_id = session_id;
    started.model = line.root["model"].text();
    started.cwd = line.root["cwd"].text();
    started.agent_version = line.root["claude_code_version"].text();
    started.permission_mode = line.root["permissionMode"].text();
    started.tools.text = json::locate(line.text, {"tools"});
    line.emit(started);
  }
  line.emit(TurnStarted{++turns_});
}

void ClaudeDialect::status(const Line& line) {
  const auto status = line.root["status"].text();
  if (const auto mode = line.root["permissionMode"].text(); !mode.empty()) {
    line.note(Level::info, "permission_mode", mode);
  } else if (status == "compacting") {
    line.note(Level::info, "compaction", "compacting the conversation");
  } else if (const auto outcome = line.root["compact_result"].text(); !outcome.empty()) {
    const auto why = line.root["compact_error"].text();
    line.note(outcome == "success" ? Level::debug : Level::warning, "compaction",
              keep(why.empty() ? fmt::format("compaction: {}", outcome)
                               : fmt::format("compaction: {} ({})", outcome, why)));
  } else {
    line.note(Level::debug, "status", status);
  }
}

void ClaudeDialect::api_retry(const Line& line) {
  const auto word = line.root["error"].text();
  const auto told =
      line.root["error_message"].text();  // ralph's own agent names what it could not reach
  const auto message = told.empty() && word != "unknown" ? word : told;
  const auto http_status = line.root["error_status"].maybe_integer();
  line.emit(Retry{line.root["attempt"].integer(), line.root["max_retries"].maybe_integer(),
                  line.root["retry_delay_ms"].maybe_integer(), http_status,
                  classify_error(word, http_status), message});
}

void ClaudeDialect::thinking_tokens(const Line& line) {
  line.note(Level::debug, "thinking_tokens", {}, line.root["estimated_tokens"].maybe_integer());
}

void ClaudeDialect::permission_denied(const Line& line) {
  const auto call_id = line.root["tool_use_id"].text();
  const auto tool = line.root["tool_name"].text();
  if (const auto call = calls_.find(call_key(call_id)); call != calls_.end())
    call->second.denied = true;
  line.emit(
      ErrorEvent{ErrorClass::permission,
                 keep(fmt::format("{} was not permitted: {}", tool, line.root["message"].text())),
                 {},
                 {},
                 call_id,
                 tool});
}

void ClaudeDialect::hook(const Line& line) {
  const auto name = line.root["hook_name"].text();
  const auto outcome = line.root["outcome"].text();
  if (outcome.empty()) {
    line.note(Level::debug, "hook", keep(fmt::format("hook {} started", name)));
    return;
  }
  line.note(outcome == "success" ? Level::debug : Level::info, "hook",
            keep(fmt::format("hook {}: {}", name, outcome)),
            line.root["exit_code"].maybe_integer());
}

void ClaudeDialect::task(const Line& line) {
  const auto word = line.root["subtype"].text();
  const auto status = line.root["status"].text();
  std::string_view about = line.root["summary"].text();
  if (about.empty()) about = line.root["description"].text();
  if (about.empty()) about = line.root["patch"]["status"].text();
  std::string message = fmt::format("task {}", line.root["task_id"].text());
  if (word == "task_started") message += " started";
  if (!status.empty()) message += fmt::format(" {}", status);
  if (!about.empty()) message += fmt::format(": {}", about);
  const bool for_people = word == "task_started" || word == "task_notification";
  line.note(for_people ? Level::info : Level::debug, word, keep(std::move(message)));
}

void ClaudeDialect::background_tasks(const Line& line) {
  std::int64_t running = 0;
  line.root["tasks"].each([&](View) { ++running; });
  line.note(Level::debug, kBackgroundTasks, keep(fmt::format("{} background tasks", running)),
            running);
}

void ClaudeDialect::compact_boundary(const Line& line) {
  const auto about = line.root["compact_metadata"];
  line.note(
      Level::info, "compaction",
      keep(fmt::format("conversation compacted ({}): {} tokens became {}", about["trigger"].text(),
                       about["pre_tokens"].integer(), about["post_tokens"].integer())),
      about["post_tokens"].maybe_integer());
}

void ClaudeDialect::informational(const Line& line) {
  const auto content = line.root["content"].text();
  line.note(line.root["level"].text() == "warning" ? Level::warning : Level::info,
            line.root["subtype"].text(), content.empty() ? line.root["text"].text() : content);
}

void ClaudeDialect::writes_lost(const Line& line) {
  const auto content = line.root["content"].text();
  line.note(Level::warning, "session_writes_lost",
            content.empty() ? "the agent could not keep all of its session" : content);
}

void ClaudeDialect::model_change(const Line& line) {
  const auto content = line.root["content"].text();
  line.note(Level::warning, line.root["subtype"].text(),
            content.empty() ? "the model refused and no fallback model is set" : content);
}

/// Known, but of no use to anybody outside the agent.
void ClaudeDialect::detail_only(const Line& line) {
  line.note(Level::debug, line.root["subtype"].text(), line.root["title"].text());
}

}  // namespace ralph::stream
