#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include <fcntl.h>
#include <fmt/core.h>
#include <net/if.h>
#include <sched.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/base/unique_fd.h"

extern char** environ;

namespace ralph::bench {
namespace {

double seconds_of(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

void print_row(std::string_view what, std::string_view ours, std::string_view peer,
               std::string_view goal, std::string_view verdict) {
  fmt::print("{:<46} {:>14}  {:<34} {:<26} {}\n", what, ours, peer, goal, verdict);
  std::fflush(stdout);
}

/// As exec takes them.
std::vector<char*> pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const auto& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

Table::Table() {
  print_row("what", "ours", "peer, same run", "goal", "");
  print_row(std::string(46, '-'), std::string(14, '-'), std::string(34, '-'), std::string(26, '-'),
            "----");
}

void Table::add(const Row& row) {
  if (!row.skipped.empty()) {
    return print_row(row.what, row.ours, row.peer, row.goal, "skipped: " + row.skipped);
  }
  print_row(row.what, row.ours, row.peer, row.goal, row.met ? "ok" : "MISS");
  if (!row.met) ++misses_;
}

double cpu_seconds() { return seconds_of(CLOCK_THREAD_CPUTIME_ID); }
double wall_seconds() { return seconds_of(CLOCK_MONOTONIC); }

double best_of(int rounds, const std::function<void()>& work) {
  double best = 1e9;
  for (int i = 0; i < rounds; ++i) {
    const double begin = cpu_seconds();
    work();
    best = std::min(best, cpu_seconds() - begin);
  }
  return best;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

Used run_program(const std::vector<std::string>& argv,
                 const std::vector<std::string>& environment) {
  auto words = pointers(argv);
  auto variables = pointers(environment);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  Used used;
  const double begin = wall_seconds();
  pid_t pid = -1;
  if (::posix_spawn(&pid, words[0], &actions, nullptr, words.data(),
                    environment.empty() ? environ : variables.data()) == 0) {
    rusage usage{};
    ::wait4(pid, &used.status, 0, &usage);
    used.wall = wall_seconds() - begin;
    used.max_rss_kb = usage.ru_maxrss;
  }
  ::posix_spawn_file_actions_destroy(&actions);
  return used;
}

std::string leave_the_network() {
  if (::unshare(CLONE_NEWNET) != 0) {
    return fmt::format("no network namespace ({})", std::strerror(errno));
  }
  const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  ifreq loopback{};
  std::strcpy(loopback.ifr_name, "lo");
  loopback.ifr_flags = IFF_UP | IFF_RUNNING;
  if (::ioctl(socket.get(), SIOCSIFFLAGS, &loopback) != 0) {
    return fmt::format("no loopback ({})", std::strerror(errno));
  }
  return {};
}

}  // namespace ralph::bench
