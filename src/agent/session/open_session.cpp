#include "agent/session/opening.h"

#include <utility>

#include <fmt/core.h>

#include "agent/session/transcript_impl.h"
#include "agent/settings/claude_version.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

/// Where a session was begun, or at least where its file is.
std::string recorded_folder(const std::filesystem::path& session) {
  return recorded_cwd(session).value_or(session.parent_path().string());
}

/// A title that several sessions have names none of them.
Result<> check_title(const std::string& title, const OpeningFacts& facts) {
  const auto titled = sessions_titled(facts.config_folder, facts.cwd, title);
  if (titled.size() < 2) return {};
  auto text = fmt::format(
      "Error: --resume \"{}\" matches {} sessions. Pass one of these session IDs to disambiguate:",
      title, titled.size());
  for (const auto& path : titled) text += "\n  " + path.stem().string();
  return fail(Code::usage, std::move(text));
}

Result<std::optional<Resumed>> find_earlier(const settings::Options& options,
                                            const OpeningFacts& facts) {
  if (options.continue_last) {
    const auto path = newest_session(facts.config_folder, facts.cwd);
    if (!path) return std::nullopt;
    TRY_ASSIGN(auto session, read_session(*path));
    return std::optional(std::move(session));
  }
  if (!options.resume) return std::nullopt;
  TRY(check_title(*options.resume, facts));
  const auto path = find_session(facts.config_folder, facts.cwd, *options.resume);
  if (!path) {
    return fail(Code::not_found,
                fmt::format("No conversation found with session ID: {}", *options.resume));
  }
  TRY_ASSIGN(auto session, read_session(*path));
  if (!options.fork_session && !belongs_to(*path, facts.config_folder, facts.cwd)) {
    return fail(Code::not_found,
                fmt::format("session {} was begun in another folder: {}", session.session_id,
                            recorded_folder(*path)),
                "go there, or go on with a copy of it here with --fork-session");
  }
  return std::optional(std::move(session));
}

Result<std::string> new_id(const settings::Options& options, const OpeningFacts& facts) {
  if (options.session_id.empty()) return make_uuid();
  const auto path = transcript_path(facts.config_folder, facts.cwd, options.session_id);
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    return fail(Code::usage,
                fmt::format("Error: Session ID {} is already in use.", options.session_id));
  }
  return options.session_id;
}

/// A fork begins with the history of the session it comes from.
Result<> copy_history(const Resumed& earlier, const std::filesystem::path& to, Stamp stamp,
                      std::string& last_uuid) {
  Transcript copy(to, std::move(stamp), "");
  for (const auto& message : earlier.messages) {
    last_uuid = make_uuid();
    const auto json = fmt::format(R"({{"role":"{}","content":{}}})", message.role, message.content);
    const bool last = &message == &earlier.messages.back();
    TRY(copy.append({message.role, last_uuid, json, last ? earlier.preserved.members() : ""}));
  }
  return {};
}

}  // namespace

Result<Opening> open_session(const settings::Options& options, const OpeningFacts& facts) {
  TRY_ASSIGN(auto earlier, find_earlier(options, facts));
  Opening opening;
  std::filesystem::path path;
  std::string last_uuid;
  const bool same = earlier && !options.fork_session;
  if (same) {
    opening.session_id = earlier->session_id;
    path = earlier->path;
    last_uuid = earlier->last_uuid;
  } else {
    TRY_ASSIGN(opening.session_id, new_id(options, facts));
    path = transcript_path(facts.config_folder, facts.cwd, opening.session_id);
  }
  const Stamp stamp{opening.session_id, facts.cwd.string(), std::string(settings::kClaudeVersion),
                    facts.git_branch,
                    options.permission_mode.empty() ? "default" : options.permission_mode};
  if (earlier) {
    opening.resumed = true;
    if (!same && options.persist) TRY(copy_history(*earlier, path, stamp, last_uuid));
    opening.title = earlier->title;
    opening.notes = std::move(earlier->notes);
    opening.messages = std::move(earlier->messages);
    opening.totals = std::move(earlier->totals);
    opening.context_tokens = earlier->context_tokens;
    opening.preserved = std::move(earlier->preserved);
    opening.system_prompt = std::move(earlier->system_prompt);
  }
  if (options.persist) opening.transcript.emplace(path, stamp, last_uuid);
  return opening;
}

}  // namespace ralph::session
