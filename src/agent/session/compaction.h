#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/message.h"
#include "agent/api/reply.h"
#include "agent/session/preserved_context.h"
#include "agent/settings/environment.h"
#include "agent/tool/workspace.h"

namespace ralph::session {

/// When a conversation is replaced by a summary because the model's window fills. DISABLE_AUTO_COMPACT, DISABLE_COMPACT and
/// the setting autoCompactEnabled disable it; CLAUDE_CODE_AUTO_COMPACT_WINDOW makes the window smaller,
/// CLAUDE_AUTOCOMPACT_PCT_OVERRIDE sets the percentage of it.
class CompactPolicy {
 public:
  CompactPolicy(const settings::Environment& environment, bool enabled);

  bool automatic() const { return automatic_; }
  bool on_demand() const { return on_demand_; }
  /// A conversation with this many tokens is compacted before the next request.
  std::int64_t limit(std::int64_t window) const;

 private:
  bool automatic_;
  bool on_demand_;
  std::int64_t window_ = 0;  // 0: the model's
  std::int64_t percent_ = 0;
};

/// How full the model's window is, over all turns of a session.
class Context {
 public:
  Context(CompactPolicy policy, std::int64_t tokens) : policy_(policy), tokens_(tokens) {}

  const CompactPolicy& policy() const { return policy_; }
  /// Of the last request and its reply; not of what was added since.
  std::int64_t tokens() const { return tokens_; }
  void answered(const api::Usage& usage);

  /// Called before a compaction. False: the window filled up again right after the last ones, so another would not help.
  bool may_compact();
  /// Called after a compaction. Returns the tokens that all compactions of this session dropped.
  std::int64_t compacted(std::int64_t before, std::int64_t after);

 private:
  CompactPolicy policy_;
  std::int64_t tokens_;
  std::int64_t dropped_ = 0;
  std::optional<int> answers_since_;  // the last compaction
  int refills_ = 0;                   // compactions in a row soon after one another
};

/// Estimates the tokens of a message's content, JSON: four bytes a token, a flat rate for pictures.
std::int64_t content_tokens(std::string_view content);

/// "/compact [instructions]" as the content of a message: the instructions. nullopt: not this command.
std::optional<std::string> compact_command(std::string_view content);

std::size_t size_of(std::span<const api::Message> messages);
/// For Workspace::set_media_room: the bytes that the API accepts in one request in addition to these messages, and all the
/// pictures and pages it accepts, because older ones are removed for newer ones.
tool::Media media_room(std::span<const api::Message> messages, std::int64_t window);
/// Whether the messages before the last one leave hardly any room for pictures and documents.
bool is_large(std::span<const api::Message> messages);
/// Shortens the messages to about `most` bytes: first cuts the longest tool results and user texts, then drops the
/// beginning; never separates a call from its result.
std::vector<api::Message> shortened(std::span<const api::Message> messages, std::size_t most);

/// The part of a conversation that is summarized: all that fits, and less each time the API rejects it as too long.
class ShrinkingHistory {
 public:
  /// `room`: bytes. `refused`: the API rejected all of the messages as too long.
  ShrinkingHistory(std::span<const api::Message> all, std::size_t room, bool refused);

  const std::vector<api::Message>& messages() const { return messages_; }
  /// False: cannot be shortened further.
  bool shrink();

 private:
  std::span<const api::Message> all_;
  double room_;
  std::size_t cut_ = 0;
  std::vector<api::Message> messages_;
};

/// The messages and a request to summarize them. `instructions`: the user's.
std::vector<api::Message> with_summary_request(std::vector<api::Message> messages,
                                               std::string_view instructions);
/// The summary in a reply; empty: none.
std::string summary_in(const api::Reply& answer);
/// The first message of the conversation after a compaction.
std::string continuation(std::string_view summary, const PreservedContext& kept);

}  // namespace ralph::session
