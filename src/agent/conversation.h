#pragma once
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/transcript.h"
#include "api/message.h"
#include "api/reply.h"

namespace ralph::agent {

/// What was said so far: in memory as it is sent to the model, and in the session's file.
class Conversation {
 public:
  /// `transcript` may be missing. `on_lost` is told once, when a line of the file could not be written.
  Conversation(std::vector<api::Message> messages, std::optional<Transcript> transcript,
               std::function<void(const Error&)> on_lost);

  /// `members`: further members of the line, JSON text.
  void add_user(std::string content, const std::string& uuid, std::string members = {});
  /// The blocks of an answer, with the uuids their events had.
  void add_assistant(const api::Reply& reply, const std::vector<std::string>& uuids);
  /// The last answer counts no more.
  void retract_answer();
  /// Thinking is good for the model it came from only.
  void drop_thinking();
  /// What the session began with, for who resumes it.
  void keep_system_prompt(const std::vector<std::string>& texts);
  void keep_totals(const std::vector<ModelTotal>& totals);
  void keep_title(std::string_view title);

  std::span<const api::Message> messages() const { return messages_; }

 private:
  void keep(const Result<>& written);

  std::vector<api::Message> messages_;
  std::optional<Transcript> transcript_;
  std::function<void(const Error&)> on_lost_;
  bool lost_ = false;
};

}  // namespace ralph::agent
