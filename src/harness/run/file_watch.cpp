#include "harness/run/file_watch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

#include <fmt/core.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/path.h"

namespace ralph::run {
namespace {

// A write through mmap() is seen when the file is closed.
constexpr std::uint32_t kEvents =
    IN_MODIFY | IN_CLOSE_WRITE | IN_MOVE_SELF | IN_DELETE_SELF | IN_DONT_FOLLOW;

constexpr std::uint32_t kEntryEvents =
    IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DONT_FOLLOW | IN_ONLYDIR;

std::unexpected<Error> failed(int error) {
  return fail(Code::unavailable, fmt::format("cannot watch files: {}", std::strerror(error)),
              "raise fs.inotify.max_user_watches or max_user_instances");
}

bool is_missing(int error) { return error == ENOENT || error == ENOTDIR || error == ELOOP; }

}  // namespace

/// A program that has an absolute path would be led to another directory in the place of `root`.
void FileWatch::add_place(const std::filesystem::path& root) {
  const auto place = real_path(root);
  for (auto at = place; at.has_relative_path(); at = at.parent_path()) {
    const int id = ::inotify_add_watch(fd_.get(), at.parent_path().c_str(), kEntryEvents);
    if (id < 0) continue;
    folders_[id].entries.try_emplace(at.filename().native(), root.native());
  }
}

/// Every directory of the path tells when the next part of it is another file or directory.
Result<> FileWatch::add_folders(const std::filesystem::path& root, const std::string& file) {
  for (std::size_t begin = 0; begin < file.size();) {
    const auto end = std::min(file.find('/', begin), file.size());
    const auto folder = begin == 0 ? root : root / file.substr(0, begin - 1);
    const int id = ::inotify_add_watch(fd_.get(), folder.c_str(), kEntryEvents);
    if (id < 0) return is_missing(errno) ? Result<>() : failed(errno);
    folders_[id].entries.try_emplace(file.substr(begin, end - begin), (root / file).native());
    begin = end + 1;
  }
  return {};
}

Result<FileWatch> FileWatch::on(const std::filesystem::path& root,
                                const std::vector<std::string>& files) {
  FileWatch watch;
  watch.fd_ = UniqueFd(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC));
  if (!watch.fd_) return failed(errno);
  if (!files.empty()) watch.add_place(root);
  for (const auto& file : files) {
    TRY(watch.add_folders(root, file));
    const auto path = root / file;
    struct stat info{};
    // A watch on a directory would replace that on its entries.
    if (::lstat(path.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) continue;
    const int id = ::inotify_add_watch(watch.fd_.get(), path.c_str(), kEvents);
    if (id >= 0) {
      watch.names_[id] = path.native();
    } else if (!is_missing(errno)) {
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
      // The name is padded with zeros.
      const std::string_view entry(event.len == 0 ? "" : buffer.data() + at + sizeof event);
      at += sizeof event + event.len;
      if ((event.mask & IN_Q_OVERFLOW) != 0) found.insert("more files than can be counted");
      const auto name = names_.find(event.wd);
      if (name != names_.end() && (event.mask & kEvents) != 0) found.insert(name->second);
      const auto folder = folders_.find(event.wd);
      if (folder == folders_.end()) continue;
      const auto& entries = folder->second.entries;
      if (const auto hit = entries.find(entry); hit != entries.end()) found.insert(hit->second);
    }
  }
  return {found.begin(), found.end()};
}

}  // namespace ralph::run
