#include "system/process/tree.h"

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

namespace ralph::process {

namespace {

constexpr std::size_t kMaxPids = std::size_t{1} << 22;  // the kernel's upper limit

std::int64_t now_ms() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1000 + time.tv_nsec / 1'000'000;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Appends the decimal numbers of a file such as "17 204 3311 ".
void append_numbers(const char* path, PidList& list) {
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  char buffer[4096];
  pid_t number = 0;
  ssize_t got = 0;
  while ((got = ::read(fd, buffer, sizeof buffer)) > 0) {
    for (ssize_t i = 0; i < got; ++i) {
      if (is_digit(buffer[i])) {
        number = number * 10 + (buffer[i] - '0');
      } else if (number != 0) {
        list.push(number);
        number = 0;
      }
    }
  }
  if (number != 0) list.push(number);
  ::close(fd);
}

/// Calls visit(name) for every entry of a directory of /proc whose name is a number.
template <typename Visit>
void for_each_number(const char* folder, Visit visit) {
  DIR* const dir = ::opendir(folder);
  if (dir == nullptr) return;
  while (const dirent* entry = ::readdir(dir)) {
    if (is_digit(entry->d_name[0])) visit(static_cast<pid_t>(std::atoi(entry->d_name)));
  }
  ::closedir(dir);
}

void append_listed_children(pid_t pid, PidList& list) {
  char folder[64];
  std::snprintf(folder, sizeof folder, "/proc/%d/task", pid);
  for_each_number(folder, [&](pid_t thread) {
    char path[96];
    std::snprintf(path, sizeof path, "/proc/%d/task/%d/children", pid, thread);
    append_numbers(path, list);
  });
}

void append_scanned_children(pid_t pid, PidList& list) {
  for_each_number("/proc", [&](pid_t candidate) {
    ProcessInfo info;
    if (read_process(candidate, info) && info.parent == pid) list.push(candidate);
  });
}

void send(pid_t pid, int pidfd, int signal_number) {
  if (pidfd >= 0) {
    ::syscall(SYS_pidfd_send_signal, pidfd, signal_number, nullptr, 0);
  } else {
    ::kill(pid, signal_number);
  }
}

}  // namespace

bool read_process(pid_t pid, ProcessInfo& info) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/stat", pid);
  const int fd = ::open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char text[512];
  const ssize_t got = ::read(fd, text, sizeof text - 1);
  ::close(fd);
  if (got <= 0) return false;
  text[got] = '\0';
  const char* after_name = std::strrchr(text, ')');
  if (after_name == nullptr) return false;
  unsigned long user = 0, system = 0, children_user = 0, children_system = 0;
  const int fields = std::sscanf(
      after_name + 1, " %c %d %*d %d %*d %*d %*u %*u %*u %*u %*u %lu %lu %lu %lu", &info.state,
      &info.parent, &info.session, &user, &system, &children_user, &children_system);
  info.cpu_ticks = user + system + children_user + children_system;
  return fields == 7;
}

Tree::Tree(pid_t reaper, pid_t uncounted, ChildrenSource source)
    : reaper_(reaper),
      uncounted_(uncounted),
      has_lists_(source == ChildrenSource::automatic &&
                 ::access("/proc/thread-self/children", R_OK) == 0),
      seen_(static_cast<unsigned char*>(std::calloc(kMaxPids / 8, 1))) {}

Tree::~Tree() { std::free(seen_); }

void Tree::append_children(pid_t pid, PidList& list) const {
  if (has_lists_) {
    append_listed_children(pid, list);
  } else {
    append_scanned_children(pid, list);
  }
}

int Tree::signal_trees(const PidList& roots, int signal_number, int most_ms) {
  struct Visit {
    pid_t pid;
    pid_t parent;
  };
  PlainList<Visit> todo;
  PidList children;
  int fresh = 0;
  alive_ = 0;
  for (const pid_t root : roots) todo.push({root, reaper_});
  const std::int64_t end = now_ms() + most_ms;
  while (!todo.empty() && (most_ms == 0 || now_ms() < end)) {
    const Visit visit = todo.pop();
    children.clear();
    append_children(visit.pid, children);
    if (signal_one(visit.pid, visit.parent, signal_number)) ++fresh;
    for (const pid_t child : children) todo.push({child, visit.pid});
  }
  return fresh;
}

/// A pidfd of the first live child, or -1. While the parent is there its number is no other's, so a
/// child that names it then is the parent's.
int Tree::open_first_child(pid_t parent, int parent_pidfd, pid_t& child) const {
  PidList children;
  append_children(parent, children);
  for (const pid_t candidate : children) {
    const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, candidate, 0));
    if (pidfd < 0) continue;
    ProcessInfo info;
    const bool ours = read_process(candidate, info) && info.parent == parent && info.alive();
    const bool parent_there =
        parent_pidfd < 0 || ::syscall(SYS_pidfd_send_signal, parent_pidfd, 0, nullptr, 0) == 0;
    child = candidate;
    if (ours && parent_there) return pidfd;
    ::close(pidfd);
  }
  return -1;
}

void Tree::signal_below(pid_t top, int generations, int signal_number) const {
  pid_t pid = top;
  int pidfd = -1;  // of `pid`, unless that is `top`: its number cannot be another's
  for (int i = 0; i < generations; ++i) {
    pid_t child = -1;
    const int child_pidfd = open_first_child(pid, pidfd, child);
    if (pidfd >= 0) ::close(pidfd);
    pidfd = child_pidfd;
    pid = pidfd >= 0 ? child : top;
    if (pidfd < 0) break;
  }
  send(pid, pidfd, signal_number);
  if (pidfd >= 0) ::close(pidfd);
}

bool Tree::signal_one(pid_t pid, pid_t parent, int signal_number) {
  // A child of the reaper keeps its number until it is reaped; deeper ones are held by a pidfd
  // while their parent is looked at again, so that a reused number is never signalled.
  const bool direct = parent == reaper_;
  const int pidfd = direct ? -1 : static_cast<int>(::syscall(SYS_pidfd_open, pid, 0));
  if (!direct && pidfd < 0 && errno == ESRCH) return false;
  ProcessInfo info;
  const bool ours = read_process(pid, info) && (info.parent == parent || info.parent == reaper_);
  if (ours) {
    // Also to a zombie: it may be the ended first thread of a process that goes on.
    send(pid, pidfd, signal_number);
    if (signal_number == SIGTERM) send(pid, pidfd, SIGCONT);
  }
  if (pidfd >= 0) ::close(pidfd);
  if (!ours || !info.alive()) return false;
  ++alive_;
  return note_met(pid);
}

bool Tree::note_met(pid_t pid) {
  const auto index = static_cast<std::size_t>(pid);
  if (seen_ == nullptr || index >= kMaxPids) return false;
  const auto bit = static_cast<unsigned char>(1U << (index % 8));
  if ((seen_[index / 8] & bit) != 0) return false;
  seen_[index / 8] = static_cast<unsigned char>(seen_[index / 8] | bit);
  if (pid != uncounted_) ++strays_;
  return true;
}

}  // namespace ralph::process
