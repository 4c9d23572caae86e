#include "tool/file_state.h"

#include "base/utf8.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

}  // namespace

std::string shown_text(std::string_view bytes) {
  if (bytes.starts_with(kByteOrderMark)) bytes.remove_prefix(kByteOrderMark.size());
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes.substr(at, 2) != "\r\n") text += bytes[at];
  }
  return utf8::valid(text) ? text : utf8::repaired(text);
}

bool changed_since_seen(const fs::path& resolved, const FileStamp& now,
                        const Workspace& workspace) {
  const auto seen = workspace.seen(resolved);
  return seen && *seen != now;
}

std::optional<Outcome> unread(const fs::path& resolved, const FileStamp& now,
                              const Workspace& workspace) {
  if (!workspace.setup().read_before_write) return std::nullopt;
  if (!workspace.seen(resolved)) {
    return misuse("File has not been read yet. Read it first before writing to it.");
  }
  if (changed_since_seen(resolved, now, workspace)) {
    return misuse("The file changed after it was read. Read it again before writing to it.");
  }
  return std::nullopt;
}

}  // namespace ralph::tool
