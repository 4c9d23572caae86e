#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "agent/api/message.h"
#include "agent/api/reply.h"
#include "agent/session/media.h"
#include "agent/session/transcript_recorder.h"

namespace ralph::session {

/// The messages of a session as sent to the model. What is added is also written to the transcript, which keeps everything.
class Conversation {
 public:
  Conversation(std::vector<api::Message> messages, TranscriptRecorder transcript);

  /// `members`: more members of the transcript line, JSON text.
  void add_user(std::string content, const std::string& uuid, std::string members = {});
  /// Adds texts in front of the first message; skips empty ones.
  void introduce(const std::vector<std::string>& texts);
  /// The blocks of a reply, with the uuids of their events.
  void add_assistant(const api::Reply& reply, const std::vector<std::string>& uuids);
  /// Forgets all messages; the file keeps them. `members`: of the boundary line.
  void start_over(const std::string& uuid, std::string members);
  /// Removes the last reply.
  void retract_answer();
  /// Removes thinking blocks: only the model that wrote them accepts them.
  void drop_thinking();
  /// See session/media.h. The file keeps the pictures.
  void limit_media(std::int64_t most);
  api::MediaKind remove_refused(const api::MediaRefusal& refusal, Removal removal);
  /// For lines that are not messages to the model.
  TranscriptRecorder& transcript() { return transcript_; }

  std::span<const api::Message> messages() const { return messages_; }
  /// There is a reply that was not removed.
  bool has_answer() const;
  /// An estimate of what was added after the last reply.
  std::int64_t added_tokens() const { return added_tokens_; }
  /// Of the last message.
  const std::string& last_uuid() const { return last_uuid_; }

 private:
  void count_media();

  std::vector<api::Message> messages_;
  TranscriptRecorder transcript_;
  std::int64_t added_tokens_ = 0;
  std::int64_t media_items_ = 0;
  std::string last_uuid_;
};

}  // namespace ralph::session
