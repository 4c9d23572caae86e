#include "system/process/guard/placeholders.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "core/base/placeholder.h"
#include "system/process/guard/files.h"

namespace ralph::process::guard {

namespace {

constexpr mode_t kUsual = 0755;
constexpr int kMostAttempts = 100;

bool same(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

bool make(const char* path) {
  const mode_t before = ::umask(0);
  const bool made = ::mkdir(path, kPlaceholderMode) == 0;
  ::umask(before);
  return made;
}

/// Never for long: who removes a placeholder holds the lock for a moment only.
void pause_shortly() {
  const timespec millisecond{0, 1'000'000};
  ::nanosleep(&millisecond, nullptr);
}

/// The directory with a shared lock, if it is still the one at the path; -1: it is not, or it is being removed.
int lock(const char* path) {
  const int fd = ::open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return -1;
  struct stat opened{};
  struct stat there{};
  if (::flock(fd, LOCK_SH | LOCK_NB) == 0 && ::fstat(fd, &opened) == 0 &&
      ::lstat(path, &there) == 0 && same(opened, there)) {
    return fd;
  }
  ::close(fd);
  return -1;
}

}  // namespace

bool Placeholders::hold(const char* path) {
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    struct stat status{};
    if (::lstat(path, &status) == 0) {
      if (S_ISLNK(status.st_mode)) {
        errno = ELOOP;
        return false;
      }
      if (!is_placeholder(status)) return true;
    } else if (errno != ENOENT || (!make(path) && errno != EEXIST)) {
      return false;
    }
    const int fd = lock(path);
    if (fd < 0) {
      pause_shortly();
      continue;
    }
    held_.push({path, fd});
    return true;
  }
  errno = EBUSY;
  return false;
}

void Placeholders::release() {
  for (const Held& held : held_) {
    struct stat status{};
    struct stat there{};
    // Who fails to get the lock for itself is not the last: another guard still needs the directory.
    ::flock(held.fd, LOCK_UN);
    const bool last = ::flock(held.fd, LOCK_EX | LOCK_NB) == 0;
    if (last && ::fstat(held.fd, &status) == 0 && is_placeholder(status) &&
        ::lstat(held.path, &there) == 0 && same(status, there) && ::rmdir(held.path) != 0) {
      ::fchmod(held.fd, kUsual);
    }
    ::close(held.fd);
  }
  held_.clear();
}

}  // namespace ralph::process::guard
