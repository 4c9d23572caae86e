#include "system/process/guard/mounts.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <linux/mount.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "system/process/guard/files.h"

// <sys/mount.h> and <linux/mount.h> of one system may not be included together.
extern "C" int mount(const char*, const char*, const char*, unsigned long, const void*) noexcept;

namespace ralph::process::guard {

namespace {

constexpr unsigned kCopy = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
constexpr unsigned kRecursive = 0x8000;  // AT_RECURSIVE
constexpr unsigned long kPrivate = 1UL << 18;
constexpr unsigned long kNoSuidDevExec = 2 | 4 | 8;
constexpr const char* kFile = "file";
constexpr const char* kFolder = "folder";

bool write_file(const char* path, const char* text) {
  const int fd = ::open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const bool written = ::write(fd, text, std::strlen(text)) > 0;
  const int error = errno;
  ::close(fd);
  errno = error;
  return written;
}

bool enter_user_namespace() {
  const unsigned user = ::geteuid();
  const unsigned group = ::getegid();
  if (::unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  char users[64];
  char groups[64];
  std::snprintf(users, sizeof users, "%u %u 1", user, user);
  std::snprintf(groups, sizeof groups, "%u %u 1", group, group);
  return write_file("/proc/self/setgroups", "deny") && write_file("/proc/self/uid_map", users) &&
         write_file("/proc/self/gid_map", groups);
}

bool set_attributes(int from, const char* path, unsigned flags, const mount_attr& attributes) {
  return ::syscall(SYS_mount_setattr, from, path, flags, &attributes, sizeof attributes) == 0;
}

int copy_of(int from, const char* path, unsigned flags) {
  return static_cast<int>(::syscall(SYS_open_tree, from, path, kCopy | flags));
}

bool close_and(bool result, int fd) {
  const int error = errno;
  ::close(fd);
  errno = error;
  return result;
}

bool make_read_only(int tree) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return set_attributes(tree, "", AT_EMPTY_PATH | kRecursive, attributes);
}

}  // namespace

bool enter_mount_namespace() {
  if (::unshare(CLONE_NEWNS) != 0 && (errno != EPERM || !enter_user_namespace())) return false;
  mount_attr attributes{};
  attributes.propagation = kPrivate;
  return set_attributes(AT_FDCWD, "/", kRecursive, attributes);
}

int copy_mounts(const char* path) {
  const int fd = open_exactly(path, O_PATH);
  if (fd < 0) return -1;
  const int tree = copy_of(fd, "", AT_EMPTY_PATH | kRecursive);
  close_and(true, fd);
  return tree;
}

int copy_mounts_read_only(const char* path) {
  const int tree = copy_mounts(path);
  if (tree < 0 || make_read_only(tree)) return tree;
  close_and(false, tree);
  return -1;
}

bool make_all_read_only() {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY;
  return set_attributes(AT_FDCWD, "/", kRecursive, attributes);
}

bool put_mounts(int tree, const char* path) {
  const int to = open_exactly(path, O_PATH);
  if (to < 0) return close_and(false, tree);
  const bool moved = ::syscall(SYS_move_mount, tree, "", to, "",
                               MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) == 0;
  close_and(true, to);
  return close_and(moved, tree);
}

bool Cover::begin(const char* folder) {
  if (::mount("tmpfs", folder, "tmpfs", kNoSuidDevExec, "size=64k,nr_inodes=16,mode=0700") != 0)
    return false;
  nodes_ = open_exactly(folder, O_PATH | O_DIRECTORY);
  return nodes_ >= 0 && ::mknodat(nodes_, kFile, S_IFSOCK, 0) == 0 &&
         ::mkdirat(nodes_, kFolder, 0) == 0;
}

bool Cover::hide(const char* path) const {
  struct stat status{};
  const int there = open_exactly(path, O_PATH);
  if (there < 0) return false;
  const bool known = ::fstat(there, &status) == 0;
  close_and(true, there);
  if (!known) return false;
  const int tree = copy_of(nodes_, S_ISDIR(status.st_mode) ? kFolder : kFile, 0);
  if (tree < 0) return false;
  if (!make_read_only(tree)) return close_and(false, tree);
  return put_mounts(tree, path);
}

Cover::~Cover() {
  if (nodes_ >= 0) close_and(true, nodes_);
}

}  // namespace ralph::process::guard
