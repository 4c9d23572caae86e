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

/// One line of a session that is part of the conversation or links its parts.
struct Line {
  enum class Kind { user, assistant, queued, snapshot, link };

  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  std::string_view text;
  Kind kind = Kind::link;
  bool leaf = false;       // the conversation may end here
  bool boundary = false;   // what is before it was compacted
  bool api_error = false;  // an answer that is none
  bool only_results = false;
  std::string uuid;
  std::string parent_uuid;
  bool root = false;           // it says that it has no parent
  std::size_t parent = kNone;  // its place among the lines
  std::string message_id;
  std::vector<std::string> calls;      // ids of tool calls
  std::vector<std::string> results;    // ids of the calls that are answered here
  std::string anchor;                  // of a boundary: the line behind which …
  std::vector<std::string> preserved;  // … these lines were kept
};

inline constexpr std::size_t kLongestSessionLine = std::size_t{32} << 20;

/// Gets a line without its newline; `terminated`: it had one. Returns whether more are wanted.
using SessionLines = std::function<bool(std::string_view line, bool terminated)>;
/// Reads a session's file line by line: a regular file that no link leads to. Lines over kLongestSessionLine are left out;
/// returns how many those were.
Result<std::size_t> read_session_lines(const std::filesystem::path& path, const SessionLines& each);

/// The folder a session was begun in, as its file says; nullopt: it does not.
std::optional<std::string> recorded_cwd(const std::filesystem::path& path);

/// The path with links resolved down to the folder of all projects, which may be one; below it none is followed.
std::filesystem::path resolved_session_path(const std::filesystem::path& path);

/// What a session's file says.
struct Scan {
  std::vector<Line> lines;
  std::string session_id;
  std::string custom_title;
  std::string other_title;  // a summary or one that a model made up
  std::vector<ModelTotal> totals;
};

/// Reads all lines; those that are cut, broken, unknown or of a subagent are left out. The views point into `text`.
Scan scan_session(std::string_view text);

/// One message of the assistant, which may be on many lines, and the lines with the results of its calls; or lines of
/// the user alone.
struct Part {
  std::vector<std::size_t> answer;
  std::vector<std::size_t> user;
};

/// The lines that count, from the first to the last leaf, calls and results together.
std::vector<Part> arrange(const std::vector<Line>& lines, std::size_t leaf);

/// Puts blocks together to messages that the API takes: roles take turns, the user begins, every call has its result
/// directly behind it, nothing is empty.
class MessageMaker {
 public:
  void assistant(json::Document blocks);
  /// An error stands in place of an answer, or none is due.
  void failed() { failed_ = true; }
  void user(json::Document blocks);
  /// No more results are coming for the calls so far.
  void settle();
  std::vector<api::Message> finish();

 private:
  struct Turn {
    bool user = false;
    std::vector<std::string> blocks;  // JSON
    std::size_t results = 0;          // the first blocks
  };

  Turn& user_turn();

  std::vector<Turn> turns_;
  std::vector<std::string> open_;  // calls without a result
  bool failed_ = false;            // what was asked last has its answer: an error
};

/// Copies of whole requests, which say nothing new.
inline bool is_request_copy(std::string_view line) {
  return line.starts_with(R"({"type":"api-request)");
}

/// The blocks of a message's content, which may be a string; an empty array when there are none.
json::Document blocks_of(const json::Document& content);
/// A member that is a string, else "".
std::string text_member(const json::Document& object, std::string_view key);
bool true_member(const json::Document& object, std::string_view key);

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
