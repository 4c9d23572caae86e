#include "system/git/named_paths.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <string_view>
#include <system_error>

#include <unistd.h>

#include "core/base/file.h"
#include "core/base/path.h"
#include "core/base/text.h"
#include "system/git/fields.h"
#include "system/process/capture.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr Millis kLongestQuestion{10'000};
constexpr std::size_t kMostFilesNamed = 32;
constexpr std::size_t kMostBytesNamed = std::size_t{1} << 20;

constexpr auto kHooks = std::to_array<std::string_view>({
    "applypatch-msg",     "pre-applypatch",
    "post-applypatch",    "pre-commit",
    "pre-merge-commit",   "prepare-commit-msg",
    "commit-msg",         "post-commit",
    "pre-rebase",         "post-checkout",
    "post-merge",         "pre-push",
    "pre-receive",        "update",
    "proc-receive",       "post-receive",
    "post-update",        "reference-transaction",
    "push-to-checkout",   "pre-auto-gc",
    "post-rewrite",       "sendemail-validate",
    "fsmonitor-watchman", "post-index-change",
});

/// "gitdir: ../main/.git/worktrees/x" in the file `.git`, or "../.." in the file `commondir`.
fs::path folder_named_in(const fs::path& file, std::string_view prefix) {
  auto text = read_file(file, 8192);
  if (!text || !text->starts_with(prefix)) return {};
  text->erase(0, prefix.size());
  while (text->ends_with('\n') || text->ends_with('\r')) text->pop_back();
  std::error_code error;
  auto folder = fs::canonical(file.parent_path() / *text, error);
  return error ? fs::path{} : folder;
}

/// An agent that made a file `.git` could name any directory.
bool is_git_folder(const fs::path& folder) {
  return path_exists(folder / "HEAD") &&
         (path_exists(folder / "objects") || path_exists(folder / "commondir"));
}

/// With every link resolved but a last one.
fs::path resolved(const fs::path& path) {
  const auto name = path.has_filename() ? path : path.parent_path();
  std::error_code error;
  return fs::weakly_canonical(name.parent_path(), error) / name.filename();
}

/// Whether a file of settings may name anything: asking git costs some milliseconds. Keys cannot be written otherwise, but for
/// the case of letters.
bool may_name_paths(const fs::path& file) {
  std::error_code error;
  if (!fs::is_regular_file(file, error)) return false;
  const auto bytes = read_file(file, kMostBytesNamed);
  if (!bytes) return true;
  const auto text = to_lower(*bytes);
  return text.contains("hookspath") || text.contains("attributesfile") || text.contains("include");
}

/// Variables that give git settings, or name other files with them.
bool has_settings_in_environment() {
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    if (text.starts_with("GIT_CONFIG") && !text.starts_with("GIT_CONFIG_NOSYSTEM=")) return true;
  }
  return false;
}

/// Asks git for one file of settings after the other. Files, not a repository: an agent can break that.
class Search {
 public:
  Search(const std::string& program, const fs::path& workspace, const fs::path& home,
         const std::vector<process::EnvChange>& env)
      : program_(program),
        workspace_(workspace),
        home_(home),
        env_(env),
        root_(root_of(workspace)) {
    env_.push_back({"GIT_DIR", std::nullopt});
  }

  std::vector<fs::path> run() {
    if (root_.empty()) return {};
    if (users_may_name_paths()) ask({});
    for (const auto& folder : git_folders(root_ / ".git")) {
      for (const auto* const name : {"config", "config.worktree"}) ask_file(folder / name);
    }
    for (std::size_t i = 0; i < files_.size() && i < kMostFilesNamed; ++i) ask(files_[i]);
    std::ranges::sort(paths_);  // a directory before what is in it
    const auto same = std::ranges::unique(paths_);
    paths_.erase(same.begin(), same.end());
    return std::move(paths_);
  }

