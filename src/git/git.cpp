#include "git/git.h"

#include <algorithm>

#include <fmt/core.h>

#include "git/status.h"
#include "process/supervise.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{64} << 10;
constexpr std::string_view kNoRepository = "fatal: not a git repository (or any";

/// What a hook, a person's settings or a terminal would change in what git says and does.
struct Variable {
  const char* name;
  const char* value = nullptr;  // nullptr: removed
};
constexpr Variable kEnvironment[] = {
    {"GIT_OPTIONAL_LOCKS", "0"},
    {"GIT_TERMINAL_PROMPT", "0"},
    {"GIT_NO_LAZY_FETCH", "1"},
    {"GIT_PAGER", "cat"},
    {"LC_ALL", "C"},
    {"LANGUAGE"},
    {"GIT_DIR"},
    {"GIT_WORK_TREE"},
    {"GIT_INDEX_FILE"},
    {"GIT_COMMON_DIR"},
    {"GIT_NAMESPACE"},
    {"GIT_PREFIX"},
    {"GIT_OBJECT_DIRECTORY"},
    {"GIT_ALTERNATE_OBJECT_DIRECTORIES"},
};

process::Command status_command(const fs::path& folder) {
  process::Command command;
  // core.fsmonitor would start a daemon, or a program the repository names.
  command.argv = {"git",
                  "-c",
                  "core.fsmonitor=false",
                  "--no-pager",
                  "status",
                  "--porcelain=v2",
                  "--branch",
                  "--untracked-files=no",
                  "--ignore-submodules=dirty",
                  "--no-ahead-behind",
                  "--no-renames"};
  command.cwd = folder;
  for (const auto& [name, value] : kEnvironment) {
    command.env.push_back({name, value ? std::optional<std::string>(value) : std::nullopt});
  }
  return command;
}

/// Whether this folder or one above it has a .git: a folder, or a file in worktrees and submodules.
bool has_git_above(fs::path folder) {
  for (std::error_code ignored;; folder = folder.parent_path()) {
    if (fs::exists(folder / ".git", ignored)) return true;
    if (folder == folder.parent_path()) return false;
  }
}

/// Keeps the beginning: all that is needed, however many files have changed.
process::Sink keep_beginning(std::string& text) {
  return [&text](std::string_view bytes) -> Result<> {
    text += bytes.substr(0, kMostBytes - std::min(kMostBytes, text.size()));
    return {};
  };
}

/// The line git complains in; all it said when there is none.
std::string_view complaint_in(std::string_view text) {
  const auto at = text.find("fatal: ");
  if (at != text.npos) text.remove_prefix(at);
  return text.substr(0, text.find('\n'));
}

std::unexpected<Error> fail_git(const fs::path& folder, const process::Exit& exit,
                                std::string_view complaint) {
  const auto what = fmt::format("git cannot tell the state of '{}'", folder.native());
  if (exit.ended_by == process::EndedBy::wall) {
    return fail(Code::unavailable, what + ": it took too long", "try `git status` there");
  }
  if (complaint.find("dubious ownership") != complaint.npos) {
    return fail(Code::permission, fmt::format("{}: {}", what, complaint),
                "if you trust it: git config --global --add safe.directory <that folder>");
  }
  const auto status = exit.signal ? fmt::format("signal {}", *exit.signal)
                                  : fmt::format("exit code {}", exit.exit_code.value_or(-1));
  return fail(Code::unavailable,
              fmt::format("{}: {}", what, complaint.empty() ? status : complaint),
              "try `git status` there");
}

}  // namespace

Result<std::optional<State>> read_state(const fs::path& folder, Millis limit) {
  std::error_code error;
  const auto absolute = fs::absolute(folder.empty() ? "." : folder, error);
  if (error || !fs::is_directory(absolute, error)) {
    return fail(Code::not_found, fmt::format("'{}' is not a folder", folder.native()));
  }
  if (!has_git_above(absolute)) return std::nullopt;

  auto child = process::start(status_command(absolute));
  if (!child && child.error().code == Code::not_found) return std::nullopt;
  if (!child) return std::unexpected(child.error());
  std::string out, err;
  process::Watch watch;
  watch.arm(process::Limit::wall, limit);
  const auto exit =
      process::supervise(*std::move(child), {keep_beginning(out), keep_beginning(err)}, watch, {});
  if (exit.exit_code == 0) return parse_status(out);
  const auto complaint = complaint_in(err);
  if (complaint.starts_with(kNoRepository)) return std::nullopt;
  return fail_git(absolute, exit, complaint);
}

}  // namespace ralph::git
