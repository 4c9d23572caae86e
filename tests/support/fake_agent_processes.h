#pragma once
// The processes fake_agent can start. Included by it alone.
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <string>

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/fake_agent_basics.h"

namespace {

// ---- other processes; each says over a pipe when it is set up

/// Runs `body` in a child and returns its id once ready() has been called there.
template <typename Body>
pid_t child_process(Body body) {
  int pipe_fds[2];
  if (::pipe2(pipe_fds, O_CLOEXEC) != 0) ::_exit(96);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(pipe_fds[0]);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    body([&] { ::close(pipe_fds[1]); });
    ::_exit(0);
  }
  ::close(pipe_fds[1]);
  char none = 0;
  while (::read(pipe_fds[0], &none, 1) < 0 && errno == EINTR) {
  }
  ::close(pipe_fds[0]);
  return child;
}

void do_grandchild_holds_stdout(const std::string&) {
  child_process([](auto ready) {
    ready();
    sleep_for_ever();
  });
}

void do_endless_grandchild(const std::string&) {
  child_process([](auto ready) {
    ready();
    for (;;) out("still here\n");
  });
}

void do_daemon(const std::string&) {
  const pid_t between = child_process([](auto ready) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::signal(SIGTERM, SIG_IGN);
    ::signal(SIGHUP, SIG_IGN);
    ready();
    sleep_for_ever();
  });
  ::waitpid(between, nullptr, 0);
}

void do_spawn_tool(const std::string&) {
  child_process([](auto ready) {
    ::setsid();
    ready();
    sleep_for_ever();
  });
}

void do_late_grandchild(const std::string& text) {
  const pid_t parent = ::getpid();
  child_process([&](auto ready) {
    ready();
    while (::getppid() == parent) wait_ms(1);
    out(unescaped(text));
  });
}

void do_leaving_grandchild(const std::string& ms) {
  const pid_t parent = ::getpid();
  child_process([&](auto ready) {
    ready();
    while (::getppid() == parent) wait_ms(1);
    wait_ms(std::atoi(ms.c_str()));
  });
}

void do_forkloop(const std::string& ms) {
  const auto deadline = Clock::now() + std::chrono::milliseconds(std::atol(ms.c_str()));
  for (int chain = 0; chain < 8; ++chain) {
    if (::fork() != 0) continue;
    while (Clock::now() < deadline) {
      if (::fork() != 0) ::_exit(0);
      ::setsid();
    }
    ::_exit(0);
  }
}

}  // namespace
