#pragma once
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/id.h"
#include "support/eventually.h"
#include "support/temp_folder.h"
#include "system/process/child.h"
#include "system/process/supervise.h"
#include "system/process/tree.h"

/// What the tests of this module share: scripted agents, runs with captured output, and the question
/// whether anything of a run is still alive.
namespace ralph::process {

inline constexpr std::chrono::seconds kLongWait{60};

using test::eventually;
using test::TempFolder;

inline std::string fake_agent() { return RALPH_BUILD "/fake_agent"; }

/// Ids of live processes whose environment holds "RALPH_TEST_MARK=mark"; zombies have none.
inline std::vector<pid_t> alive_with_mark(const std::string& mark) {
  const std::string wanted = "RALPH_TEST_MARK=" + mark;
  std::vector<pid_t> found;
  DIR* const proc = ::opendir("/proc");
  while (const dirent* entry = ::readdir(proc)) {
    const pid_t pid = std::atoi(entry->d_name);
    if (pid <= 0) continue;
    std::ifstream file("/proc/" + std::to_string(pid) + "/environ", std::ios::binary);
    for (std::string variable; std::getline(file, variable, '\0');) {
      if (variable == wanted) found.push_back(pid);
    }
  }
  ::closedir(proc);
  return found;
}

/// A fake agent with its script in a folder of its own; everything it starts carries `mark`.
struct Agent {
  TempFolder folder;
  std::string mark = random_hex(8);
  Command command;

  explicit Agent(std::string script, Transport transport = Transport::pipe) {
    for (std::size_t at = 0; (at = script.find("DIR/", at)) != std::string::npos;) {
      script.replace(at, 4, folder.path().string() + "/");
    }
    command.argv = {fake_agent(), folder.write("script", script)};
    command.env = {{"RALPH_TEST_MARK", mark}};
    command.transport = transport;
  }

  bool reached(std::string_view file) const {
    return eventually([&] { return std::filesystem::exists(folder / file); });
  }
  bool nothing_alive() const { return alive_with_mark(mark).empty(); }
};

/// A finished run with everything it wrote.
struct Ran {
  Exit exit;
  std::string out;
  std::string err;
};

inline Sink append_to(std::string& text) {
  return [&text](std::string_view bytes) -> Result<> {
    text += bytes;
    return {};
  };
}

/// For trees that leave on SIGTERM, however slow the machine is.
inline EndPolicy patient() {
  return {.grace = kLongWait, .drain = Millis{200}, .patience = kLongWait};
}
/// For trees that need SIGKILL: then nothing may depend on who was faster.
inline EndPolicy hasty() {
  return {.grace = Millis{50}, .drain = Millis{200}, .patience = kLongWait};
}

/// Starts and supervises; a start that fails is a failed test and an empty Ran.
inline Ran run(const Command& command, RunHandle& watch, std::stop_token stop = {},
               const EndPolicy& policy = patient()) {
  Ran ran;
  auto child = start(command);
  if (!child) {
    ADD_FAILURE() << describe(child.error());
    return ran;
  }
  const Sinks sinks{append_to(ran.out), append_to(ran.err)};
  ran.exit = supervise(*std::move(child), sinks, watch, std::move(stop), policy);
  return ran;
}

inline Ran run(const Command& command) {
  RunHandle watch;
  return run(command, watch);
}

/// Children of this process that nobody waited for.
inline std::vector<pid_t> zombies_of_ours() {
  PidList children;
  Tree(::getpid(), -1).append_children(::getpid(), children);
  std::vector<pid_t> zombies;
  for (const pid_t pid : children) {
    ProcessInfo info;
    if (read_process(pid, info) && info.state == 'Z') zombies.push_back(pid);
  }
  return zombies;
}

inline std::size_t open_descriptors() {
  const std::filesystem::directory_iterator fds("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(fds), end(fds)));
}

}  // namespace ralph::process
