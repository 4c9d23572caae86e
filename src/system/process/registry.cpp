#include "system/process/registry.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/time.h"
#include "system/process/tree.h"

namespace ralph::process {

namespace {

constexpr Millis kNoProgress{3000};
constexpr Millis kLongestSweep{5000};  // whatever progress there is
constexpr Millis kRoundPause{1};
constexpr int kPassMs = 100;

struct Registry {
  std::mutex mutex;
  std::vector<pid_t> guards;
};

/// Never destroyed: threads may still end their runs while the process leaves main().
Registry& registry() {
  static Registry& instance = *new Registry;
  return instance;
}

/// Orphans come to us and can be waited for, whatever we inherited from our own parent.
void become_subreaper() {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  struct sigaction action{};
  if (::sigaction(SIGCHLD, nullptr, &action) == 0 && action.sa_handler == SIG_IGN) {
    ::signal(SIGCHLD, SIG_DFL);
  }
}

void append_orphans(const Registry& locked, const Tree& tree, PidList& orphans) {
  PidList children;
  tree.append_children(::getpid(), children);
  const pid_t our_session = ::getsid(0);
  for (const pid_t child : children) {
    ProcessInfo info;
    const bool guard = std::ranges::find(locked.guards, child) != locked.guards.end();
    if (!guard && read_process(child, info) && info.session != our_session) orphans.push(child);
  }
}

struct Round {
  std::size_t orphans = 0;
  bool progress = false;
};

Round kill_orphans(Tree& tree) {
  const std::lock_guard lock(registry().mutex);
  PidList orphans;
  append_orphans(registry(), tree, orphans);
  bool progress = tree.signal_trees(orphans, SIGKILL, kPassMs) > 0;
  for (const pid_t orphan : orphans) {
    if (::waitpid(orphan, nullptr, WNOHANG | __WALL) > 0) progress = true;
  }
  return {orphans.size(), progress};
}

Swept sweep_orphans(pid_t program) {
  Tree tree(::getpid(), program);
  const auto begin = std::chrono::steady_clock::now();
  auto last_progress = begin;
  for (;;) {
    const Round round = kill_orphans(tree);
    const auto now = std::chrono::steady_clock::now();
    if (round.orphans == 0) return {tree.strays(), 0};
    if (now - begin > kLongestSweep) return {tree.strays(), std::max(tree.alive(), 1)};
    if (round.progress) {
      last_progress = now;  // and at once again: a fork loop must not get ahead
    } else if (now - last_progress > kNoProgress) {
      return {tree.strays(), tree.alive()};
    } else {
      std::this_thread::sleep_for(kRoundPause);
    }
  }
}

}  // namespace

pid_t register_guard(const std::function<pid_t()>& spawn) {
  static std::once_flag once;
  std::call_once(once, become_subreaper);
  const std::lock_guard lock(registry().mutex);
  const pid_t guard = spawn();
  if (guard > 0) registry().guards.push_back(guard);
  return guard;
}

void retire_guard(pid_t guard) {
  if (guard <= 0) return;  // to kill() such a number means many processes
  ::kill(guard, SIGKILL);
  // Once it is a zombie its children are ours; until it is reaped its number is nobody else's.
  siginfo_t info{};
  while (::waitid(P_PID, static_cast<id_t>(guard), &info, WEXITED | WNOWAIT) != 0 &&
         errno == EINTR) {
  }
  const std::lock_guard lock(registry().mutex);
  ::waitpid(guard, nullptr, WNOHANG);
  std::erase(registry().guards, guard);
}

void wake_guard(pid_t guard) {
  const std::lock_guard lock(registry().mutex);
  const auto& guards = registry().guards;
  if (std::ranges::find(guards, guard) != guards.end()) ::kill(guard, SIGCONT);
}

Swept retire_lost_guard(pid_t guard, pid_t program) {
  retire_guard(guard);
  return sweep_orphans(program);
}

}  // namespace ralph::process
