#include "system/process/start_error.h"

#include <cerrno>
#include <cstring>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/unique_fd.h"

namespace ralph::process {

namespace {

using guard::Stage;

constexpr std::size_t kMaxArgument = 131'071;  // the kernel's 32 pages, less the closing NUL

/// What the start of a file says about how it would be executed.
struct Look {
  bool exists = false;
  bool folder = false;
  bool executable = false;
  std::string start;

  bool script() const { return start.starts_with("#!"); }
  bool elf() const { return start.starts_with("\177ELF"); }
  std::string_view first_line() const {
    return std::string_view(start).substr(0, start.find('\n'));
  }
  /// The path after "#!", with the carriage return a CRLF file leaves there.
  std::string_view interpreter() const {
    std::string_view rest = first_line().substr(2);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    return rest.substr(0, rest.find_first_of(" \t"));
  }
};

Look look_at(const std::filesystem::path& path) {
  Look look;
  struct stat status{};
  look.exists = ::stat(path.c_str(), &status) == 0;
  look.folder = look.exists && S_ISDIR(status.st_mode);
  look.executable = look.exists && ::faccessat(AT_FDCWD, path.c_str(), X_OK, AT_EACCESS) == 0;
  if (!look.exists || !S_ISREG(status.st_mode)) return look;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  char buffer[256];
  const ssize_t got = file ? ::read(file.get(), buffer, sizeof buffer) : 0;
  if (got > 0) look.start.assign(buffer, static_cast<std::size_t>(got));
  return look;
}

Error not_found(const std::string& program, const Look& look) {
  if (!look.exists) {
    return {Code::not_found, fmt::format("program '{}' does not exist", program),
            "check the path, or install it"};
  }
  if (look.script() && look.first_line().ends_with('\r')) {
    return {Code::not_found,
            fmt::format(
                "script '{}' has Windows line endings: its first line ends in a carriage return",
                program),
            fmt::format("convert it: sed -i 's/\\r$//' '{}'", program)};
  }
  if (look.script()) {
    return {Code::not_found,
            fmt::format("the interpreter '{}' of script '{}' does not exist", look.interpreter(),
                        program),
            "install it, or correct the script's first line"};
  }
  return {Code::not_found,
          fmt::format("'{}' needs a loader or a library that does not exist", program),
          "it was built for another system; install the build for this one"};
}

Error refused(const std::string& program, const Look& look) {
  if (look.folder) {
    return {Code::permission, fmt::format("'{}' is a directory, not a program", program),
            "give the path of the program"};
  }
  if (look.exists && !look.executable) {
    return {Code::permission, fmt::format("'{}' is not executable", program),
            fmt::format("chmod +x '{}'", program)};
  }
  if (look.script()) {
    return {Code::permission,
            fmt::format("the interpreter '{}' of script '{}' is not executable", look.interpreter(),
                        program),
            "check the script's first line"};
  }
  return {
      Code::permission, fmt::format("the system does not allow executing '{}'", program),
      "check the permissions of its directories, and whether the file system is mounted noexec"};
}

Error wrong_format(const std::string& program, const Look& look) {
  if (look.start.empty()) {
    return {Code::malformed, fmt::format("program '{}' is an empty file", program),
            "install it again"};
  }
  if (look.elf()) {
    return {Code::malformed,
            fmt::format("'{}' is a program for another machine architecture", program),
            "install the build for this architecture"};
  }
  return {Code::malformed,
          fmt::format("'{}' is neither a program nor a script with a #! line", program),
          "if it is a script, give it a first line such as #!/bin/sh"};
}

Error explain_exec(int error_number, const std::string& program, const Command& command) {
  const Look look = look_at(command.cwd / program);
  switch (error_number) {
    case ENOENT: return not_found(program, look);
    case EACCES:
    case EPERM: return refused(program, look);
    case ENOEXEC: return wrong_format(program, look);
    case E2BIG: return explain_too_long(command);
    case ENOTDIR:
      return {Code::not_found, fmt::format("program '{}' does not exist", program),
              "a part of its path is not a directory"};
    case ETXTBSY:
      return {Code::busy, fmt::format("program '{}' is being written", program),
              "wait until its installation has ended"};
    default: return fail_errno(error_number, fmt::format("cannot execute '{}'", program)).error();
  }
}

Error explain_folder(int error_number, const std::filesystem::path& folder) {
  switch (error_number) {
    case ENOENT:
      return {Code::not_found,
              fmt::format("working directory '{}' does not exist", folder.string()),
              "create it, or choose another"};
    case ENOTDIR:
      return {Code::usage,
              fmt::format("working directory '{}' is not a directory", folder.string()),
              "choose a directory"};
    default:
      return fail_errno(error_number,
                        fmt::format("cannot enter working directory '{}'", folder.string()))
          .error();
  }
}

std::string_view words_of(guard::ConfinePart part) {
  using guard::ConfinePart;
  switch (part) {
    case ConfinePart::rules: return "cannot read its rules";
    case ConfinePart::placeholder: return "cannot prevent the creation of a protected path";
    case ConfinePart::mount_namespace: return "cannot create a mount namespace";
    case ConfinePart::mounts: return "cannot mount a path read-only or writable";
    case ConfinePart::hidden: return "cannot hide a path";
    case ConfinePart::landlock: return "Landlock rejects a rule";
    case ConfinePart::privileges: return "cannot drop privileges";
    case ConfinePart::capabilities: return "cannot drop capabilities";
    case ConfinePart::filter: return "the kernel rejects the seccomp filter";
  }
  return "an unknown part failed";
}

Error explain_confine(const guard::Report& report, const std::string& program) {
  const std::string_view path(report.path, ::strnlen(report.path, sizeof report.path));
  const auto where = path.empty() ? std::string() : fmt::format(" ('{}')", path);
  return {Code::unavailable,
          fmt::format("'{}' not started, because it cannot be confined: {}{}: {}", program,
                      words_of(report.part), where, std::strerror(report.error)),
          "'ralph doctor' shows what this machine can enforce"};
}

}  // namespace

Error explain_too_long(const Command& command) {
  static constexpr std::string_view kHint = "send the prompt by stdin or in a file";
  for (std::size_t i = 0; i < command.argv.size(); ++i) {
    if (command.argv[i].size() <= kMaxArgument) continue;
    return {
        Code::limit,
        fmt::format("arguments too long: one argument may have at most 131,071 bytes, argument {} "
                    "of '{}' has {}",
                    i, command.argv[0], command.argv[i].size()),
        std::string(kHint)};
  }
  return {
      Code::limit,
      fmt::format("arguments too long: the arguments and the environment of '{}' together are more "
                  "than the system allows",
                  command.argv[0]),
      std::string(kHint)};
}

Result<> check_folder(const std::filesystem::path& folder) {
  struct stat status{};
  if (folder.empty()) return {};
  if (::stat(folder.c_str(), &status) != 0) return std::unexpected(explain_folder(errno, folder));
  if (!S_ISDIR(status.st_mode)) return std::unexpected(explain_folder(ENOTDIR, folder));
  return {};
}

Error explain_start_failure(const guard::Report& report, const std::string& program,
                            const Command& command) {
  const Stage stage = report.stage;
  const int error_number = report.error;
  switch (stage) {
    case Stage::confine: return explain_confine(report, program);
    case Stage::exec: return explain_exec(error_number, program, command);
    case Stage::folder: return explain_folder(error_number, command.cwd);
    case Stage::fork:
      return {
          Code::unavailable,
          fmt::format("cannot create a process for '{}': {}", program, std::strerror(error_number)),
          "raise the limit on processes (ulimit -u), or free memory"};
    case Stage::terminal:
      return {Code::unavailable,
              fmt::format("'{}' cannot get its terminal: {}", program, std::strerror(error_number)),
              ""};
    case Stage::arguments:
    case Stage::prepare:
    case Stage::session: break;
  }
  return {Code::internal,
          fmt::format("ralph-guard could not prepare '{}' (step {}): {}", program,
                      static_cast<unsigned>(stage), std::strerror(error_number)),
          "install ralph again, so that it and ralph-guard are of the same version"};
}

}  // namespace ralph::process
