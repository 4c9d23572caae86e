#include "agent/tool/git_paths.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/path.h"
#include "core/base/text.h"
#include "core/base/unique_fd.h"

namespace ralph::tool {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostConfigBytes = std::size_t{256} << 10;
constexpr int kMostLinks = 16;

/// Reads the beginning of a regular file; never blocks on a FIFO.
std::string read_start(const fs::path& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status{};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
  std::string text(std::min(kMostConfigBytes, static_cast<std::size_t>(status.st_size)), '\0');
  const auto got = ::pread(file.get(), text.data(), text.size(), 0);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

/// Removes and returns the first line.
std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(text.size(), end + 1));
  return line;
}

/// The regular file that a path in the user's configuration leads to. Empty: none, or it is in a working directory, where
/// commands could make it lead elsewhere.
fs::path users_file(fs::path named, const Workspace& workspace) {
  struct stat status{};
  if (::stat(named.c_str(), &status) != 0) return {};  // the usual case, fast
  for (int links = 0; links < kMostLinks; ++links) {
    std::error_code error;
    const auto folder = fs::canonical(named.parent_path(), error);
    if (error || workspace.contains(folder)) return {};
    const auto path = folder / named.filename();
    if (workspace.contains(path) || ::lstat(path.c_str(), &status) != 0) return {};
    if (!S_ISLNK(status.st_mode)) return S_ISREG(status.st_mode) ? path : fs::path();
    named = folder / fs::read_symlink(path, error);
    if (error) return {};
  }
  return {};
}

/// Collects a configuration file of the user and the files that it names.
class UserFiles {
 public:
  UserFiles(const Workspace& workspace, const fs::path& home, std::vector<fs::path>& paths)
      : workspace_(workspace), home_(home), paths_(paths) {}

  bool add(const fs::path& named) {
    auto path = users_file(named, workspace_);
    if (path.empty()) return false;
    paths_.push_back(std::move(path));
    return true;
  }

  void add_settings(const fs::path& settings) {
    if (!add(settings)) return;
    const auto text = read_start(settings);
    for (std::string_view rest = text; !rest.empty();) {
      const auto line = trim(next_line(rest));
      const auto equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      const auto name = to_lower(trim(line.substr(0, equals)));
      if (name != "path" && name != "excludesfile" && name != "attributesfile") continue;
      auto value = trim(line.substr(equals + 1));
      if (value.size() > 1 && value.front() == '"' && value.back() == '"')
        value = value.substr(1, value.size() - 2);
      add(value.starts_with("~/") ? home_ / value.substr(2) : settings.parent_path() / value);
    }
  }

 private:
  const Workspace& workspace_;
  const fs::path& home_;
  std::vector<fs::path>& paths_;
};

bool is_plain_file(const fs::path& path) {
  struct stat status{};
  return ::lstat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

/// The common directory of the repository whose linked worktree has this `.git` file; empty: none points back to it.
fs::path repository_of_worktree(const fs::path& file) {
  const auto text = read_start(file);
  constexpr std::string_view kStart = "gitdir:";
  if (!text.starts_with(kStart)) return {};
  std::error_code error;
  const auto named = trim(std::string_view(text).substr(kStart.size()));
  const auto folder = fs::canonical(file.parent_path() / named, error);
  if (error) return {};
  const auto back = read_start(folder / "gitdir");
  if (back.empty() || fs::path(trim(back)).lexically_normal() != file) return {};
  // By the layout that git creates, not by the content of `commondir`.
  const auto worktrees = folder.parent_path();
  const auto repository = worktrees.parent_path();
  const bool is_one = worktrees.filename() == "worktrees" && path_exists(repository / "HEAD") &&
                      path_exists(repository / "objects");
  return is_one ? repository : fs::path();
}

void add_repository(const fs::path& root, std::vector<fs::path>& paths) {
  std::vector<fs::path> above;
  for (auto at = root;; at = at.parent_path()) {
    if (at != root) {
      for (const auto* const name : {".gitignore", ".gitattributes"}) {
        if (is_plain_file(at / name)) above.push_back(at / name);
      }
    }
    const auto git = at / ".git";
    if (path_exists(git)) {
      paths.insert(paths.end(), above.begin(), above.end());
      if (at != root) paths.push_back(git);
      std::error_code error;
      if (fs::is_directory(git, error)) return;
      if (auto repository = repository_of_worktree(git); !repository.empty()) {
        paths.push_back(std::move(repository));
      }
      return;
    }
    if (at == at.parent_path()) return;
  }
}

}  // namespace

std::vector<fs::path> git_paths(const Workspace& workspace, const fs::path& home,
                                const fs::path& xdg_config) {
  std::vector<fs::path> paths;
  if (home.is_absolute()) {
    const auto config = (xdg_config.is_absolute() ? xdg_config : home / ".config") / "git";
    UserFiles files(workspace, home, paths);
    files.add_settings(home / ".gitconfig");
    // Not the whole directory: git also stores passwords there.
    files.add_settings(config / "config");
    for (const auto* const name : {"ignore", "attributes"}) files.add(config / name);
  }
  add_repository(workspace.setup().root, paths);
  return paths;
}

}  // namespace ralph::tool
