#pragma once
#include <cstdint>

/// What ralph and ralph-guard say to each other: one struct per datagram over a SOCK_SEQPACKET
/// pair. The guard is started as `ralph-guard VERSION TTY_FD DEPTH RULES_FD CWD PROGRAM -- ARGV…` with the
/// agent's environment and stdio; TTY_FD is the agent's descriptor that becomes its controlling
/// terminal, or -1; DEPTH is Command::wrapper_depth; RULES_FD has the agent's confinement (rules.h), or is
/// -1; an empty CWD keeps ours.
namespace ralph::process::guard {

inline constexpr std::uint32_t kVersion = 3;
inline constexpr int kControlFd = 3;  // the guard's end of the socket pair
inline constexpr int kImageFd = 4;    // the guard's own program, when it is started from a memfd
inline constexpr int kRulesFd = 5;    // the agent's confinement, if it has one
inline constexpr int kFilterFd = 6;   // its seccomp filter, where bubblewrap confines it
inline constexpr int kFirstArgument = 8;  // where the agent's argv starts in the guard's

/// How long processes the agent left behind may go on after SIGTERM; a request to end may shorten
/// it.
inline constexpr int kStrayGraceMs = 200;

enum class RequestKind : std::uint32_t {
  end = 1,     // SIGTERM to the tree, SIGKILL after `value` milliseconds
  signal = 2,  // signal `value` to the agent itself, or to the one it wraps
};

struct Request {
  std::uint32_t version = kVersion;
  RequestKind kind = RequestKind::end;
  std::int32_t value = 0;
};

enum class ReportKind : std::uint32_t { started = 1, start_failed = 2, exited = 3, swept = 4 };

/// The step of starting the agent that failed.
enum class Stage : std::uint32_t {
  arguments = 1,
  prepare,
  fork,
  session,
  terminal,
  folder,
  exec,
  confine,
};

/// Of Stage::confine: the part of the confinement that cannot be applied.
enum class ConfinePart : std::uint32_t {
  rules = 1,
  placeholder,
  mount_namespace,
  mounts,
  hidden,
  landlock,
  privileges,
  capabilities,
  filter,
};

/// One report; which fields mean something depends on `kind`.
struct Report {
  std::uint32_t version = kVersion;
  ReportKind kind = ReportKind::started;
  std::int32_t pid = 0;  // started
  Stage stage{};         // start_failed
  ConfinePart part{};    // of Stage::confine
  char path[256] = {};   // of Stage::confine: its beginning, if it is about one
  std::int32_t error = 0;
  std::int32_t exit_code = -1;  // exited: this, or the signal
  std::int32_t signal = 0;
  std::int32_t strays = 0;  // swept
  std::int32_t left = 0;
  std::int64_t ended_at_ns = 0;  // exited: CLOCK_MONOTONIC
  std::int64_t user_us = 0;
  std::int64_t system_us = 0;
  std::int64_t max_rss_kb = 0;
};

}  // namespace ralph::process::guard
