#include "loop/file_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>

#include <fmt/core.h>
#include <sys/inotify.h>
#include <unistd.h>

namespace ralph::loop {
namespace {

// A write through mmap() is seen when the file is closed.
constexpr std::uint32_t kEvents =
    IN_MODIFY | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW;

}  // namespace

Result<FileWatch> FileWatch::on(const std::vector<std::filesystem::path>& files) {
  FileWatch watch;
  const auto failed = [](int error) {
    return fail(Code::unavailable, fmt::format("files cannot be watched: {}", std::strerror(error)),
                "raise fs.inotify.max_user_watches or max_user_instances");
  };
  watch.fd_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch.fd_) return failed(errno);
  for (const auto& file : files) {
    const int id = ::inotify_add_watch(watch.fd_.get(), file.c_str(), kEvents);
    if (id >= 0) {
      watch.names_[id] = file.native();
    } else if (errno != ENOENT && errno != ENOTDIR) {
      return failed(errno);
    }
  }
  return watch;
}

std::vector<std::string> FileWatch::changed() {
  std::set<std::string> found;
  alignas(inotify_event) std::array<char, 16384> buffer{};
  for (;;) {
    const auto got = ::read(fd_.get(), buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    for (std::size_t at = 0; at + sizeof(inotify_event) <= static_cast<std::size_t>(got);) {
      inotify_event event{};
      std::memcpy(&event, buffer.data() + at, sizeof event);
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) found.insert("more files than can be counted");
      const auto name = names_.find(event.wd);
      if (name != names_.end() && (event.mask & kEvents) != 0) found.insert(name->second);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace ralph::loop
