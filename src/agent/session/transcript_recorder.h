#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/reply.h"
#include "agent/session/event.h"
#include "agent/session/transcript.h"

namespace ralph::session {

/// Writes what happens in a session to its transcript; without a transcript it does nothing. The first failed write is
/// reported, later ones are not.
class TranscriptRecorder {
 public:
  TranscriptRecorder(std::optional<Transcript> transcript,
                     std::function<void(const Error&)> on_lost);

  /// `content`: JSON; `members`: see Entry.
  void add_user(std::string_view content, const std::string& uuid, std::string members);
  /// One line per block, with the uuids of their events.
  void add_reply(const api::Reply& reply, const std::vector<std::string>& uuids);
  /// A reply that the agent wrote because the model gave none. Not part of the conversation.
  void add_error(const ApiErrorFacts& facts);
  /// The conversation restarts here.
  void add_boundary(const std::string& uuid, std::string members);
  /// The system prompt, for sessions that resume this one.
  void add_system_prompt(const std::vector<std::string>& texts);
  void add_totals(const std::vector<ModelTotal>& totals);
  void add_title(std::string_view title);

  /// The uuid of the last line; empty: none.
  std::string last_uuid() const { return transcript_ ? transcript_->last_uuid() : ""; }

 private:
  void check(const Result<>& written);

  std::optional<Transcript> transcript_;
  std::function<void(const Error&)> on_lost_;
  bool lost_ = false;
};

}  // namespace ralph::session
