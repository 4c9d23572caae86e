#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agent/session/transcript.h"
#include "core/json/document.h"

namespace ralph::session {

/// A line of a transcript that is part of the conversation or links its parts.
struct Line {
  enum class Kind { user, assistant, queued, snapshot, link };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string_view text;
  Kind kind = Kind::link;
  bool leaf = false;       // the conversation may end here
  bool boundary = false;   // the lines before it were compacted
  bool api_error = false;  // an error in place of a reply
  bool only_results = false;
  std::string uuid;
  std::string parent_uuid;
  bool root = false;           // its parent is null
  std::size_t parent = kNone;  // its place among the lines
  std::string message_id;
  std::vector<std::string> calls;      // ids of tool calls
  std::vector<std::string> results;    // ids of the calls with results here
  std::string anchor;                  // of a boundary: the line behind which …
  std::vector<std::string> preserved;  // … these lines were kept
};

inline constexpr std::size_t kLongestSessionLine = std::size_t{32} << 20;

/// `line` is without its newline; `terminated`: it had one. Returns false to stop reading.
using SessionLines = std::function<bool(std::string_view line, bool terminated)>;
/// Reads a transcript line by line; it must be a regular file, not a link. Skips lines over kLongestSessionLine and returns
/// their number.
Result<std::size_t> read_session_lines(const std::filesystem::path& path, const SessionLines& each);

/// The directory in which a session was started; nullopt: the file does not contain it.
std::optional<std::string> recorded_cwd(const std::filesystem::path& path);

/// The path with links resolved down to the directory of all projects, which may be a link; none below it is followed.
std::filesystem::path resolved_session_path(const std::filesystem::path& path);

/// The content of a transcript.
struct Scan {
  std::vector<Line> lines;
  std::string session_id;
  std::string custom_title;
  std::string other_title;  // a summary, or a title by a model
  std::vector<ModelTotal> totals;
};

/// Reads all lines; skips those that are cut off, broken, unknown or of a child session. The views point into `text`.
Scan scan_session(std::string_view text);

/// One message of the assistant, which may span several lines, and the lines with the results of its calls; or lines of the
/// user only.
struct Part {
  std::vector<std::size_t> answer;
  std::vector<std::size_t> user;
};

/// The lines of the conversation that ends at `leaf`, with results next to their calls.
std::vector<Part> arrange(const std::vector<Line>& lines, std::size_t leaf);

/// Builds messages that the API accepts: roles alternate, the user comes first, every call is followed by its result, no
/// message is empty.
class MessageMaker {
 public:
  void assistant(json::Document blocks);
  /// The last prompt needs no reply: it got an error, or is a summary.
  void failed() { failed_ = true; }
  void user(json::Document blocks);
  /// Adds results for calls that have none: they were interrupted.
  void close_calls();
  std::vector<api::Message> finish();

 private:
  struct Turn {
    api::Role role;
    std::vector<std::string> blocks = {};  // JSON
    std::size_t results = 0;               // the first blocks
  };

  Turn& user_turn();

  std::vector<Turn> turns_;
  std::vector<std::string> open_;  // calls without a result
  bool failed_ = false;            // see failed()
};

/// Copies of requests; not part of the conversation.
inline bool is_request_copy(std::string_view line) {
  return line.starts_with(R"({"type":"api-request)");
}

/// The blocks of a message's content, which may be a string; an empty array when there are none.
json::Document blocks_of(const json::Document& content);

/// Calls `each` for every line that is not empty.
template <typename Each>
void for_each_line(std::string_view text, Each each) {
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    if (end > at) each(text.substr(at, end - at));
    at = end + 1;
  }
}

}  // namespace ralph::session
