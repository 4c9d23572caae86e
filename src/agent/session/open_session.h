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

/// The session an agent starts with: new or resumed.
struct Opening {
  std::string session_id;
  std::string title;
  bool resumed = false;
  std::vector<api::Message> messages;
  std::int64_t context_tokens = 0;  // of the last request; 0: unknown
  PreservedContext preserved;
  std::vector<ModelTotal> totals;
  std::optional<std::string> system_prompt;  // what the session began with
  std::optional<Transcript> transcript;      // nullopt: it is not kept
  std::vector<std::string> notes;            // worth telling on stderr
};

/// What an opening depends on beside the options.
struct OpeningFacts {
  std::filesystem::path cwd;
  std::filesystem::path config_folder;
  std::string git_branch;
};

/// --continue, --resume, --session-id, --fork-session, --no-session-persistence. The error is the line Claude Code
/// would print.
Result<Opening> open_session(const settings::Options& options, const OpeningFacts& facts);

}  // namespace ralph::session
