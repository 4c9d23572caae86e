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

/// Whether and when a conversation is cut down to a summary because the model's window fills. DISABLE_AUTO_COMPACT,
/// DISABLE_COMPACT and the setting autoCompactEnabled switch it off; CLAUDE_CODE_AUTO_COMPACT_WINDOW makes the window
/// smaller, CLAUDE_AUTOCOMPACT_PCT_OVERRIDE says at which percentage of it.
class CompactPolicy {
 public:
  CompactPolicy(const settings::Environment& environment, bool enabled);

  bool automatic() const { return automatic_; }
  bool on_demand() const { return on_demand_; }
  /// A request with this many tokens leaves no room for another.
  std::int64_t limit(std::int64_t window) const;

 private:
  bool automatic_;
  bool on_demand_;
  std::int64_t window_ = 0;  // 0: the model's
  std::int64_t percent_ = 0;
};

/// How full the window is, over all turns of a session, and whether compaction still helps.
class Context {
 public:
  Context(CompactPolicy policy, std::int64_t tokens) : policy_(policy), tokens_(tokens) {}

  const CompactPolicy& policy() const { return policy_; }
  /// Of the last request and its answer; what came behind it is not in it.
  std::int64_t tokens() const { return tokens_; }
  void answered(const api::Usage& usage);

  /// A compaction is about to be made. False: it filled up again at once too often, another one would not help.
  bool may_compact();
  /// It was made. Returns all the tokens that compactions of this session dropped.
  std::int64_t compacted(std::int64_t before, std::int64_t after);

 private:
  CompactPolicy policy_;
  std::int64_t tokens_;
  std::int64_t dropped_ = 0;
  std::optional<int> answers_since_;  // the last compaction
  int refills_ = 0;                   // compactions in a row soon after one another
};

/// Of the blocks of a message's content, JSON: about four bytes a token, pictures a flat rate.
std::int64_t content_tokens(std::string_view content);

/// "/compact [instructions]" as the content of a message: the instructions. nullopt: it is something else.
std::optional<std::string> compact_command(std::string_view content);

std::size_t size_of(std::span<const api::Message> messages);
/// For Toolbox::set_media_room: the bytes that the API takes in one request beside these messages, and all the pictures
/// and pages it takes, since older ones are left out for newer ones.
tool::Media media_room(std::span<const api::Message> messages, std::int64_t window);
/// Whether what was answered already leaves hardly any room for pictures and documents.
bool is_large(std::span<const api::Message> messages);
/// The messages in about this many bytes: the longest results and texts of users are cut first, then the beginning is
/// left out; no call is parted from its result.
std::vector<api::Message> shortened(std::span<const api::Message> messages, std::size_t most);

/// What is summed up of a conversation: all that fits, and less whenever the API finds it too long.
class ShrinkingHistory {
 public:
  /// `room`: bytes. `refused`: all of the messages were too long already.
  ShrinkingHistory(std::span<const api::Message> all, std::size_t room, bool refused);

  const std::vector<api::Message>& messages() const { return messages_; }
  /// False: they cannot be made shorter.
  bool shrink();

 private:
  std::span<const api::Message> all_;
  double room_;
  std::size_t cut_ = 0;
  std::vector<api::Message> messages_;
};

/// The messages and a request to sum them up. `instructions`: the user's.
std::vector<api::Message> with_summary_request(std::vector<api::Message> messages,
                                               std::string_view instructions);
/// Empty: the answer holds none.
std::string summary_in(const api::Reply& answer);
/// The first message of the conversation after a compaction.
std::string continuation(std::string_view summary, const PreservedContext& kept);

}  // namespace ralph::session
