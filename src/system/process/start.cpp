#include <cerrno>
#include <cstring>
#include <filesystem>

#include <fcntl.h>
#include <fmt/core.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/file.h"
#include "system/process/child.h"
#include "system/process/confinement_rules.h"
#include "system/process/environment.h"
#include "system/process/guard/protocol.h"
#include "system/process/guard_image.h"
#include "system/process/guard_link.h"
#include "system/process/registry.h"
#include "system/process/start_error.h"
#include "system/process/stdio.h"

namespace ralph::process {

namespace {

constexpr Millis kStartPatience{60'000};

Result<> check(const Command& command) {
  if (command.argv.empty() || command.argv[0].empty()) {
    return fail(Code::usage, "no program given");
  }
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    if (command.argv[i].find('\0') == std::string::npos) continue;
    return fail(Code::usage,
                fmt::format("argument {} of '{}' has a NUL byte", i, command.argv[0].c_str()),
                "remove it: programs cannot receive NUL bytes");
  }
  if (command.cwd.native().find('\0') != std::string::npos) {
    return fail(Code::usage, "the path of the working directory has a NUL byte");
  }
  if (command.transport == Transport::pty && std::holds_alternative<StdinText>(command.input)) {
    return fail(Code::usage,
                "input text cannot be sent over a PTY: a raw terminal has no end of input",
                "use pipes, or give the prompt as an argument");
  }
  return check_folder(command.cwd);
}

/// Everything posix_spawn needs to start the guard.
struct GuardPlan {
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  const Stdio* stdio = nullptr;
  UniqueFd control;  // the guard's end
  UniqueFd rules;    // of a confinement
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  result.reserve(strings.size() + 1);
  for (std::string& string : strings) result.push_back(string.data());
  result.push_back(nullptr);
  return result;
}

class SpawnSettings {
 public:
  SpawnSettings(const GuardPlan& plan, int image) {
    ::posix_spawn_file_actions_init(&actions);
    for (int fd = 0; fd <= 2; ++fd) {
      dup(plan.stdio->theirs[static_cast<std::size_t>(fd)].get(), fd);
    }
    dup(plan.control.get(), guard::kControlFd);
    if (image >= 0) {
      dup(image, guard::kImageFd);
    } else {
      ::posix_spawn_file_actions_addclose(&actions, guard::kImageFd);
    }
    if (plan.rules) dup(plan.rules.get(), guard::kRulesFd);
    ::posix_spawn_file_actions_addclosefrom_np(
        &actions, plan.rules ? guard::kRulesFd + 1 : guard::kImageFd + 1);
    // Signals stay blocked in the guard from its first moment; none can end it before it is set up.
    ::posix_spawnattr_init(&attributes);
    sigset_t all;
    ::sigfillset(&all);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setsigmask(&attributes, &all);
    ::posix_spawnattr_setflags(
        &attributes,
        static_cast<short>(POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;
  ~SpawnSettings() {
    ::posix_spawn_file_actions_destroy(&actions);
    ::posix_spawnattr_destroy(&attributes);
  }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

 private:
  void dup(int from, int to) { ::posix_spawn_file_actions_adddup2(&actions, from, to); }
};

/// The guard's id, or -1 and the error number.
pid_t spawn_from(GuardPlan& plan, const std::string& path, int image, int& error_number) {
  const SpawnSettings settings(plan, image);
  const auto argv = pointers(plan.argv);
  const auto environment = pointers(plan.environment);
  return register_guard([&] {
    pid_t pid = -1;
    error_number = ::posix_spawn(&pid, path.c_str(), &settings.actions, &settings.attributes,
                                 argv.data(), environment.data());
    return error_number == 0 ? pid : -1;
  });
}

const char* guard_hint(int error_number) {
  switch (error_number) {
    case EMFILE:
    case ENFILE: return "raise the limit on open files (ulimit -n)";
    case EAGAIN:
    case ENOMEM: return "raise the limit on processes (ulimit -u), or free some memory";
    case ENOENT: return "mount /proc, or install ralph-guard beside ralph";
    default: return "install ralph-guard beside ralph, or in ../libexec/ralph";
  }
}

Result<pid_t> spawn_guard(GuardPlan& plan, const Command& command) {
  int error_number = 0;
  const auto image = guard_image_fd();
  if (!image) {
    error_number = image.error();
  } else {
    const std::string path = fmt::format("/proc/self/fd/{}", guard::kImageFd);
    const pid_t pid = spawn_from(plan, path, *image, error_number);
    if (pid > 0) return pid;
    if (error_number == E2BIG) return std::unexpected(explain_too_long(command));
  }
  std::error_code ignored;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", ignored);
  for (const std::string& path : guard_files(executable.string())) {
    const pid_t pid = spawn_from(plan, path, -1, error_number);
    if (pid > 0) return pid;
  }
  if (error_number == E2BIG) return std::unexpected(explain_too_long(command));
  return fail_errno(error_number, "cannot start ralph-guard", guard_hint(error_number));
}

Result<pid_t> wait_until_started(ChildParts& parts, const std::string& program,
                                 const Command& command) {
  guard::Report report;
  const auto deadline = std::chrono::steady_clock::now() + kStartPatience;
  const Heard heard = wait_for_report(parts.control.get(), report, deadline);
  if (heard == Heard::report && report.kind == guard::ReportKind::started) return report.pid;
  if (heard == Heard::report && report.kind == guard::ReportKind::start_failed) {
    retire_guard(parts.guard);
    return std::unexpected(explain_start_failure(report, program, command));
  }
  retire_lost_guard(parts.guard, -1);
  return fail(Code::unavailable, fmt::format("ralph-guard ended before '{}' was started", program),
              "it was killed, or the disk of the program does not respond; try again");
}

std::vector<std::string> guard_arguments(const Command& command, const std::string& program,
                                         int tty_fd, bool confined) {
  std::vector<std::string> argv{"ralph-guard",
                                std::to_string(guard::kVersion),
                                std::to_string(tty_fd),
                                std::to_string(command.wrapper_depth),
                                std::to_string(confined ? guard::kRulesFd : -1),
                                command.cwd.string(),
                                program,
                                "--"};
  argv.insert(argv.end(), command.argv.begin(), command.argv.end());
  return argv;
}

ChildParts our_side(Stdio stdio, const Command& command) {
  ChildParts parts;
  parts.in = std::move(stdio.in);
  parts.out = std::move(stdio.out);
  parts.err = std::move(stdio.err);
  parts.transport = command.transport;
  if (const auto* text = std::get_if<StdinText>(&command.input)) parts.input = text->bytes;
  if (const auto* open = std::get_if<StdinOpen>(&command.input)) parts.input = open->bytes;
  parts.keep_in_open = std::holds_alternative<StdinOpen>(command.input);
  return parts;
}

Result<UniqueFd> file_in_memory(std::string_view bytes) {
  UniqueFd file(::memfd_create("ralph-rules", MFD_CLOEXEC));
  if (!file) return fail_errno(errno, "cannot create a file in memory");
  if (const int error_number = try_write_all(file.get(), bytes)) {
    return fail_errno(error_number, "cannot write to a file in memory");
  }
  return dup_above_stdio(std::move(file));
}

/// The program's argv and its depth below us change when bubblewrap is put around it.
Result<> confine(Command& command, GuardPlan& plan) {
  const auto& confinement = *command.confinement;
  if (command.cwd.empty()) {
    return fail(Code::internal, "a confined program needs a working directory");
  }
  const auto support = command.support ? *command.support : support_for(confinement);
  TRY_ASSIGN(const auto mechanism, mechanism_for(confinement, support));
  TRY_ASSIGN(const auto rules, encode_rules(confinement, support, mechanism));
  TRY_ASSIGN(plan.rules, file_in_memory(rules));
  if (mechanism == Mechanism::kernel) return {};
  auto words = bubblewrap_words(confinement, support.bubblewrap, command.cwd);
  words.insert(words.end(), command.argv.begin(), command.argv.end());
  command.argv = std::move(words);
  command.wrapper_depth += 2;  // bwrap, its reaper, then the program
  return {};
}

Result<Child> start_checked(const Command& command, GuardPlan& plan) {
  TRY_ASSIGN(const std::string program,
             find_program(command.argv[0], plan.environment, command.cwd));
  TRY_ASSIGN(Stdio stdio, make_stdio(command));
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0) {
    return fail_errno(errno, "cannot create a socket for ralph-guard", guard_hint(errno));
  }
  UniqueFd control(pair[0]);
  TRY_ASSIGN(plan.control, dup_above_stdio(UniqueFd(pair[1])));
  plan.stdio = &stdio;
  plan.argv = guard_arguments(command, program, stdio.tty_fd, static_cast<bool>(plan.rules));
  const auto started = std::chrono::steady_clock::now();
  TRY_ASSIGN(const pid_t guard, spawn_guard(plan, command));
  plan.control.reset();
  ChildParts parts = our_side(std::move(stdio), command);
  parts.guard = guard;
  parts.control = std::move(control);
  parts.started = started;
  TRY_ASSIGN(parts.program, wait_until_started(parts, program, command));
  return Child(std::move(parts));
}

}  // namespace

Result<Child> start(const Command& command) {
  TRY(check(command));
  GuardPlan plan;
  if (!command.confinement) {
    TRY_ASSIGN(plan.environment, changed_environment(command.env));
    if (command.sandbox_filter == SandboxFilter::none) return start_checked(command, plan);
    auto filtered = command;
    TRY_ASSIGN(const auto rules, sandbox_rules(command.sandbox_filter));
    TRY_ASSIGN(plan.rules, file_in_memory(rules));
    filtered.argv.insert(filtered.argv.begin() + 1,
                         {"--seccomp", std::to_string(guard::kFilterFd)});
    return start_checked(filtered, plan);
  }
  auto confined = command;
  const auto& changes = command.confinement->environment;
  confined.env.insert(confined.env.end(), changes.begin(), changes.end());
  TRY_ASSIGN(plan.environment, changed_environment(confined.env));
  TRY(confine(confined, plan));
  return start_checked(confined, plan);
}

}  // namespace ralph::process
