#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/api/message.h"
#include "agent/api/usage.h"
#include "agent/session/preserved_context.h"
#include "core/base/result.h"
#include "core/base/unique_fd.h"

namespace ralph::session {

/// What one model was used for in a session.
struct ModelTotal {
  std::string model;
  api::Usage usage;
  double cost_usd = 0;
};

/// What every line of a session says beside its message.
struct Stamp {
  std::string session_id;
  std::string cwd;
  std::string version;
  std::string git_branch;
  std::string permission_mode;
  std::string agent_id = {};  // of a session that works for another one; empty: top level
};

/// A line to be written. `message` is the JSON of the whole message object, empty: none; `members` are further members
/// as JSON text ("\"isMeta\":true,\"requestId\":\"…\""), empty: none.
struct Entry {
  std::string type;  // "user", "assistant", "system", "attachment"
  std::string uuid;  // empty: a new one
  std::string message;
  std::string members;
};

/// The file of a session, one JSON object a line, in the form of Claude Code's transcripts. It is made by the first line;
/// a line is one write, and one that fails leaves the file as it was. Only the owner may read it. A link, pipe or device
/// in its place is refused.
class Transcript {
 public:
  /// Goes on behind `parent`, the uuid of the last line that counts; empty: it is the first.
  Transcript(std::filesystem::path path, Stamp stamp, std::string parent);

  Result<> append(const Entry& entry);
  /// A line nothing before which counts.
  Result<> append_root(const Entry& entry);
  /// What the session used so far, for sessions that resume it.
  Result<> append_totals(const std::vector<ModelTotal>& totals);
  Result<> append_title(std::string_view title);
  const std::filesystem::path& path() const { return path_; }
  /// Of a session that works for another one.
  bool is_side_chain() const { return !stamp_.agent_id.empty(); }
  /// The last line that counts; empty: none.
  const std::string& last_uuid() const { return parent_; }

 private:
  Result<> open();
  Result<> write_line(std::string line);

  std::filesystem::path path_;
  Stamp stamp_;
  std::string parent_;
  UniqueFd fd_;
};

/// A session that is resumed.
struct Resumed {
  std::filesystem::path path;
  std::string session_id;
  std::string title;
  std::string last_uuid;  // to go on behind
  std::string model;      // of the last answer; empty: unknown
  std::vector<api::Message>
      messages;  // ready to be sent: roles take turns, every tool call has its result
  std::int64_t context_tokens = 0;  // of the last request and its answer; 0: unknown
  PreservedContext preserved;
  std::vector<ModelTotal> totals;
  std::optional<std::string> system_prompt;  // what the session began with, where it says so
  std::vector<std::string> notes;            // worth telling on stderr
};

/// Where the sessions of a folder are: <config>/projects/<key of the real path>.
std::filesystem::path sessions_folder(const std::filesystem::path& config_folder,
                                      const std::filesystem::path& cwd);
std::filesystem::path transcript_path(const std::filesystem::path& config_folder,
                                      const std::filesystem::path& cwd,
                                      std::string_view session_id);

/// Where a session's tools put output that is too long to be shown.
std::filesystem::path output_folder(const std::filesystem::path& config_folder,
                                    const std::filesystem::path& cwd, std::string_view session_id);

/// Reads a session: ours, Claude Code's, or one written by hand. Lines that are cut, broken or unknown are left out; a
/// tool call without a result gets one that says it was interrupted, a prompt without an answer gets a note,
/// unless an error answered it: then it is the last message.
/// In a session that was killed before it began nothing was said; a file that is not a session is an error, and so is
/// a link, pipe or device. Lines over 32 MB are left out, with a note.
Result<Resumed> read_session(const std::filesystem::path& path);
/// The same from bytes; `path` is where they are from.
Result<Resumed> parse_session(std::string_view text, const std::filesystem::path& path);
/// Whether a session was begun in this folder. Claude Code keeps those of "/x/y" and "/x-y" in one place; the file itself
/// says which it is. One that does not say belongs to the folder it is kept for.
bool belongs_to(const std::filesystem::path& session, const std::filesystem::path& config_folder,
                const std::filesystem::path& cwd);
/// The newest session of this folder; nullopt: there is none.
std::optional<std::filesystem::path> newest_session(const std::filesystem::path& config_folder,
                                                    const std::filesystem::path& cwd);
/// The sessions of this folder with this title, in any case of letters, the newest first.
std::vector<std::filesystem::path> sessions_titled(const std::filesystem::path& config_folder,
                                                   const std::filesystem::path& cwd,
                                                   std::string_view title);
/// By id in this folder, then in any other; then the newest with this title in this folder. nullopt: there is none.
std::optional<std::filesystem::path> find_session(const std::filesystem::path& config_folder,
                                                  const std::filesystem::path& cwd,
                                                  std::string_view id_or_title);

}  // namespace ralph::session
