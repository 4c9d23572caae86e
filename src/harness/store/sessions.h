#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "core/base/time.h"
#include "harness/store/location.h"

namespace ralph::store {

/// What is known of an agent's session.
struct SessionRecord {
  std::string id;
  std::string forked_from;  // the session that was asked for when another one came
  std::string backend;
  double total_cost_usd = 0;         // of the whole session, as last reported
  std::string system_prompt_digest;  // SHA-256 of what it was started with; empty: none
  UtcTime updated;
  std::string folder = {};  // the agent worked in; agents find their sessions by it
};

/// Whether a text can be the id (or the name) of a session: printable, not an option, not too long.
bool is_session_id(std::string_view text);

/// `state/claude-session.json`: {planner_session_id, coder_session_id, updated_at} and, under "sessions", the
/// newest 50 records by id, the newest last; a mode's own session stays among them. Keys we do not know are
/// kept. Written atomically, 0600. A file that cannot be read as such (no JSON, a member of another type) is
/// moved aside ("….bad-<time>") and named in `warning`.
class Sessions {
 public:
  static Result<Sessions> load(const Location& file, std::string& warning);
  /// The same, but what cannot be read stays where it is, and counts as nothing.
  static Sessions peek(const Location& file, std::string& warning);

  /// The session of a mode ("planner", "coder"); empty: none.
  std::string of_mode(std::string_view mode) const;
  std::optional<SessionRecord> find(std::string_view id) const;
  static constexpr std::size_t kMostRecords = 50;

  /// The record, and the mode's newest session; an empty mode has none.
  void remember(std::string_view mode, const SessionRecord& record);
  Result<> save() const;

 private:
  Sessions(Location file, std::string text) : file_(std::move(file)), text_(std::move(text)) {}

  Location file_;
  std::string text_;  // the document, as JSON text
};

}  // namespace ralph::store
