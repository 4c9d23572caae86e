#include "harness/loop/clean_clone.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "harness/loop/check_file.h"
#include "system/process/capture.h"
#include "system/process/environment.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
constexpr Millis kProbeLimit{10'000};
constexpr std::size_t kLargestClonedFile = std::size_t{64} << 20;

/// Of ralph's environment: the rest may be the agent's way to steer what is run, or a secret.
constexpr auto kKept = std::to_array<std::string_view>(
    {"LANG", "LANGUAGE", "LC_", "TERM", "TZ", "USER", "LOGNAME", "SHELL"});
/// Sockets and directories of others.
constexpr auto kHidden = std::to_array<std::string_view>({"/tmp", "/var/tmp", "/run", "/var/lock"});

bool is_kept(std::string_view name) {
  return std::ranges::any_of(kKept, [&](auto kept) {
    return name == kept || (kept.ends_with('_') && name.starts_with(kept));
  });
}

/// A temporary directory that the agent's workspace does not hold.
fs::path temporary_folder(const fs::path& workspace) {
  std::error_code error;
  auto folder = fs::canonical(fs::temp_directory_path(error), error);
  return error || is_below(folder, workspace) ? fs::path("/tmp") : folder;
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
                                 "/proc"};
  if (::geteuid() == 0) words.insert(words.end(), {"--cap-drop", "ALL"});
  return words;
}

void hide(std::vector<std::string>& words, const fs::path& path) {
  struct stat info{};
  if (path.empty() || path == "/" || ::lstat(path.c_str(), &info) != 0) return;
  if (S_ISLNK(info.st_mode)) {
    std::error_code error;
    const auto real = fs::canonical(path, error);
    return error ? void() : hide(words, real);
  }
  if (S_ISDIR(info.st_mode)) {
    words.insert(words.end(), {"--tmpfs", path.native()});
  } else {
    words.insert(words.end(), {"--ro-bind", "/dev/null", path.native()});
  }
}

/// `.ralph/` without what ralph itself keeps there: commands may name its files. It is in no tree.
void copy_ralph_folder(const fs::path& from, const fs::path& to) {
  for (const auto& [name, digest] : ralph_folder_digests(from)) {
    const auto file = from / kRalphFolder / name;
    std::error_code ignored;
    const auto status = fs::symlink_status(file, ignored);
    const auto bytes = read_file(file, kLargestClonedFile);
    if (!fs::is_regular_file(status) || !bytes) continue;
    const auto copy = to / kRalphFolder / name;
    if (!make_folders(copy.parent_path())) continue;
    const auto mode = static_cast<unsigned>(status.permissions()) & 0700U;
    static_cast<void>(write_file_atomically(copy, *bytes, mode));
  }
}

}  // namespace

Result<CleanClone> CleanClone::make(const Source& source) {
  auto name = (temporary_folder(source.workspace) / "ralph-verify-XXXXXX").native();
  if (::mkdtemp(name.data()) == nullptr) {
    return fail_errno(errno, fmt::format("cannot create the directory '{}'", name),
                      "set TMPDIR to another");
  }
  CleanClone clone{fs::path(name)};
  TRY(clone.fill(source));
  return clone;
}

