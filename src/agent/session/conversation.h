#pragma once
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/message.h"
#include "agent/api/reply.h"
#include "agent/session/event.h"
#include "agent/session/media.h"
#include "agent/session/transcript.h"

namespace ralph::session {

/// The messages of a session, in memory as sent to the model, mirrored to the transcript.
class Conversation {
 public:
  /// `transcript` is optional. `on_lost` is called once, when a line cannot be written.
  Conversation(std::vector<api::Message> messages, std::optional<Transcript> transcript,
               std::function<void(const Error&)> on_lost);

  /// `members`: more members of the transcript line, JSON text.
  void add_user(std::string content, const std::string& uuid, std::string members = {});
  /// Adds texts in front of the first message; skips empty ones.
  void introduce(const std::vector<std::string>& texts);
  /// The blocks of a reply, with the uuids of their events.
  void add_assistant(const api::Reply& reply, const std::vector<std::string>& uuids);
  /// Writes a reply that ralph made because there was none to the transcript. The model does not see it.
  void add_error(const ApiErrorFacts& facts);
  /// Forgets all messages; the file keeps them. `members`: of the boundary line.
  void start_over(const std::string& uuid, std::string members);
  /// Removes the last reply.
  void retract_answer();
  /// Removes thinking blocks: only the model that wrote them accepts them.
  void drop_thinking();
  /// See session/media.h. The file keeps the pictures.
  void limit_media(std::int64_t most);
  api::MediaKind remove_refused(const api::MediaRefusal& refusal, Removal removal);
  /// The system prompt, for sessions that resume this one.
  void record_system_prompt(const std::vector<std::string>& texts);
  void record_totals(const std::vector<ModelTotal>& totals);
  void record_title(std::string_view title);

  std::span<const api::Message> messages() const { return messages_; }
  /// There is a reply that was not removed.
  bool has_answer() const;
  /// An estimate of what was added after the last reply.
  std::int64_t added_tokens() const { return added_tokens_; }
  /// Of the last message.
  const std::string& last_uuid() const { return last_uuid_; }
  /// The transcript; empty: there is none.
  std::filesystem::path file() const;

 private:
  void count_media();
  void keep(const Result<>& written);

  std::vector<api::Message> messages_;
  std::optional<Transcript> transcript_;
  std::function<void(const Error&)> on_lost_;
  bool lost_ = false;
  std::int64_t added_tokens_ = 0;
  std::int64_t media_items_ = 0;
  std::string last_uuid_;
};

}  // namespace ralph::session
