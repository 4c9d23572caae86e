#include "system/process/cpu_time.h"

#include <unistd.h>

#include "system/process/tree.h"

namespace ralph::process {

namespace {

constexpr std::size_t kMostProcesses = 10'000;  // a tree that grows faster than it is read

}  // namespace

Millis tree_cpu_time(pid_t root) {
  const Tree tree(-1, -1);
  PidList todo;
  todo.push(root);
  unsigned long ticks = 0;
  for (std::size_t read = 0; !todo.empty() && read < kMostProcesses; ++read) {
    const pid_t pid = todo.pop();
    ProcessInfo info;
    // Before its children: one that is waited for meanwhile is missed, not counted twice.
    if (!read_process(pid, info)) continue;
    ticks += info.cpu_ticks;
    tree.append_children(pid, todo);
  }
  const auto per_second = static_cast<unsigned long>(::sysconf(_SC_CLK_TCK));
  return Millis(static_cast<Millis::rep>(ticks * 1000 / per_second));
}

}  // namespace ralph::process
