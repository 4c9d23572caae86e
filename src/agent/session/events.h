#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/changing_id.h"
#include "agent/api/client.h"
#include "agent/api/reply.h"
#include "core/base/time.h"
#include "agent/tool/background.h"
#include "agent/permission/decide.h"

namespace ralph::session {

/// What `system/init` tells.
struct InitFacts {
  std::string cwd;
  std::vector<std::string> tools;
  std::string model;
  std::string permission_mode;
  std::string key_source;  // "ANTHROPIC_API_KEY", "none" …
  std::vector<std::string> add_dirs;
  std::vector<std::string> slash_commands;  // without the slash
  std::vector<std::string> skills;
};

/// The messages of the input a turn answers, by the ids they came with; empty: they had none.
using MessageIds = std::vector<std::string>;

struct AssistantExtras {
  std::string uuid;
  MessageIds answers;
  bool aborted = false;
  std::optional<Millis> thinking_duration;
  std::string thinking_display;
  std::vector<std::string> supersedes;  // uuids of events that count no more
};

/// An answer the agent makes up itself because there is none.
struct ApiErrorFacts {
  std::string uuid;  // empty: a new one
  std::string text;
  std::string error;  // "authentication_failed"
  std::string stop_reason = "stop_sequence";
  std::string request_id;
  std::optional<int> status;
  std::string type;       // "authentication_error"
  std::string api_error;  // "connection_failed"
  std::string params;     // JSON object; empty: none
  std::string refused_message_id;
  std::optional<std::int64_t> resets_at;  // of a rate limit, Unix seconds
};

struct UserExtras {
  std::string uuid;
  bool synthetic = false;
  std::optional<bool> replay;    // nullopt: not said
  std::string tool_use_result;   // JSON
  std::string tool_result_meta;  // JSON
  std::vector<std::string> retracted;
  std::string refused_message_id;
};

/// A compaction, as the client and the session's file are told of it.
struct CompactFacts {
  std::string uuid;
  std::string trigger;  // "auto", "manual"
  std::int64_t pre_tokens = 0;
  std::int64_t post_tokens = 0;
  std::int64_t dropped_tokens = 0;  // by all compactions of the session
  Millis duration{0};
  std::string logical_parent;  // the uuid of the last line before it
};

/// The first request of a turn that was answered.
struct FirstRequest {
  std::int64_t sent_ms = 0;  // since 1970
  std::int64_t input_tokens = 0;
  std::int64_t cache_read_tokens = 0;
};

/// What `result` tells.
struct ResultFacts {
  std::string subtype = "success";
  bool is_error = false;
  std::string text;                              // of success
  std::vector<std::string> errors;               // of the others
  std::optional<std::string> structured_output;  // JSON
  std::int64_t num_turns = 0;
  std::string stop_reason;      // empty: none
  std::string terminal_reason;  // empty: none
  std::optional<int> api_error_status;
  std::string api_error_type;
  std::string api_error;
  api::Usage usage;
  double total_cost_usd = 0;
  std::string model_usage = "{}";
  std::string recent_model_usage = "{}";
  std::string denials = "[]";  // JSON
  Millis duration{0};
  Millis api_duration{0};
  std::optional<Millis> to_request, to_stream, to_first_token;
  std::optional<FirstRequest> first_request;
  std::int64_t safety_stops = 0;  // answers a safety check ended
  std::int64_t index = 0;
  MessageIds answers;
  std::string local_command;  // it answered, and no model; empty: a turn
  bool of_task = false;       // no user asked: a background task has ended
};

/// Makes the events of one session, each a JSON object on one line. Content and messages are JSON text.
class EventMaker {
 public:
  explicit EventMaker(std::string session_id) : session_id_(std::move(session_id)) {}

  std::string init(const InitFacts& facts, const MessageIds& answers) const;
  std::string requesting() const;
  std::string title_changed(std::string_view title) const;
  std::string api_retry(const api::Retry& retry) const;
  std::string thinking_tokens(std::int64_t total, std::int64_t delta) const;
  std::string model_fallback(std::string_view from, std::string_view to,
                             std::string_view content) const;
  std::string informational(std::string_view content) const;
  std::string refused(std::string_view model, const api::Reply& reply,
                      std::string_view user_uuid) const;
  std::string permission_denied(const api::Block& call, const permission::Decision& decision) const;
  std::string tasks_changed(const std::vector<tool::BackgroundTask>& tasks) const;
  std::string task_started(const tool::BackgroundTask& task) const;
  std::string task_updated(const tool::TaskNotification& ended) const;
  std::string task_notification(const tool::TaskNotification& ended) const;
  /// A command that runs in a call, for a while now; that it still does; and how it ended.
  std::string command_started(std::string_view id, const api::Block& call,
                              std::string_view what) const;
  std::string heartbeat(const api::Block& call, std::int64_t beat, Millis elapsed) const;
  std::string command_ended(std::string_view id, const api::Block& call, std::string_view status,
                            std::string_view what) const;
  std::string compacting(std::string_view trigger) const;
  /// `error`: empty when it went well.
  std::string compact_ended(std::string_view error) const;
  std::string compact_boundary(const CompactFacts& facts) const;
  std::string writes_lost(std::string_view why) const;
  std::string assistant(const api::Reply& reply, std::string_view block,
                        const AssistantExtras& extras) const;
  std::string api_error(const ApiErrorFacts& facts) const;
  std::string user(std::string_view content, const UserExtras& extras) const;
  /// `members` are further members of the event, JSON text that begins with a comma.
  std::string stream_event(std::string_view api_message_id, std::string_view event,
                           std::string_view members) const;
  std::string command_lifecycle(std::string_view message_uuid, std::string_view state) const;
  /// `with_recent`: as stream-json has it; the json format leaves the recent usage out.
  std::string result(const ResultFacts& facts, bool with_recent) const;

  /// An answer of the agent's own to a command it does not have.
  std::string local_answer(std::string_view text) const;
  /// The conversation so far counts no more; said in the session that ends.
  std::string conversation_reset(std::string_view user_uuid) const;

  const std::string& session_id() const { return session_id_.now(); }
  /// From here on the events are of another session.
  void change_session(std::string id) { session_id_.change(std::move(id)); }

 private:
  ChangingId session_id_;
};

/// The message object of an answer the agent made up.
std::string api_error_message(const ApiErrorFacts& facts);
/// The message object of one block as the API sent it, with the stop reason and usage it is given (JSON; "null").
std::string message_json(const api::Reply& reply, std::string_view block,
                         std::string_view stop_reason, std::string_view usage);
std::string usage_json(const api::Usage& usage);
/// The members of a session's line where it was compacted.
std::string boundary_members(const CompactFacts& facts);
/// As a `message_delta` has it.
std::string usage_so_far_json(const api::Usage& usage);

}  // namespace ralph::session
