// ralph-guard: starts one agent, owns its process tree, and ends it when ralph asks, when the agent
// has ended, or when ralph is gone. The agent's bytes never pass through here.
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "system/process/guard/confiner.h"
#include "system/process/guard/launch.h"
#include "system/process/guard/protocol.h"
#include "system/process/tree.h"

namespace ralph::process::guard {

namespace {

constexpr std::int64_t kSettleMs = 20;        // for descendants that are leaving by themselves
constexpr std::int64_t kOrphanGraceMs = 300;  // when ralph is gone and nobody can say how long
constexpr std::int64_t kNoProgressMs = 3000;
constexpr std::int64_t kMostKillingMs = 10'000;  // whatever progress there is
constexpr int kRoundPauseMs = 5;
constexpr int kFastRounds = 20;
constexpr int kMostReaped = 10'000;  // before something else is looked at
constexpr int kPassMs = 100;  // a tree that grows faster than it is counted is killed, not counted

std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}
std::int64_t now_ms() { return now_ns() / 1'000'000; }
std::int64_t micros(const timeval& time) {
  return time.tv_sec * std::int64_t{1'000'000} + time.tv_usec;
}
std::int64_t earlier(std::int64_t a, std::int64_t b) { return a < b ? a : b; }

/// waitid with the fifth argument that only the system call has: the resource usage.
pid_t look_at_child(idtype_t type, pid_t pid, siginfo_t& info, rusage* usage) {
  info = {};
  const long failed =
      ::syscall(SYS_waitid, type, pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL, usage);
  return failed != 0 ? 0 : info.si_pid;
}

bool reap(pid_t pid) { return ::wait4(pid, nullptr, WNOHANG | __WALL, nullptr) > 0; }

/// Watches the agent and sweeps its tree. Its states: watching; sweeping, before and after SIGTERM
/// was sent; killing.
class Guard {
 public:
  Guard(pid_t agent, int wrapper_depth, int sigchld, Confiner& confiner)
      : agent_(agent),
        wrapper_depth_(wrapper_depth),
        sigchld_(sigchld),
        confiner_(confiner),
        tree_(::getpid(), agent) {}

  void run() {
    int timeout = -1;
    do {
      wait_for_something(timeout);
      reap_ended();
      if (sweeping_ && all_gone()) break;
      timeout = sweeping_ ? sweep_step() : -1;
    } while (!stuck_);
    confiner_.clean_up();
    Report report;
    report.kind = ReportKind::swept;
    report.strays = tree_.strays();
    report.left = !stuck_ ? 0 : tree_.alive() > 0 ? tree_.alive() : 1;
    send(report);
  }

  static void send(const Report& report) {
    ::send(kControlFd, &report, sizeof report, MSG_NOSIGNAL);
  }

 private:
  void wait_for_something(int timeout) {
    pollfd fds[2] = {{ralph_lives_ ? kControlFd : -1, POLLIN, 0}, {sigchld_, POLLIN, 0}};
    ::poll(fds, 2, timeout);
    if (fds[0].revents != 0) read_request();
    if (fds[1].revents != 0) {
      signalfd_siginfo drained;
      while (::read(sigchld_, &drained, sizeof drained) > 0) {
      }
    }
  }

  void read_request() {
    Request request;
    const ssize_t got = ::recv(kControlFd, &request, sizeof request, MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got != static_cast<ssize_t>(sizeof request) || request.version != kVersion) {
      ralph_lives_ = false;
      end_tree(kOrphanGraceMs);
    } else if (request.kind == RequestKind::end) {
      end_tree(request.value < 0 ? 0 : request.value);
    } else if (!agent_reaped_) {
      tree_.signal_below(agent_, wrapper_depth_, request.value);
    }
  }

  void end_tree(std::int64_t grace) {
    const std::int64_t now = now_ms();
    if (!sweeping_) {
      start_sweep(now, grace);
    } else {
      kill_at_ = earlier(kill_at_, (now > term_at_ ? now : term_at_) + grace);
    }
  }

  void start_sweep(std::int64_t term_at, std::int64_t grace) {
    sweeping_ = true;
    term_at_ = term_at;
    kill_at_ = term_at + grace;
  }

  void reap_ended() {
    siginfo_t info;
    rusage usage{};
    if (!agent_ended_ && look_at_child(P_PID, agent_, info, &usage) == agent_) {
      agent_ended_ = true;
      report_exit(info, usage);
      if (!sweeping_) start_sweep(now_ms() + kSettleMs, kStrayGraceMs);
    }
    for (int i = 0; !agent_ended_ && i < kMostReaped; ++i) {
      const pid_t ended = look_at_child(P_ALL, 0, info, nullptr);
      if (ended <= 0) return;
      if (ended == agent_) return reap_ended();
      if (reap(ended)) last_progress_ = now_ms();
    }
  }

  static void report_exit(const siginfo_t& info, const rusage& usage) {
    Report report;
    report.kind = ReportKind::exited;
    report.ended_at_ns = now_ns();
    (info.si_code == CLD_EXITED ? report.exit_code : report.signal) = info.si_status;
    report.user_us = micros(usage.ru_utime);
    report.system_us = micros(usage.ru_stime);
    report.max_rss_kb = usage.ru_maxrss;
    send(report);
  }

  /// The agent stays a zombie until nothing else is left, so that its group's number stays ours.
  bool all_gone() {
    if (!agent_ended_) return false;
    bool others = false;
    children_.clear();
    tree_.append_children(::getpid(), children_);
    for (const pid_t child : children_) {
      if (child == agent_) continue;
      if (reap(child)) {
        last_progress_ = now_ms();
      } else {
        others = true;
      }
    }
    if (others) return false;
    if (!agent_reaped_) agent_reaped_ = reap(agent_);
    return ::wait4(-1, nullptr, WNOHANG | __WALL, nullptr) < 0 && errno == ECHILD;
  }

