#include "system/process/guard/files.h"

#include <cerrno>
#include <cstdio>

#include <dirent.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace ralph::process::guard {

namespace {

/// What is left in a directory that a program filled. Directories in it are moved up before they are emptied, so that
/// depth costs nothing.
class Emptier {
 public:
  explicit Emptier(int top) : top_(top) {}

  void run() {
    do {
      moved_ = 0;
      empty(top_, true);
    } while (moved_ > 0);
  }

 private:
  void empty(int folder, bool is_top) {
    const int copy = ::openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR* const entries = copy < 0 ? nullptr : ::fdopendir(copy);
    if (entries == nullptr) {
      if (copy >= 0) ::close(copy);
      return;
    }
    while (const dirent* entry = ::readdir(entries)) {
      const char* const name = entry->d_name;
      if (name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'))) continue;
      if (::unlinkat(folder, name, 0) == 0 || ::unlinkat(folder, name, AT_REMOVEDIR) == 0) continue;
      if (is_top) {
        empty_below(name);
      } else {
        move_up(folder, name);
      }
    }
    ::closedir(entries);
  }

  void empty_below(const char* name) {
    ::fchmodat(top_, name, S_IRWXU, 0);
    const int folder = ::openat(top_, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) return;
    empty(folder, false);
    ::close(folder);
    ::unlinkat(top_, name, AT_REMOVEDIR);
  }

  void move_up(int folder, const char* name) {
    char higher[32];
    std::snprintf(higher, sizeof higher, ".removed-%lu", ++count_);
    ::fchmodat(folder, name, S_IRWXU,
               0);  // a directory that cannot be written cannot be moved either
    if (::renameat(folder, name, top_, higher) == 0) ++moved_;
  }

  int top_;
  unsigned long count_ = 0;
  unsigned long moved_ = 0;
};

/// A program may have taken our own rights to its directory away. Not by the path: that must not be a link.
void make_accessible(const char* path) {
  const int folder = open_exactly(path, O_PATH | O_DIRECTORY);
  if (folder < 0) return;
  char name[32];
  std::snprintf(name, sizeof name, "/proc/self/fd/%d", folder);
  ::chmod(name, S_IRWXU);
  ::close(folder);
}

}  // namespace

int open_exactly(const char* path, int flags) {
  open_how how{};
  how.flags = static_cast<unsigned>(flags) | O_CLOEXEC;
  how.resolve = RESOLVE_NO_SYMLINKS;
  return static_cast<int>(::syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

void remove_folder(const char* path) {
  if (::rmdir(path) == 0) return;
  make_accessible(path);
  const int folder = open_exactly(path, O_RDONLY | O_DIRECTORY);
  if (folder < 0) return;
  Emptier(folder).run();
  ::close(folder);
  ::rmdir(path);
}

}  // namespace ralph::process::guard
