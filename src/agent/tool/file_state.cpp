#include "agent/tool/file_state.h"

#include <fmt/format.h>

#include "agent/tool/input.h"
#include "agent/tool/text_encoding.h"
#include "core/base/utf8.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kNothingWritten =
    "Edit and Write write UTF-8, or UTF-16 with a byte order mark, and never convert a file, "
    "so nothing was written. If it is text, change it with a shell command that keeps its encoding "
    "(such as iconv), or ask the user whether to convert it to UTF-8. To replace all of it by "
    "UTF-8 text, delete it first, then Write it.";

}  // namespace

std::optional<Outcome> refuse_link(std::string_view given, const fs::path& resolved,
                                   const Workspace& workspace) {
  if (given.empty() || given.contains('\0')) return std::nullopt;
  const auto path = (workspace.cwd() / given).lexically_normal();
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::symlink) return std::nullopt;
  auto target = resolved;
  if (target == path) {  // a dangling link
    target = (path.parent_path() / fs::read_symlink(path, error)).lexically_normal();
  }
  const auto why = fmt::format(
      "{} is a symbolic link and is not written through. Write to its target instead: "
      "{}",
      path.string(), target.string());
  auto refusal = failure(why);
  refusal.denied = why;
  return refusal;
}

std::string shown_text(std::string_view encoded_bytes) {
  const auto plain = decoded(encoded_bytes, encoding_of(encoded_bytes));
  const std::string_view bytes = plain;
  std::string text;
  text.reserve(bytes.size());
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    if (bytes.substr(at, 2) != "\r\n") text += bytes[at];
  }
  return utf8::valid(text) ? text : utf8::repaired(text);
}

std::optional<std::string> unsupported_encoding(std::string_view bytes, bool whole) {
  if (is_binary(bytes)) {
    return fmt::format(
        "File has NUL bytes in its first 8 KB: it is binary, or UTF-16 or UTF-32 without a byte "
        "order mark. {}",
        kNothingWritten);
  }
  if (is_utf16(encoding_of(bytes))) return std::nullopt;
  Utf8Check check;
  check.feed(bytes);
  if (check.valid(whole)) return std::nullopt;
  return fmt::format("File is not valid UTF-8: {}. {}", kOtherEncoding, kNothingWritten);
}

bool changed_since_seen(const fs::path& resolved, const FileStamp& now,
                        const Workspace& workspace) {
  const auto seen = workspace.seen(resolved);
  return seen && *seen != now;
}

std::optional<Outcome> refuse_unread(const fs::path& resolved, const FileStamp& now,
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
