#include "system/git/program.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/core.h>

#include "system/process/environment.h"

namespace ralph::git {
namespace {

constexpr std::size_t kMostOutput = std::size_t{256} << 20;
constexpr std::size_t kMostQuoted = 600;
constexpr Millis kAfterStop{5'000};

/// Settings that every call has, whatever the repository says.
constexpr std::string_view kSettings[] = {
    "core.hooksPath=/dev/null", "core.fsmonitor=false",    "commit.gpgsign=false",
    "protocol.allow=never",     "core.quotepath=false",    "gc.auto=0",
    "maintenance.auto=false",   "submodule.recurse=false", "core.untrackedCache=false",
    "core.trustctime=true",     "core.checkStat=default",  "core.ignoreStat=false",
    "core.commitGraph=false",  // it may say what the commits do not
};

/// Variables of ours that a call may see. The others could lead to another repository, or change what git prints.
constexpr std::string_view kKept[] = {
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_KEY_",
    "GIT_CONFIG_VALUE_",
    "GIT_AUTHOR_",
    "GIT_COMMITTER_",
    "GIT_EXEC_PATH",
    "GIT_CEILING_DIRECTORIES",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM",
};

/// Instead of the settings of the user and of the machine. Names are taken as they are: none of them is another one's on
/// the file systems here.
constexpr std::pair<std::string_view, std::string_view> kNoUserSettings[] = {
    {"GIT_CONFIG_GLOBAL", "/dev/null"}, {"GIT_CONFIG_SYSTEM", "/dev/null"},
    {"GIT_CONFIG_COUNT", "2"},          {"GIT_CONFIG_KEY_0", "core.protectNTFS"},
    {"GIT_CONFIG_VALUE_0", "false"},    {"GIT_CONFIG_KEY_1", "core.protectHFS"},
    {"GIT_CONFIG_VALUE_1", "false"},    {"GIT_ATTR_NOSYSTEM", "1"},
};

/// Subcommands of ours that write: objects, refs, an index or files.
constexpr std::string_view kChanging[] = {
    "add",         "checkout",     "checkout-index", "clean",        "commit",
    "commit-tree", "init",         "read-tree",      "repack",       "reset",
    "stash",       "symbolic-ref", "update-ref",     "update-index", "write-tree",
};

/// What git says, and what it means.
struct Meaning {
  std::string_view said;
  Code code;
  std::string_view hint;
};
constexpr Meaning kMeanings[] = {
    {"dubious ownership", Code::permission,
     "the repository belongs to another user; work as that user, or trust the repository as git "
     "says"},
    {"index.lock", Code::busy,
     "another git process is running here, or one crashed; if none is running, remove that file"},
    {"not uptodate", Code::busy, "the file changed meanwhile; try again"},
    {"would be overwritten", Code::busy, "the file was created meanwhile; try again"},
    {"would be removed", Code::busy, "the file was created meanwhile; try again"},
    {".lock': File exists", Code::busy,
     "another git process is running here, or one crashed; if none is running, remove that file"},
    {"must be run in a work tree", Code::usage, "a bare repository has no worktree"},
    {": No space left on device", Code::disk_full, "free disk space"},
    {": Disk quota exceeded", Code::disk_full, "free disk space"},
    {": Read-only file system", Code::disk_full, "mount the file system writable"},
    {"Permission denied", Code::permission, "check the owner of the files"},
};

bool is_kept(std::string_view name) {
  return std::ranges::any_of(kKept, [&](auto kept) { return name.starts_with(kept); });
}

/// Our environment's GIT_*, taken away.
std::vector<process::EnvChange> cleaned_environment() {
  std::vector<process::EnvChange> changes;
  const auto entries = process::changed_environment({});
  if (!entries) return changes;
  for (const std::string_view entry : *entries) {
    const auto name = entry.substr(0, entry.find('='));
    if (name.starts_with("GIT_") && !is_kept(name)) {
      changes.push_back({std::string(name), std::nullopt});
    }
  }
  return changes;
}

/// On one line, and not too long.
std::string quotable(std::string_view text) {
  std::string line;
  for (const char c : text.substr(0, kMostQuoted)) {
    const bool space = static_cast<unsigned char>(c) <= 0x20;
    if (!space) line += c;
    if (space && !line.empty() && line.back() != ' ') line += ' ';
  }
  if (!line.empty() && line.back() == ' ') line.pop_back();
  return text.size() > kMostQuoted ? line + " …" : line;
}

}  // namespace

bool changes_something(std::string_view subcommand) {
  return std::ranges::find(kChanging, subcommand) != std::end(kChanging);
}

Result<Program> Program::find() {
  TRY_ASSIGN(const auto environment, process::changed_environment({}));
  TRY_ASSIGN(auto path, process::find_program("git", environment, "/"));
  if (!path.starts_with('/')) {
    return fail(Code::not_found, "program 'git' was found only in a relative directory of PATH",
                "use absolute directories in PATH");
  }
  Program program;
  program.path_ = std::move(path);
  return program;
}

void Program::pin(std::filesystem::path root, std::filesystem::path git_folder) {
  root_ = std::move(root);
  git_folder_ = std::move(git_folder);
}

process::Command Program::command(const Call& call) const {
  process::Command command;
  command.argv = {path_};
  for (const auto setting : kSettings) {
    command.argv.insert(command.argv.end(), {"-c", std::string(setting)});
  }
  if (!git_folder_.empty()) {
    command.argv.push_back("--git-dir=" + git_folder_.native());
    command.argv.push_back("--work-tree=" + root_.native());
  }
  command.env = cleaned_environment();
  command.env.insert(command.env.end(), {{"GIT_TERMINAL_PROMPT", "0"},
                                         {"GIT_OPTIONAL_LOCKS", "0"},
                                         {"GIT_NO_LAZY_FETCH", "1"},
                                         {"GIT_NO_REPLACE_OBJECTS", "1"},
                                         {"GIT_GRAFT_FILE", "/dev/null"},
                                         {"GIT_EDITOR", "false"},
                                         {"LC_ALL", "C"}});
  if (ignores_user_settings_) {
    for (const auto& [name, value] : kNoUserSettings) {
      command.env.push_back({std::string(name), std::string(value)});
    }
  }
  if (!call.index.empty()) {
    // A split index would leave files in the git directory.
    command.argv.insert(command.argv.end(), {"-c", "core.splitIndex=false"});
    command.env.push_back({"GIT_INDEX_FILE", call.index.native()});
  }
  command.env.insert(command.env.end(), call.env.begin(), call.env.end());
  command.argv.insert(command.argv.end(), call.words.begin(), call.words.end());
  command.cwd = root_;
  if (!call.input.empty()) command.input = process::StdinText{call.input};
  return command;
}

/// What is ended while it writes an index of our own leaves nothing behind.
Millis Program::timeout_of(const Call& call) const {
  const auto& word = call.words.front();
  const bool own = !call.index.empty() && (word == "update-index" || word == "write-tree");
  if (changes_something(word) && !own) return Millis::zero();
  if (!limits_.stop.stop_requested()) return limits_.timeout;
  return limits_.timeout > Millis::zero() ? std::min(limits_.timeout, kAfterStop) : kAfterStop;
}

Result<process::Captured> Program::run(const Call& call) const {
  const auto timeout = timeout_of(call);
  const bool stoppable = !limits_.stop.stop_requested();
  auto line = command(call);
  if (wrap_) {
    TRY_ASSIGN(line, wrap_(std::move(line)));
  }
  TRY_ASSIGN(auto captured, process::capture(line, {timeout, kMostOutput},
                                             stoppable ? limits_.stop : std::stop_token()));
  const auto name = fmt::format("'git {}' in '{}'", call.words.front(), root_.native());
  if (captured.exit.ended_by == process::EndedBy::wall && !stoppable) {
    return fail(Code::limit, fmt::format("{} took longer than {} after ralph was asked to stop",
                                         name, format_duration(timeout)));
  }
  if (captured.exit.ended_by == process::EndedBy::wall) {
    return fail(Code::limit,
                fmt::format("{} took longer than {} (git_timeout)", name, format_duration(timeout)),
                "raise git_timeout (--git-timeout), or check for a slow "
                "disk");
  }
  if (captured.exit.ended_by == process::EndedBy::stop_request) {
    return fail(Code::unavailable, fmt::format("{} ended: ralph was asked to stop", name));
  }
  if (!captured.exit.exit_code) {
    return fail(Code::unavailable, fmt::format("{} was killed", name),
                "check whether the machine is out of memory");
  }
  if (captured.cut) {
    return fail(Code::limit, fmt::format("{} printed more than {} bytes", name, kMostOutput),
                "add generated files to .gitignore");
  }
  return captured;
}

Error Program::explain(const Call& call, const process::Captured& captured) const {
  const auto said = quotable(captured.err.empty() ? captured.out : captured.err);
  Error error{
      Code::unavailable,
      fmt::format("'git {}' failed in '{}': {}", call.words.front(), root_.native(),
                  said.empty() ? fmt::format("exit code {}", *captured.exit.exit_code) : said),
      {}};
  for (const auto& meaning : kMeanings) {
    if (captured.err.find(meaning.said) == std::string::npos) continue;
    error.code = meaning.code;
    error.hint = meaning.hint;
    break;
  }
  return error;
}

Result<std::string> Program::ask(const Call& call) const {
  TRY_ASSIGN(auto captured, run(call));
  if (!captured.ok()) return std::unexpected(explain(call, captured));
  return std::move(captured.out);
}

Result<std::string> Program::ask_line(const Call& call) const {
  TRY_ASSIGN(auto text, ask(call));
  if (text.ends_with('\n')) text.pop_back();
  return text;
}

}  // namespace ralph::git
