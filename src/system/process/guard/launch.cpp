#include "system/process/guard/launch.h"

#include <cerrno>

#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace ralph::process::guard {

namespace {

[[noreturn]] void give_up(Launch& agent, Stage stage) {
  agent.failed_stage = stage;
  agent.error = errno;
  ::_exit(127);
}

void check(Launch& agent, const ConfineError& confined) {
  if (confined.error == 0) return;
  agent.failed_part = confined.part;
  agent.failed_path = confined.path;
  errno = confined.error;
  give_up(agent, Stage::confine);
}

[[noreturn]] void become_agent(Launch& agent, pid_t guard) {
  if (::setsid() < 0) give_up(agent, Stage::session);
  if (agent.tty_fd >= 0 && ::ioctl(agent.tty_fd, TIOCSCTTY, 0) != 0) {
    give_up(agent, Stage::terminal);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != guard) ::_exit(127);
  if (agent.confiner != nullptr) check(agent, agent.confiner->enter_mounts());
  if (agent.cwd[0] != '\0' && ::chdir(agent.cwd) != 0) give_up(agent, Stage::folder);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  if (agent.confiner != nullptr) check(agent, agent.confiner->enter());
  ::execve(agent.program, agent.argv, environ);
  give_up(agent, Stage::exec);
}

}  // namespace

pid_t launch(Launch& agent) {
  const pid_t guard = ::getpid();
  // posix_spawn knows neither setsid with a controlling terminal nor a death signal. The child makes only
  // system calls until it becomes the agent.
  // NOLINTNEXTLINE(clang-analyzer-security.insecureAPI.vfork,bugprone-unsafe-functions)
  const pid_t child = ::vfork();
  if (child == 0) become_agent(agent, guard);  // NOLINT(clang-analyzer-unix.Vfork)
  return child;
}

}  // namespace ralph::process::guard
