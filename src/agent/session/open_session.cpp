#include "agent/session/open_session.h"

#include <utility>

#include <fmt/core.h>

#include "agent/session/transcript_impl.h"
#include "agent/settings/claude_version.h"
#include "core/base/id.h"

namespace ralph::session {
namespace {

/// The directory in which a session was started, or else that of its file.
std::string recorded_folder(const std::filesystem::path& session) {
  return recorded_cwd(session).value_or(session.parent_path().string());
}

/// An error if several sessions have the title.
Result<> check_title(const std::string& title, const SessionPlace& place) {
  const auto titled = sessions_titled(place.config_folder, place.cwd, title);
  if (titled.size() < 2) return {};
  auto text = fmt::format(
      "Error: --resume \"{}\" matches {} sessions. Pass one of these session IDs to disambiguate:",
      title, titled.size());
  for (const auto& path : titled) text += "\n  " + path.stem().string();
  return fail(Code::usage, std::move(text));
}

Result<std::optional<Resumed>> find_earlier(const settings::Options& options,
                                            const SessionPlace& place) {
  if (options.continue_last) {
    const auto path = newest_session(place.config_folder, place.cwd);
    if (!path) return std::nullopt;
    TRY_ASSIGN(auto session, read_session(*path));
    return std::optional(std::move(session));
  }
  if (!options.resume) return std::nullopt;
  TRY(check_title(*options.resume, place));
  const auto path = find_session(place.config_folder, place.cwd, *options.resume);
  if (!path) {
    return fail(Code::not_found,
                fmt::format("No conversation found with session ID: {}", *options.resume));
  }
  TRY_ASSIGN(auto session, read_session(*path));
  if (!options.fork_session && !belongs_to(*path, place.config_folder, place.cwd)) {
    return fail(Code::not_found,
                fmt::format("session {} belongs to another directory: {}", session.session_id,
                            recorded_folder(*path)),
                "run the agent there, or continue a copy of it here with --fork-session");
  }
  return std::optional(std::move(session));
}

Result<std::string> new_id(const settings::Options& options, const SessionPlace& place) {
  if (options.session_id.empty()) return make_uuid();
  const auto path = transcript_path(place.config_folder, place.cwd, options.session_id);
  std::error_code error;
  if (std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    return fail(Code::usage,
                fmt::format("Error: Session ID {} is already in use.", options.session_id));
  }
  return options.session_id;
}

/// A fork starts with the history of its source.
Result<> copy_history(const Resumed& earlier, const std::filesystem::path& to, Stamp stamp,
                      std::string& last_uuid) {
  Transcript copy(to, std::move(stamp), "");
  for (const auto& message : earlier.messages) {
    last_uuid = make_uuid();
    const auto json =
        fmt::format(R"({{"role":"{}","content":{}}})", to_string(message.role), message.content);
    const auto type = message.role == api::Role::user ? EntryType::user : EntryType::assistant;
    const bool last = &message == &earlier.messages.back();
    TRY(copy.append({type, last_uuid, json, last ? earlier.preserved.members() : ""}));
  }
  return {};
}

}  // namespace

Result<SessionStart> open_session(const settings::Options& options, const SessionPlace& place) {
  TRY_ASSIGN(auto earlier, find_earlier(options, place));
  SessionStart start;
  std::filesystem::path path;
  std::string last_uuid;
  const bool same = earlier && !options.fork_session;
  if (same) {
    start.session_id = earlier->session_id;
    path = earlier->path;
    last_uuid = earlier->last_uuid;
  } else {
    TRY_ASSIGN(start.session_id, new_id(options, place));
    path = transcript_path(place.config_folder, place.cwd, start.session_id);
  }
  const Stamp stamp{start.session_id, place.cwd.string(), std::string(settings::kClaudeVersion),
                    place.git_branch,
                    options.permission_mode.empty() ? "default" : options.permission_mode};
  if (earlier) {
    start.resumed = true;
    if (!same && options.persist) TRY(copy_history(*earlier, path, stamp, last_uuid));
    start.title = earlier->title;
    start.notes = std::move(earlier->notes);
    start.messages = std::move(earlier->messages);
    start.totals = std::move(earlier->totals);
    start.context_tokens = earlier->context_tokens;
    start.preserved = std::move(earlier->preserved);
    start.system_prompt = std::move(earlier->system_prompt);
  }
  if (options.persist) start.transcript.emplace(path, stamp, last_uuid);
  return start;
}

}  // namespace ralph::session
