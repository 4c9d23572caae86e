#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bench/trial/status.h"
#include "core/base/time.h"
#include "harness/stream/event.h"

namespace ralph::trial {

/// A tool call of a message.
struct CallRecord {
  std::string id, name;
  std::string arguments;  // JSON text
};

/// One message of the conversation, whatever agent had it.
struct Message {
  enum class Role { system, user, assistant, tool };
  Role role = Role::assistant;
  std::string content;
  UtcTime time;
  std::vector<CallRecord> calls = {};
  std::string call_id = {};  // of a tool's answer
  std::string parent = {};   // the call whose subagent speaks; empty: the agent itself
};
std::string_view to_string(Message::Role role);

struct LoggedError {
  std::string message;
  UtcTime time;
};

/// What happened when an agent was run once: the result of an adapter.
struct Execution {
  std::string type;            // of the case: "claude-code"
  std::string product;         // "Claude Code"
  std::string provider;        // of the model
  std::string version, model;  // "unknown" if the agent does not say
  UtcTime started, completed;
  Millis duration{0};
  TrialStatus status = TrialStatus::failed;
  int exit_code = 0;          // 128 + the signal, if it died by one
  std::optional<int> signal;  // that it died by
  std::string outcome;        // name in the outcome table of runs
  std::string failure_class;  // "auth", "rate_limit" …; empty: not known
  std::string message;        // one sentence
  std::string session_id;
  std::string permission_mode;
  bool counted =
      true;  // the agent printed a stream: tokens, turns, tool calls and denials are known
  stream::Tokens usage;
  std::optional<double> cost_usd;
  std::int64_t turns = 0, tool_calls = 0, denials = 0, skipped_lines = 0;
  std::string answer, structured;  // the last text, and the answer by schema (JSON text)
  std::vector<Message> messages;
  std::vector<LoggedError> errors;
  std::uint64_t output_bytes = 0;
  bool truncated = false;            // the messages are not complete
  std::vector<std::string> command;  // argv
  std::filesystem::path terminal_log, raw_log;
};

}  // namespace ralph::trial
