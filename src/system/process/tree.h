#pragma once
#include <sys/types.h>

#include "system/process/plain_list.h"

namespace ralph::process {

using PidList = PlainList<pid_t>;

/// What /proc says about a process.
struct ProcessInfo {
  char state = '?';
  pid_t parent = 0;
  pid_t session = 0;
  unsigned long cpu_ticks = 0;  // its own, and of the children it has waited for

  bool alive() const { return state != 'Z' && state != 'X'; }
};

/// False: no such process.
bool read_process(pid_t pid, ProcessInfo& info);

/// Where the children of a process are read: the kernel's own lists, or a scan of every process.
enum class ChildrenSource { automatic, scan };

/// Signals whole process trees below a reaper (the process orphans come to): ralph or the guard.
/// Shared by both, so it needs no C++ runtime.
class Tree {
 public:
  /// `uncounted` is the agent itself: it is signalled like the rest but not counted as a stray.
  Tree(pid_t reaper, pid_t uncounted, ChildrenSource source = ChildrenSource::automatic);
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree();

  /// Children of all threads of a process, zombies included. May miss one that is born just now.
  void append_children(pid_t pid, PidList& list) const;

  /// One round: every live process of the trees of `roots` (children of the reaper) gets the
  /// signal, SIGTERM followed by SIGCONT; 0 only counts. Returns how many were never met before. Stops
  /// after `most_ms` milliseconds, unless that is 0.
  int signal_trees(const PidList& roots, int signal_number, int most_ms = 0);

  /// Signals the process `generations` below `top`, the first live child of each; `top` itself when
  /// there is none. `top` is a child of the reaper that was not waited for.
  void signal_below(pid_t top, int generations, int signal_number) const;

  /// Distinct live processes met so far, beside the uncounted one.
  int strays() const { return strays_; }
  /// Live processes the last round met, signalled or not.
  int alive() const { return alive_; }

 private:
  int open_first_child(pid_t parent, int parent_pidfd, pid_t& child) const;
  bool signal_one(pid_t pid, pid_t parent, int signal_number);
  bool note_met(pid_t pid);

  pid_t reaper_;
  pid_t uncounted_;
  bool has_lists_;
  unsigned char* seen_;  // one bit per process id
  int strays_ = 0;
  int alive_ = 0;
};

}  // namespace ralph::process
