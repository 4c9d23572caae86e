#include "harness/loop/read_agents_md.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/path.h"
#include "core/base/unique_fd.h"
#include "core/base/utf8.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

/// Where the file really is; empty: nowhere in the workspace.
fs::path real_path(const fs::path& workspace) {
  std::error_code error;
  const auto root = fs::canonical(workspace, error);
  if (error) return {};
  auto file = fs::canonical(root / "AGENTS.md", error);
  if (error) return {};
  return is_below(file, root) ? file : fs::path();
}

std::string read_up_to(int fd, std::size_t most_bytes) {
  std::string text(most_bytes, '\0');
  std::size_t have = 0;
  while (have < most_bytes) {
    const ssize_t got = ::read(fd, text.data() + have, most_bytes - have);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  text.resize(have);
  return text;
}

}  // namespace

std::string read_agents_md(const fs::path& workspace, std::size_t most_bytes, std::size_t& size) {
  size = 0;
  const auto path = real_path(workspace);
  if (path.empty()) return {};
  const UniqueFd fd(
      ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY));
  struct stat info{};
  if (!fd || ::fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode)) return {};
  size = static_cast<std::size_t>(info.st_size);
  // A character that begins within the limit may end behind it.
  const auto text = read_up_to(fd.get(), std::min(size, most_bytes + 4));
  return std::string(utf8::prefix(text, most_bytes));
}

}  // namespace ralph::loop