  /// Does what is due and returns how long to wait for the next step.
  int sweep_step() {
    const std::int64_t now = now_ms();
    if (now < term_at_) return static_cast<int>(term_at_ - now);
    if (!term_sent_) {
      term_sent_ = true;
      signal_all(0);  // counts who is alive before the first death makes others leave
      signal_all(SIGTERM);
    }
    if (now < kill_at_) return static_cast<int>(kill_at_ - now);
    if (!killing_) start_killing(now);
    if (!agent_reaped_) ::kill(-agent_, SIGKILL);
    kill_children();
    const bool progress = signal_all(SIGKILL) > 0;
    if (progress) last_progress_ = now;
    stuck_ = now - last_progress_ > kNoProgressMs || now > give_up_at_;
    return progress ? 0 : kRoundPauseMs;
  }

  /// From here on we must not wait our turn among processes that fork; only some users get this.
  void start_killing(std::int64_t now) {
    killing_ = true;
    last_progress_ = now;
    give_up_at_ = now + kMostKillingMs;
    ::setpriority(PRIO_PROCESS, 0, -20);
  }

  /// A process that forks and leaves at once, again and again, is gone before a whole tree is looked at; but then its
  /// child is one of ours, whose number is no other's until we wait for it. One call each, many times over.
  void kill_children() {
    if (!agent_ended_) return;
    for (int round = 0; round < kFastRounds; ++round) {
      reap_all();
      children_.clear();
      tree_.append_children(::getpid(), children_);
      if (children_.empty()) return;
      for (const pid_t child : children_) ::kill(child, SIGKILL);
    }
  }

  /// The agent too: its group has been killed, and is not any more once its number may be another's.
  void reap_all() {
    for (int i = 0; i < kMostReaped; ++i) {
      const pid_t ended = ::wait4(-1, nullptr, WNOHANG | __WALL, nullptr);
      if (ended <= 0) return;
      agent_reaped_ = agent_reaped_ || ended == agent_;
      last_progress_ = now_ms();
    }
  }

  int signal_all(int signal_number) {
    children_.clear();
    tree_.append_children(::getpid(), children_);
    return tree_.signal_trees(children_, signal_number, kPassMs);
  }

  pid_t agent_;
  int wrapper_depth_;
  int sigchld_;
  Confiner& confiner_;
  Tree tree_;
  PidList children_;
  bool ralph_lives_ = true;
  bool agent_ended_ = false;
  bool agent_reaped_ = false;
  bool sweeping_ = false;
  bool term_sent_ = false;
  bool killing_ = false;
  bool stuck_ = false;
  std::int64_t term_at_ = 0;
  std::int64_t kill_at_ = 0;
  std::int64_t last_progress_ = 0;
  std::int64_t give_up_at_ = 0;
};

[[noreturn]] void refuse(Stage stage, int error, const ConfineError& confined = {}) {
  Report report;
  report.kind = ReportKind::start_failed;
  report.stage = stage;
  report.error = error;
  report.part = confined.part;
  std::strncpy(report.path, confined.path, sizeof report.path - 1);
  Guard::send(report);
  ::_exit(1);
}

/// All signals stay blocked: the guard is told everything by its socket and its signalfd.
int watch_children() {
  sigset_t all;
  ::sigfillset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  sigset_t child;
  ::sigemptyset(&child);
  ::sigaddset(&child, SIGCHLD);
  return ::signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
}

pid_t start_agent(Launch& agent, Confiner& confiner) {
  const pid_t pid = launch(agent);
  const int error = pid < 0 ? errno : agent.error;
  if (error == 0) return pid;
  if (pid >= 0) ::wait4(pid, nullptr, __WALL, nullptr);
  confiner.clean_up();
  if (pid < 0) refuse(Stage::fork, error);
  refuse(agent.failed_stage, error, {agent.failed_part, error, agent.failed_path});
}

/// Returns only when every part of the confinement is in place.
void confine(Confiner& confiner, int rules) {
  if (rules < 0) return;
  auto failed = confiner.load(rules);
  if (failed.error == 0) failed = confiner.prepare();
  if (failed.error == 0) return;
  confiner.clean_up();
  refuse(Stage::confine, failed.error, failed);
}

void close_agent_stdio() {
  for (int fd = 0; fd <= 2; ++fd) ::close(fd);
  if (::chdir("/") != 0) ::_exit(1);
}

}  // namespace

int guard_main(int argc, char** argv) {
  ::close(kImageFd);
  ::fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_NAME, "ralph-guard");
  if (argc <= kFirstArgument || std::atoi(argv[1]) != static_cast<int>(kVersion)) {
    refuse(Stage::arguments, EPROTO);
  }
  const int sigchld = watch_children();
  if (sigchld < 0 || ::prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) refuse(Stage::prepare, errno);
  Confiner confiner;
  confine(confiner, std::atoi(argv[4]));
  Launch agent;
  agent.tty_fd = std::atoi(argv[2]);
  agent.cwd = argv[5];
  agent.program = argv[6];
  agent.argv = argv + kFirstArgument;
  agent.confiner = confiner.active() ? &confiner : nullptr;
  const pid_t pid = start_agent(agent, confiner);
  close_agent_stdio();
  Report started;
  started.pid = pid;
  Guard::send(started);
  Guard(pid, std::atoi(argv[3]), sigchld, confiner).run();
  return 0;
}

}  // namespace ralph::process::guard

int main(int argc, char** argv) { return ralph::process::guard::guard_main(argc, argv); }
