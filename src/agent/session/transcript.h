#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/message.h"
#include "agent/api/usage.h"
#include "agent/session/model_total.h"
#include "agent/session/preserved_context.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::session {

/// The members that every line of a transcript has.
struct Stamp {
  std::string session_id;
  std::string cwd;
  std::string version;
  std::string git_branch;
  std::string permission_mode;
  std::string agent_id = {};  // of a session that works for another one; empty: top level
};

enum class EntryType { user, assistant, system, attachment };

/// A line to write. `message` is the JSON of the message object, empty: none; `members` are more members as JSON text
/// ("\"isMeta\":true,\"requestId\":\"…\""), empty: none.
struct Entry {
  EntryType type = EntryType::user;
  std::string uuid;  // empty: a new one
  std::string message;
  std::string members;
};

/// The file of a session, one JSON object per line, in the format of Claude Code's transcripts. Created with the first line.
/// Each line is one write; a failed write leaves the file unchanged. Only the owner can read it. A link, pipe or device in
/// its place is an error.
class Transcript {
 public:
  /// `parent`: the uuid of the line to continue from; empty: none.
  Transcript(std::filesystem::path path, Stamp stamp, std::string parent);

  Result<> append(const Entry& entry);
  /// A line without a parent: the conversation restarts here.
  Result<> append_root(const Entry& entry);
  /// Usage so far, for sessions that resume this one.
  Result<> append_totals(const std::vector<ModelTotal>& totals);
  Result<> append_title(std::string_view title);
  const std::filesystem::path& path() const { return path_; }
  /// Of a child session.
  bool is_side_chain() const { return !stamp_.agent_id.empty(); }
  /// Of the last line in the conversation; empty: none.
  const std::string& last_uuid() const { return parent_; }

 private:
  Result<> open();
  Result<> write_line(std::string line);

  std::filesystem::path path_;
  Stamp stamp_;
  std::string parent_;
  UniqueFd fd_;
};

/// A session read from its file.
struct Resumed {
  std::filesystem::path path;
  std::string session_id;
  std::string title;
  std::string last_uuid;               // the line to continue from
  std::string model;                   // of the last answer; empty: unknown
  std::vector<api::Message> messages;  // roles alternate, every tool call has its result
  std::int64_t context_tokens = 0;     // of the last request and its answer; 0: unknown
  PreservedContext preserved;
  std::vector<ModelTotal> totals;
  std::optional<std::string> system_prompt;  // of the first request, if the file has it
  std::vector<std::string> notes;            // for stderr
};

/// The directory with the sessions of `cwd`: <config>/projects/<key of the real path>.
std::filesystem::path sessions_folder(const std::filesystem::path& config_folder,
                                      const std::filesystem::path& cwd);
std::filesystem::path transcript_path(const std::filesystem::path& config_folder,
                                      const std::filesystem::path& cwd,
                                      std::string_view session_id);

/// Where a session's tools write output that is too long for the conversation.
std::filesystem::path output_folder(const std::filesystem::path& config_folder,
                                    const std::filesystem::path& cwd, std::string_view session_id);

/// Where the sessions of a session's subagents are.
std::filesystem::path subagents_folder(const std::filesystem::path& config_folder,
                                       const std::filesystem::path& cwd,
                                       std::string_view session_id);

/// Reads a session written by ralph, by Claude Code or by hand. Skips lines that are cut off, broken or unknown. A tool call
/// without a result gets one that says it was interrupted; a prompt without a reply gets a note, unless an error answered
/// it: then it is the last message. A session killed before its first line has no messages. A file that is not a session,
/// a link, a pipe and a device are errors. Lines over 32 MB are skipped, with a note.
Result<Resumed> read_session(const std::filesystem::path& path);
/// The same from bytes; `path` is where they are from.
Result<Resumed> parse_session(std::string_view text, const std::filesystem::path& path);
/// Whether a session was started in this directory. Claude Code keeps the sessions of "/x/y" and "/x-y" in one directory;
/// the file tells them apart. A file without a cwd belongs to both.
bool belongs_to(const std::filesystem::path& session, const std::filesystem::path& config_folder,
                const std::filesystem::path& cwd);
/// The newest session of this directory; nullopt: none.
std::optional<std::filesystem::path> newest_session(const std::filesystem::path& config_folder,
                                                    const std::filesystem::path& cwd);
/// The sessions of this directory with this title, ignoring case, the newest first.
std::vector<std::filesystem::path> sessions_titled(const std::filesystem::path& config_folder,
                                                   const std::filesystem::path& cwd,
                                                   std::string_view title);
/// By id in this directory, then in any other; then the newest with this title in this directory. nullopt: none.
std::optional<std::filesystem::path> find_session(const std::filesystem::path& config_folder,
                                                  const std::filesystem::path& cwd,
                                                  std::string_view id_or_title);

}  // namespace ralph::session
