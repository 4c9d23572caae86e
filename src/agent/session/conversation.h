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

/// The conversation so far: in memory as it is sent to the model, and in the transcript.
class Conversation {
 public:
  /// `transcript` may be missing. `on_lost` is called once, when a line of the file could not be written.
  Conversation(std::vector<api::Message> messages, std::optional<Transcript> transcript,
               std::function<void(const Error&)> on_lost);

  /// `members`: further members of the line, JSON text.
  void add_user(std::string content, const std::string& uuid, std::string members = {});
  /// Texts in front of the first message; empty ones are left out.
  void introduce(const std::vector<std::string>& texts);
  /// The blocks of an answer, with the uuids their events had.
  void add_assistant(const api::Reply& reply, const std::vector<std::string>& uuids);
  /// There was no answer, and the user got this one instead. The model does not see it.
  void add_error(const ApiErrorFacts& facts);
  /// Only what is added from here on counts; the file keeps what was before. `members`: of its line.
  void start_over(const std::string& uuid, std::string members);
  /// Takes the last answer back.
  void retract_answer();
  /// Removes thinking: only the model it came from accepts it.
  void drop_thinking();
  /// See agent/media.h. The file keeps the pictures.
  void limit_media(std::int64_t most);
  api::MediaKind remove_refused(const api::MediaRefusal& refusal, Removal removal);
  /// The system prompt, for sessions that resume this one.
  void record_system_prompt(const std::vector<std::string>& texts);
  void record_totals(const std::vector<ModelTotal>& totals);
  void record_title(std::string_view title);

  std::span<const api::Message> messages() const { return messages_; }
  /// There is a reply that was not taken back.
  bool has_answer() const;
  /// An estimate of what came after the last answer.
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