/// Objects are borrowed from the workspace's repository only until its own are packed.
Result<> CleanClone::fill(const Source& source) {
  const auto root = folder_ / "repository";
  const auto& from = source.work.program();
  TRY_ASSIGN(auto git, git::Program::find());
  git.start_in(folder_);
  TRY(git.ask({{"init", "--quiet", "--template=",
                source.tree.size() > 40 ? "--object-format=sha256" : "--object-format=sha1",
                root.native()}}));
  git.pin(root, root / ".git");
  TRY_ASSIGN(const auto objects,
             from.ask_line({{"rev-parse", "--path-format=absolute", "--git-path", "objects"}}));
  const auto alternates = root / ".git/objects/info/alternates";
  TRY(write_file_atomically(alternates, objects + "\n"));
  if (!source.commit.empty()) {
    TRY(write_file_atomically(root / ".git/shallow", source.commit + "\n"));
    TRY(git.ask({{"update-ref", "HEAD", source.commit}}));
  }
  TRY(git.ask({{"read-tree", source.tree}}));
  TRY(git.ask({{"checkout-index", "--all", "--quiet", "--force"}}));
  if (!source.commit.empty()) {
    TRY(git.ask({{"read-tree", source.commit}}));
    TRY(git.ask({{"repack", "-a", "-d", "--quiet"}}));
  } else {
    TRY(git.ask({{"read-tree", "--empty"}}));
  }
  std::error_code error;
  fs::remove(alternates, error);
  for (const auto* folder : {"home", "tmp"}) TRY(make_folders(folder_ / folder));
  workspace_ = source.workspace;
  const auto in_clone = [&](const fs::path& folder) {
    const auto within = folder.lexically_relative(source.work.root());
    return within.empty() || within == "." ? root : root / within;
  };
  there_ = in_clone(source.workspace);
  root_ = in_clone(source.root);
  TRY(make_folders(there_));
  TRY(make_folders(root_ / kRalphFolder));
  copy_ralph_folder(source.root, root_);
  if (source.root != source.workspace) copy_ralph_folder(source.workspace, there_);
  return {};
}

CleanClone::CleanClone(CleanClone&& other) noexcept
    : folder_(std::move(other.folder_)),
      workspace_(std::move(other.workspace_)),
      there_(std::move(other.there_)),
      root_(std::move(other.root_)) {
  other.folder_.clear();
}

CleanClone::~CleanClone() {
  if (folder_.empty()) return;
  std::error_code ignored;
  // What was checked may have taken its directories' permissions away.
  for (fs::recursive_directory_iterator at(folder_, ignored), end; !ignored && at != end;
       at.increment(ignored)) {
    std::error_code each;
    if (at->symlink_status(each).type() == fs::file_type::directory) {
      fs::permissions(at->path(), fs::perms::owner_all, fs::perm_options::add, each);
    }
  }
  fs::remove_all(folder_, ignored);
}

Verifier::Mode CleanClone::mode(const std::vector<process::EnvChange>& own_env,
                                const std::string& bwrap) const {
  Verifier::Mode mode;
  mode.elsewhere = there_;
  mode.elsewhere_root = root_;
  for (const std::string_view entry :
       process::changed_environment({}).value_or(std::vector<std::string>())) {
    const auto name = entry.substr(0, entry.find('='));
    if (!is_kept(name)) mode.env.push_back({std::string(name), std::nullopt});
  }
  for (const auto& change : own_env) {
    if (change.value) mode.env.push_back(change);
  }
  for (auto& [name, value] :
       std::to_array<process::EnvChange>({{"HOME", (folder_ / "home").native()},
                                          {"TMPDIR", (folder_ / "tmp").native()},
                                          {"PATH", kPath}})) {
    mode.env.push_back({name, value});
  }
  if (bwrap.empty()) return mode;
  auto words = bubblewrap_words(bwrap);
  const char* home = std::getenv("HOME");
  for (const auto place : kHidden) hide(words, place);
  std::error_code ignored;
  hide(words, fs::canonical(fs::temp_directory_path(ignored), ignored));
  hide(words, home == nullptr ? "" : home);
  hide(words, workspace_);
  words.insert(words.end(),
               {"--bind", folder_.native(), folder_.native(), "--chdir", there_.native(), "--"});
  mode.wrap = [words = std::move(words)](process::Command command) -> Result<process::Command> {
    command.argv.insert(command.argv.begin(), words.begin(), words.end());
    command.wrapper_depth = 2;
    return command;
  };
  return mode;
}

Result<std::string> find_bubblewrap() {
  TRY_ASSIGN(const auto environment, process::changed_environment({}));
  TRY_ASSIGN(auto path, process::find_program("bwrap", environment, "/"));
  auto words = bubblewrap_words(path);
  words.insert(words.end(), {"--", "/bin/sh", "-c", ":"});
  process::Command command;
  command.argv = std::move(words);
  TRY_ASSIGN(const auto ran, process::capture(command, {.wall = kProbeLimit}));
  if (ran.ok()) return path;
  return fail(Code::unavailable, fmt::format("bwrap was refused: {}", ran.err),
              "allow unprivileged user namespaces");
}

}  // namespace ralph::loop
