#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "agent/api/client.h"
#include "agent/api/reply.h"
#include "agent/api/stop_reason.h"
#include "agent/hook/observer.h"
#include "agent/permission/decide.h"
#include "agent/session/compact_facts.h"
#include "agent/session/identity.h"
#include "agent/session/turn_result.h"
#include "agent/tool/background.h"
#include "core/base/time.h"

/// What a session reports while it works. Events hold references: a sink must use or copy them before it returns.
namespace ralph::session {

/// An MCP server as the `init` event shows it.
struct ServerFacts {
  std::string name;
  std::string status;
  std::string source;  // where it is configured
};

/// What the `init` event reports about the session when a turn begins.
struct InitFacts {
  std::string cwd;
  std::vector<std::string> tools;
  std::vector<ServerFacts> servers;
  std::string model;
  std::string permission_mode;
  std::string key_source;  // "ANTHROPIC_API_KEY", "none" …
  std::vector<std::string> add_dirs;
  std::vector<std::string> slash_commands;  // without the slash
  std::vector<std::string> agents;          // types of subagents
  std::vector<std::string> skills;
};

struct AssistantExtras {
  std::string uuid;
  MessageIds answers;
  bool aborted = false;
  std::optional<Millis> thinking_duration;
  std::string thinking_display;
  std::vector<std::string> supersedes;  // uuids of events that this one replaces
};

/// A reply that the agent writes itself because the model gave none.
struct ApiErrorFacts {
  std::string uuid;  // empty: a new one
  std::string text;
  api::ErrorName error = api::ErrorName::unknown;
  api::StopReason stop_reason = api::StopReason::stop_sequence;
  std::string request_id;
  std::optional<int> status;
  std::string type;  // "authentication_error", as the API sent it
  ApiErrorCode api_error = ApiErrorCode::none;
  std::string params;  // JSON object; empty: none
  std::string refused_message_id;
  std::optional<std::int64_t> resets_at;  // of a rate limit, Unix seconds
};

/// How it was decided whether a call may run, as clients see it.
struct CallDecision {
  enum class Kind { accepted, denied_by_rule, denied_by_user, interrupted };
  enum class Source { config, user_once, user_always, user_reject };
  Kind kind = Kind::accepted;
  Source source = Source::config;
  permission::Reason reason = permission::Reason::none;
};

/// What a tool result says about its call.
struct CallMeta {
  std::string id;
  CallDecision decision;
};

struct UserExtras {
  std::string uuid;
  bool synthetic = false;
  std::optional<bool> replay;   // nullopt: not given
  std::string tool_use_result;  // JSON
  std::optional<CallMeta> call;
  std::vector<std::string> retracted;
  std::string refused_message_id;
};

enum class MessageState { queued, started, completed, cancelled };
std::string_view to_string(MessageState state);

struct TurnStarted {
  const InitFacts& facts;
  const MessageIds& answers;
};
struct RequestStarted {};
struct RequestRetried {
  const api::Retry& retry;
};
struct ThinkingProgress {
  std::int64_t total = 0;
  std::int64_t delta = 0;
};
/// An event of the API, for clients that show replies while they arrive.
struct ReplyProgress {
  std::string_view message_id;
  std::string_view event;  // JSON
  std::optional<Millis> time_to_first_token = std::nullopt;
  std::string_view thinking_display = {};
  std::optional<std::size_t> abandoned_from = std::nullopt;  // discard the blocks from here on
};
struct ReplyBlock {
  const api::Reply& reply;
  std::string_view block;  // JSON
  const AssistantExtras& extras;
};
struct ErrorReply {
  const ApiErrorFacts& facts;
};
/// A message to the model: from the user, a tool result, or added by the agent.
struct UserInput {
  std::string_view content;  // JSON
  const UserExtras& extras;
};
struct MessageProgress {
  std::string_view uuid;
  MessageState state;
};
struct ModelChanged {
  std::string_view from, to, reason;
};
struct Notice {
  std::string_view text;
};
struct ReplyRefused {
  std::string_view model;
  const api::Reply& reply;
  std::string_view user_uuid;
};
struct CallDenied {
  const api::Block& call;
  const permission::Decision& decision;
};
struct TasksChanged {
  const std::vector<tool::BackgroundTask>& tasks;
};
struct TaskStarted {
  const tool::BackgroundTask& task;
};
/// A subagent has made a tool call.
struct TaskProgress {
  const tool::BackgroundTask& task;
  std::string_view doing;  // "Running make"
  std::string_view tool;
  const tool::TaskUsage& usage;
};
/// A background task has ended: first TaskUpdated, then TaskEnded.
struct TaskUpdated {
  const tool::TaskNotification& task;
};
struct TaskEnded {
  const tool::TaskNotification& task;
};
/// A command that takes long: that it runs, that it still runs, and how it ended.
struct CommandStarted {
  std::string_view id;
  const api::Block& call;
  std::string_view description;
};
struct CommandRunning {
  const api::Block& call;
  std::int64_t beat = 0;
  Millis elapsed{0};
};
struct CommandEnded {
  std::string_view id;
  const api::Block& call;
  tool::TaskStatus status;
  std::string_view description;
};
struct CompactionStarted {
  CompactTrigger trigger;
};
struct CompactionEnded {
  std::optional<CompactFailure> failure;
};
struct ConversationCompacted {
  const CompactFacts& facts;
};
struct ConversationReset {
  std::string_view user_uuid;
};
struct ModeChanged {
  std::string_view mode;  // as in permission::parse_mode
};
struct TitleChanged {
  std::string_view title;
};
struct TranscriptLost {
  std::string_view why;
};
struct HookStarted {
  const hook::HookStart& start;
};
struct HookEnded {
  const hook::HookStart& start;
  const hook::HookEnd& end;
};
/// A hook kept a message of the user from the model.
struct PromptBlocked {
  std::string_view text;  // for the user
  std::string_view reason;
};
struct LocalReply {
  std::string_view text;
};
struct TurnEnded {
  const TurnResult& result;
};

using Event =
    std::variant<TurnStarted, RequestStarted, RequestRetried, ThinkingProgress, ReplyProgress,
                 ReplyBlock, ErrorReply, UserInput, MessageProgress, ModelChanged, Notice,
                 ReplyRefused, CallDenied, TasksChanged, TaskStarted, TaskProgress, TaskUpdated,
                 TaskEnded, CommandStarted, CommandRunning, CommandEnded, CompactionStarted,
                 CompactionEnded, ConversationCompacted, ConversationReset, ModeChanged,
                 TitleChanged, TranscriptLost, HookStarted, HookEnded, PromptBlocked, LocalReply,
                 TurnEnded>;

/// Where the events of sessions go. Called from many threads.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void emit(const Identity& from, const Event& event) = 0;
};

/// The sink as one session sees it.
class SessionEvents {
 public:
  SessionEvents(EventSink& sink, const Identity& identity) : sink_(sink), identity_(identity) {}
  void emit(const Event& event) const { sink_.emit(identity_, event); }

 private:
  EventSink& sink_;
  const Identity& identity_;
};

}  // namespace ralph::session
