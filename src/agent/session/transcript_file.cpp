#include <algorithm>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "agent/session/transcript_impl.h"
#include "agent/tool/safe_file.h"
#include "core/json/field.h"

namespace ralph::session {
namespace {

namespace fs = std::filesystem;

/// Splits chunks into lines and buffers one line at most; lines that are too long are counted and dropped.
class LineCutter {
 public:
  explicit LineCutter(const SessionLines& each) : each_(each) {}

  /// False: stop reading.
  bool feed(std::string_view piece) {
    for (auto at = piece.find('\n'); at != piece.npos; at = piece.find('\n')) {
      add(piece.substr(0, at));
      if (!finish(true)) return false;
      piece.remove_prefix(at + 1);
    }
    add(piece);
    return true;
  }
  bool finish(bool terminated) {
    const bool go_on = overlong_ || (line_.empty() && !terminated) || each_(line_, terminated);
    if (overlong_) ++skipped_;
    overlong_ = false;
    line_.clear();
    return go_on;
  }
  std::size_t skipped() const { return skipped_; }

 private:
  void add(std::string_view part) {
    if (!overlong_ && line_.size() + part.size() > kLongestSessionLine) {
      overlong_ = true;
      line_ = {};  // frees its memory
    }
    if (!overlong_) line_ += part;
  }

  const SessionLines& each_;
  std::string line_;
  bool overlong_ = false;
  std::size_t skipped_ = 0;
};

}  // namespace

fs::path resolved_session_path(const fs::path& path) {
  const auto folder = path.parent_path();
  std::error_code error;
  const auto base = fs::weakly_canonical(folder.parent_path(), error);
  return error ? path : base / folder.filename() / path.filename();
}

Result<std::size_t> read_session_lines(const fs::path& path, const SessionLines& each) {
  TRY_ASSIGN(const auto file, tool::open_for_reading(resolved_session_path(path)));
  LineCutter lines(each);
  std::string piece;
  for (;;) {
    TRY_ASSIGN(const auto more, tool::read_piece(file, piece, path));
    if (more.empty()) break;
    if (!lines.feed(more)) return lines.skipped();
  }
  lines.finish(false);
  return lines.skipped();
}

std::optional<std::string> recorded_cwd(const fs::path& path) {
  std::optional<std::string> cwd;
  const auto read = read_session_lines(path, [&](std::string_view line, bool) {
    if (!line.contains("\"cwd\"")) return true;
    const auto document = json::parse(line, "line");
    if (!document || !document->is_object()) return true;
    if (auto text = json::text(*document, "cwd"); !text.empty()) cwd = std::move(text);
    return !cwd;
  });
  return read ? cwd : std::nullopt;
}

}  // namespace ralph::session
