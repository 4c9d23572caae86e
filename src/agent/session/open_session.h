#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "agent/session/transcript.h"
#include "agent/settings/environment.h"
#include "agent/settings/options.h"
#include "core/base/result.h"

namespace ralph::session {

/// What a session starts with: nothing, or the history of the session it resumes.
struct SessionStart {
  std::string session_id;
  std::string title;
  bool resumed = false;
  std::vector<api::Message> messages;
  std::int64_t context_tokens = 0;  // of the last request; 0: unknown
  PreservedContext preserved;
  std::vector<ModelTotal> totals;
  std::optional<std::string> system_prompt;  // what the session began with
  std::optional<Transcript> transcript;      // nullopt: not written
  std::vector<std::string> notes;            // for stderr
};

/// Where a session is started.
struct SessionPlace {
  std::filesystem::path cwd;
  std::filesystem::path config_folder;
  std::string git_branch;
};

/// Follows --continue, --resume, --session-id, --fork-session and --no-session-persistence. The error is the line that
/// Claude Code would print.
Result<SessionStart> open_session(const settings::Options& options, const SessionPlace& place);

}  // namespace ralph::session