 private:
  /// The user's settings and the system's, which only a git of the system surely keeps in /etc.
  bool users_may_name_paths() const {
    if (!program_.starts_with("/usr/bin/") || has_settings_in_environment()) return true;
    const auto xdg = std::ranges::find(env_, "XDG_CONFIG_HOME", &process::EnvChange::name);
    const char* const inherited = ::getenv("XDG_CONFIG_HOME");
    fs::path config = xdg != env_.end()      ? xdg->value.value_or("")
                      : inherited != nullptr ? inherited
                                             : "";
    if (config.empty()) config = home_ / ".config";
    return may_name_paths(home_ / ".gitconfig") || may_name_paths(config / "git/config") ||
           may_name_paths("/etc/gitconfig");
  }

  void ask_file(const fs::path& file) {
    if (!may_name_paths(file)) return;
    if (std::ranges::find(files_, file) == files_.end()) files_.push_back(file);
  }

  /// Empty: no file in particular.
  void ask(const fs::path& file) {
    process::Command command;
    command.argv = {program_, "config", "--includes", "-z", "--list", "--show-origin"};
    if (!file.empty()) command.argv.insert(command.argv.end() - 4, {"--file", file.string()});
    command.cwd = "/";
    command.env = env_;
    const auto said = process::capture(command, {.wall = kLongestQuestion});
    if (!said || !said->ok()) return;
    Fields fields(said->out);
    while (!fields.done()) {
      const auto origin = fields.next();
      read(fields.next(), origin.starts_with("file:") ? fs::path(origin.substr(5)) : fs::path());
    }
  }

  /// "key\nvalue", from `file`.
  void read(std::string_view setting, const fs::path& file) {
    const auto key = setting.substr(0, setting.find('\n'));
    auto value = std::string(setting.substr(std::min(key.size() + 1, setting.size())));
    if (value.empty()) return;
    if (value.starts_with("~/")) value = home_ / value.substr(2);
    if (key == "core.hookspath") {
      add_hooks(resolved((root_ / value).lexically_normal()));
    } else if (key == "core.attributesfile") {
      add(resolved((root_ / value).lexically_normal()));
    } else if (key == "include.path" || (key.starts_with("includeif.") && key.ends_with(".path"))) {
      const auto path = resolved((file.parent_path() / value).lexically_normal());
      add(path);
      ask_file(path);  // git itself looks only where the condition holds
    }
  }

  void add_hooks(const fs::path& folder) {
    std::error_code error;
    const auto real = fs::weakly_canonical(folder, error);
    if (real != workspace_) return add(folder);
    for (const auto hook : kHooks) add(workspace_ / hook);
  }

  void add(const fs::path& path) {
    if (path != workspace_ && is_below(path, workspace_)) {
      paths_.push_back(path.lexically_relative(workspace_));
    }
  }

  const std::string& program_;
  const fs::path& workspace_;
  const fs::path& home_;
  std::vector<process::EnvChange> env_;
  fs::path root_;
  std::vector<fs::path> files_;
  std::vector<fs::path> paths_;
};

}  // namespace

fs::path root_of(const fs::path& folder) {
  for (auto root = folder; root != root.root_path(); root = root.parent_path()) {
    if (path_exists(root / ".git")) return root;
  }
  return {};
}

std::vector<fs::path> git_folders(const fs::path& git) {
  std::error_code error;
  std::vector<fs::path> folders;
  auto own =
      fs::is_directory(git, error) ? fs::canonical(git, error) : folder_named_in(git, "gitdir: ");
  if (own.empty() || (!is_real_directory(git) && !is_git_folder(own))) return folders;
  const auto common = is_real_directory(git) ? fs::path() : folder_named_in(own / "commondir", "");
  if (!common.empty() && is_git_folder(common)) folders.push_back(common);
  folders.push_back(std::move(own));
  return folders;
}

std::vector<fs::path> named_paths(const std::string& program, const fs::path& workspace,
                                  const fs::path& home,
                                  const std::vector<process::EnvChange>& env) {
  return Search(program, workspace, home, env).run();
}

}  // namespace ralph::git
