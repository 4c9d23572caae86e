#include "harness/run/clean_clone.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "harness/run/remove_tree.h"
#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::run {
namespace {

namespace fs = std::filesystem;

constexpr const char* kClonePath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr const char* kClonePrefix = "ralph-verify-";
constexpr Millis kCloneProbeLimit{10'000};
/// Wins over every .gitattributes.
constexpr std::string_view kRawAttributes = "* -text !eol !filter !ident !working-tree-encoding\n";

/// Of ralph's environment: the rest may be the agent's way to steer what is run, or a secret.
constexpr auto kKeptInClone = std::to_array<std::string_view>(
    {"LANG", "LANGUAGE", "LC_", "TERM", "TZ", "USER", "LOGNAME", "SHELL"});
/// Sockets and directories of others.
constexpr auto kHiddenFromClone =
    std::to_array<std::string_view>({"/tmp", "/var/tmp", "/run", "/var/lock"});

bool is_kept_in_clone(std::string_view name) {
  return std::ranges::any_of(kKeptInClone, [&](auto kept) {
    return name == kept || (kept.ends_with('_') && name.starts_with(kept));
  });
}

/// A temporary directory that the agent's workspace does not hold.
fs::path temporary_folder(const fs::path& workspace) {
  std::error_code error;
  auto folder = fs::canonical(fs::temp_directory_path(error), error);
  return error || is_below(folder, workspace) ? fs::path("/tmp") : folder;
}

/// A line of git's `alternates`. With a newline in it, it must be quoted as in C.
std::string alternates_line(const std::string& path) {
  if (!path.contains('\n')) return path + "\n";
  std::string quoted;
  for (const char c : path) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return '"' + quoted + "\"\n";
}

std::vector<std::string> bubblewrap_words(const std::string& bwrap) {
  std::vector<std::string> words{bwrap,
                                 "--die-with-parent",
                                 "--unshare-pid",
                                 "--unshare-net",
                                 "--unshare-ipc",
                                 "--ro-bind",
                                 "/",
                                 "/",
                                 "--dev",
                                 "/dev",
                                 "--proc",
                                 "/proc",
                                 "--remount-ro",
                                 "/proc"};
  if (::geteuid() == 0) words.insert(words.end(), {"--cap-drop", "ALL"});
  return words;
}

void conceal(std::vector<std::string>& words, const fs::path& path) {
  struct stat info{};
  if (path.empty() || path == "/" || ::lstat(path.c_str(), &info) != 0) return;
  if (S_ISLNK(info.st_mode)) {
    std::error_code error;
    const auto real = fs::canonical(path, error);
    return error ? void() : conceal(words, real);
  }
  if (S_ISDIR(info.st_mode)) {
    words.insert(words.end(), {"--tmpfs", path.native()});
  } else {
    words.insert(words.end(), {"--ro-bind", "/dev/null", path.native()});
  }
}

/// It traces its own process, which is denied, and would then fail every program that is built with it.
void turn_off_leak_detection(std::vector<process::EnvChange>& env) {
  constexpr const char* kName = "LSAN_OPTIONS";
  std::string options;
  for (const auto& change : env) {
    if (change.name == kName && change.value) options = *change.value + ":";
  }
  env.push_back({kName, options + "detect_leaks=0"});
}

/// The files of the index, as changes since HEAD.
Result<> check_out(const git::Program& git, const CleanClone::Source& source,
                   const std::string& commit) {
  if (source.entries.empty()) {
    TRY(git.ask({{"read-tree", source.tree}}));
  } else {
    TRY(git.ask({{"update-index", "-z", "--index-info"}, source.entries}));
  }
  TRY(git.ask({{"checkout-index", "--all", "--quiet", "--force"}}));
  TRY(git.ask({{"read-tree", commit.empty() ? "--empty" : commit}}));
  if (commit.empty()) return {};
  // From here on it needs no objects of another repository.
  TRY(git.ask({{"repack", "-a", "-d", "--quiet"}}));
  return {};
}

/// The same files give the same commit.
Result<std::string> commit_of_tree(const git::Program& git, const std::string& tree) {
  git::Call call{{"commit-tree", "-m", "base", tree}};
  for (const auto* who : {"AUTHOR", "COMMITTER"}) {
    call.env.push_back({fmt::format("GIT_{}_NAME", who), "ralph"});
    call.env.push_back({fmt::format("GIT_{}_EMAIL", who), "ralph@localhost"});
    call.env.push_back({fmt::format("GIT_{}_DATE", who), "2000-01-01T00:00:00Z"});
  }
  return git.ask_line(call);
}

/// The lock of a directory of ours that no process holds; none: another one does, or it is gone.
UniqueFd lock_folder(const fs::path& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{}, now{};
  const bool locked = fd && ::fstat(fd.get(), &info) == 0 && info.st_uid == ::geteuid() &&
                      ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0 &&
                      ::lstat(folder.c_str(), &now) == 0 && now.st_ino == info.st_ino;
  return locked ? std::move(fd) : UniqueFd();
}

struct LockedFolder {
  fs::path path;
  UniqueFd lock;
};

/// Another process may take a new directory for an abandoned one until it is locked.
Result<LockedFolder> make_locked_folder(const fs::path& above) {
  constexpr int kTries = 100;
  for (int i = 0; i < kTries; ++i) {
    auto name = (above / kClonePrefix).native() + "XXXXXX";
    if (::mkdtemp(name.data()) == nullptr) {
      return fail_errno(errno, fmt::format("cannot create the directory '{}'", name),
                        "set TMPDIR to another");
    }
    if (auto lock = lock_folder(name)) return LockedFolder{name, std::move(lock)};
  }
  return fail(Code::storage, fmt::format("cannot lock a directory in '{}'", above.native()),
              "set TMPDIR to another");
}

/// Directories that killed processes left.
void remove_abandoned(const fs::path& above) {
  std::error_code error;
  for (fs::directory_iterator at(above, error), end; !error && at != end; at.increment(error)) {
    if (!at->path().filename().native().starts_with(kClonePrefix)) continue;
    if (const auto lock = lock_folder(at->path())) static_cast<void>(remove_tree(at->path()));
  }
}

}  // namespace

Result<CleanClone> CleanClone::make(const Source& source) {
  const auto above = temporary_folder(source.workspace);
  remove_abandoned(above);
  TRY_ASSIGN(auto folder, make_locked_folder(above));
  CleanClone clone{std::move(folder.path), std::move(folder.lock)};
  TRY(clone.fill(source));
  return clone;
}

/// Objects are borrowed only until the clone's own are packed.
Result<> CleanClone::fill(const Source& source) {
  auto git = source.git;
  git.wrap_with({});
  git.pin({}, {});
  git.start_in(folder_);
  if (source.raw) git.ignore_user_settings();
  TRY(git.ask({{"init", "--quiet", "--template=",
                source.tree.size() > 40 ? "--object-format=sha256" : "--object-format=sha1",
                root_.native()}}));
  git.pin(root_, root_ / ".git");
  std::string borrowed;
  for (const auto& folder : source.objects) borrowed += alternates_line(folder.native());
  const auto alternates = root_ / ".git/objects/info/alternates";
  TRY(write_file_atomically(alternates, borrowed));
  if (source.raw) {
    TRY(make_folders(root_ / ".git/info"));
    TRY(write_file_atomically(root_ / ".git/info/attributes", kRawAttributes));
  }
  auto commit = source.commit;
  if (!commit.empty()) {
    TRY(write_file_atomically(root_ / ".git/shallow", commit + "\n"));
  } else if (!source.base_tree.empty()) {
    TRY_ASSIGN(commit, commit_of_tree(git, source.base_tree));
  }
  if (!commit.empty()) TRY(git.ask({{"update-ref", "HEAD", commit}}));
  TRY(check_out(git, source, commit));
  std::error_code ignored;
  fs::remove(alternates, ignored);
  for (const auto* folder : {"home", "tmp"}) TRY(make_folders(folder_ / folder));
  return {};
}

CleanClone::CleanClone(CleanClone&& other) noexcept
    : folder_(std::move(other.folder_)),
      root_(std::move(other.root_)),
      lock_(std::move(other.lock_)) {
  other.folder_.clear();
}

CleanClone::~CleanClone() {
  if (!folder_.empty()) static_cast<void>(remove_tree(folder_));
}

std::vector<process::EnvChange> CleanClone::environment(
    const std::vector<process::EnvChange>& own) const {
  std::vector<process::EnvChange> env;
  for (const std::string_view entry :
       process::changed_environment({}).value_or(std::vector<std::string>())) {
    const auto name = entry.substr(0, entry.find('='));
    if (!is_kept_in_clone(name)) env.push_back({std::string(name), std::nullopt});
  }
  for (const auto& change : own) {
    if (change.value) env.push_back(change);
  }
  env.push_back({"HOME", (folder_ / "home").native()});
  env.push_back({"TMPDIR", (folder_ / "tmp").native()});
  env.push_back({"PATH", kClonePath});
  return env;
}

Wrap CleanClone::confinement(const std::string& bwrap, const std::vector<fs::path>& hidden,
                             const fs::path& folder, const std::vector<fs::path>& read_only) const {
  auto words = bubblewrap_words(bwrap);
  const char* home = std::getenv("HOME");
  for (const auto place : kHiddenFromClone) conceal(words, place);
  std::error_code ignored;
  conceal(words, fs::canonical(fs::temp_directory_path(ignored), ignored));
  conceal(words, home == nullptr ? "" : home);
  for (const auto& place : hidden) conceal(words, place);
  words.insert(words.end(), {"--bind", folder_.native(), folder_.native()});
  for (const auto& file : read_only) {
    words.insert(words.end(), {"--ro-bind", file.native(), file.native()});
  }
  words.insert(words.end(), {"--chdir", folder.native(), "--"});
  return [words = std::move(words)](process::Command command) -> Result<process::Command> {
    command.argv.insert(command.argv.begin(), words.begin(), words.end());
    command.sandbox_filter = process::SandboxFilter::keyrings_sockets_and_tracing;
    command.wrapper_depth = 2;
    turn_off_leak_detection(command.env);
    return command;
  };
}

Result<std::string> find_bubblewrap() {
  TRY_ASSIGN(const auto environment, process::changed_environment({}));
  TRY_ASSIGN(auto path, process::find_program("bwrap", environment, "/"));
  auto words = bubblewrap_words(path);
  words.insert(words.end(), {"--", "/bin/sh", "-c", ":"});
  process::Command command;
  command.argv = std::move(words);
  TRY_ASSIGN(const auto ran, process::capture(command, {.wall = kCloneProbeLimit}));
  if (ran.ok()) return path;
  return fail(Code::unavailable, fmt::format("bwrap was refused: {}", trim_end(ran.err, "\n")),
              "allow unprivileged user namespaces");
}

}  // namespace ralph::run
