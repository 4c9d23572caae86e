#pragma once
#include <string>

#include <sys/types.h>

#include "core/base/result.h"
#include "core/base/time.h"
#include "core/base/unique_fd.h"
#include "system/process/command.h"

namespace ralph::process {

/// What a running program is made of, seen from our side. Descriptors are non-blocking.
struct ChildParts {
  pid_t guard = -1;
  pid_t program = -1;
  UniqueFd control;  // the socket to the guard
  UniqueFd in;       // none: the program's stdin is at its end
  UniqueFd out;
  UniqueFd err;
  Transport transport = Transport::pipe;
  std::string input;          // still to be written to `in`
  bool keep_in_open = false;  // after `input`, until RunHandle::close_stdin()
  SteadyTime started;
};

/// A started program together with the guard that owns its process tree. Only start() makes one and
/// only supervise() uses it; a Child destroyed without supervise() ends its whole tree.
class Child {
 public:
  explicit Child(ChildParts parts) : parts_(std::move(parts)) {}
  Child(Child&& other) noexcept : parts_(other.take()) {}
  Child& operator=(Child&& other) noexcept;
  ~Child();

  pid_t program_pid() const { return parts_.program; }
  pid_t guard_pid() const { return parts_.guard; }

  /// Hands over everything; the Child then owns nothing.
  ChildParts take();

 private:
  ChildParts parts_;
};

/// Starts `ralph-guard`, and through it the program. Returns once the program runs, or says
/// precisely why it does not: no such program, not executable, bad interpreter, no such directory,
/// arguments too long …
Result<Child> start(const Command& command);

}  // namespace ralph::process
