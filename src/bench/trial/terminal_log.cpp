#include "bench/trial/terminal_log.h"

#include <algorithm>

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/base/utf8.h"

namespace ralph::trial {
namespace {

/// The length of the escape sequence at the front of the text, which begins with ESC.
std::size_t escape_length(std::string_view text) {
  if (text.size() < 2) return text.size();
  if (text[1] == '[') {
    const auto end = text.find_first_not_of("0123456789;?<=>!\"#$%&'()*+,-./ ", 2);
    return end == std::string_view::npos ? text.size() : end + 1;
  }
  if (text[1] != ']') return 2;
  for (std::size_t i = 2; i < text.size(); ++i) {
    if (text[i] == '\a') return i + 1;
    if (text[i] == '\x1b') return std::min(i + 2, text.size());
  }
  return text.size();
}

}  // namespace

Result<TerminalLog> TerminalLog::create(const std::filesystem::path& file, std::uint64_t most) {
  TRY(make_folders(file.parent_path(), 0755));
  TRY_ASSIGN(const auto folder, Folder::open(file.parent_path()));
  TRY_ASSIGN(auto fd, folder.create(file.filename().native()));
  return TerminalLog(std::move(fd), file, most);
}

Result<> TerminalLog::append(std::string_view bytes) {
  const auto before = bytes_;
  bytes_ += bytes.size();
  if (before > most_) return {};
  const auto fits = static_cast<std::size_t>(std::min<std::uint64_t>(most_ - before, bytes.size()));
  TRY(write_all(fd_.get(), bytes.substr(0, fits), path_.native()));
  if (bytes_ <= most_) return {};
  return write_all(fd_.get(), fmt::format("\n[OUTPUT TRUNCATED: Exceeded {} bytes]\n", most_),
                   path_.native());
}

Result<std::string> TerminalLog::text(std::size_t most) const {
  std::string bytes(static_cast<std::size_t>(std::min<std::uint64_t>(bytes_, most)), '\0');
  const int fd = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return fail_errno(errno, fmt::format("cannot read '{}'", path_.native()));
  const UniqueFd reading(fd);
  std::size_t got = 0;
  while (got < bytes.size()) {
    const auto count = ::read(reading.get(), bytes.data() + got, bytes.size() - got);
    if (count <= 0) break;
    got += static_cast<std::size_t>(count);
  }
  bytes.resize(got);
  return utf8::repaired(without_escapes(bytes));
}

std::string without_escapes(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (;;) {
    const auto at = text.find('\x1b');
    out += text.substr(0, at);
    if (at == std::string_view::npos) return out;
    text.remove_prefix(at);
    text.remove_prefix(escape_length(text));
  }
}

}  // namespace ralph::trial
