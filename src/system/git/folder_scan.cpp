#include "system/git/folder_scan.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "core/base/unique_fd.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostEntries = 400'000;

/// One name in a directory.
struct Found {
  int folder;
  const std::string& path;  // below the top
  std::string name;
  unsigned char type;  // DT_DIR …, never DT_UNKNOWN

  std::string full() const { return path.empty() ? name : path + '/' + name; }
};

unsigned char type_of(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat info{};
  if (::fstatat(folder, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_REG;
  return static_cast<unsigned char>(IFTODT(info.st_mode));
}

/// The names in one directory; empty: it cannot be read, or is not one any more.
std::vector<Found> entries_of(int folder, const std::string& path) {
  std::vector<Found> entries;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(::dup(folder)), ::closedir);
  for (const dirent* entry; stream && (entry = ::readdir(stream.get())) != nullptr;) {
    std::string name = entry->d_name;
    if (name == "." || name == "..") continue;
    entries.push_back({folder, path, std::move(name), type_of(folder, *entry)});
    if (entries.size() > kMostEntries) break;
  }
  return entries;
}

/// Goes through a directory from the top, without following links. `look` gets what one directory holds; false: its directories are
/// left out. Returns false when it ended early because there is very much.
bool walk(const fs::path& top,
          const std::function<bool(const std::string&, const std::vector<Found>&)>& look) {
  const UniqueFd root(::open(top.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  std::deque<std::string> waiting{""};
  std::size_t seen = 0;
  while (root && !waiting.empty() && seen < kMostEntries) {
    const auto path = std::move(waiting.front());
    waiting.pop_front();
    const UniqueFd fd(::openat(root.get(), path.empty() ? "." : path.c_str(),
                               O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!fd) continue;
    const auto entries = entries_of(fd.get(), path);
    seen += entries.size() + 1;
    if (!look(path, entries)) continue;
    for (const auto& entry : entries) {
      if (entry.type == DT_DIR && entry.name != ".git") waiting.push_back(entry.full());
    }
  }
  return seen < kMostEntries;
}

bool has_repository(const std::vector<Found>& entries) {
  return std::ranges::find(entries, ".git", &Found::name) != entries.end();
}

/// What it is, and where a link leads: git follows those in its own directory. Reading /dev/null does not wait.
std::string_view blocking_kind(const Found& entry) {
  if (entry.type == DT_REG || entry.type == DT_DIR) return {};
  struct stat info{};
  if (::fstatat(entry.folder, entry.name.c_str(), &info, 0) != 0) return {};
  if (S_ISFIFO(info.st_mode)) return "a named pipe";
  const bool device = S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode);
  return device && info.st_rdev != ::makedev(1, 3) ? "a device" : "";
}

std::unexpected<Error> refused(const fs::path& path, std::string_view kind) {
  return fail(
      Code::permission,
      fmt::format("'{}' is {} (or leads to one), and git would wait for it", path.native(), kind),
      fmt::format("remove it (rm '{}'), then go on", path.native()));
}

using Names = std::function<bool(std::string_view)>;

Result<> refuse_blocking(const fs::path& top, bool enter_repositories, const Names& counts) {
  Result<> result;
  walk(top, [&](const std::string& path, const std::vector<Found>& entries) {
    if (!result) return false;
    if (!enter_repositories && !path.empty() && has_repository(entries)) return false;
    for (const auto& entry : entries) {
      if (!counts(entry.name)) continue;
      const auto kind = blocking_kind(entry);
      if (!kind.empty() && result) result = refused(top / entry.full(), kind);
    }
    return true;
  });
  return result;
}

/// The time of the last change cannot be set back; that of a directory is set when a name in it goes.
bool is_later(int at, const char* name, UtcTime since) {
  struct stat info{};
  if (::fstatat(at, name, &info, AT_SYMLINK_NOFOLLOW) != 0) return false;
  const auto part = std::chrono::floor<Millis>(std::chrono::nanoseconds(info.st_ctim.tv_nsec));
  return UtcTime(std::chrono::seconds(info.st_ctim.tv_sec) + part) >= since;
}

bool has_change(const fs::path& folder, UtcTime since) {
  bool found = is_later(AT_FDCWD, folder.c_str(), since);
  walk(folder, [&](const std::string&, const std::vector<Found>& entries) {
    found = found || std::ranges::any_of(entries, [&](const Found& entry) {
              return entry.name != ".git" && is_later(entry.folder, entry.name.c_str(), since);
            });
    return !found;
  });
  return found;
}

}  // namespace

Result<> refuse_blocking_files(const fs::path& root, const std::vector<fs::path>& git_folders) {
  constexpr auto kRead =
      std::to_array<std::string_view>({".gitattributes", ".gitignore", ".gitmodules"});
  TRY(refuse_blocking(root, false, [&](std::string_view name) {
    return std::ranges::find(kRead, name) != kRead.end();
  }));
  for (const auto& folder : git_folders) {
    TRY(refuse_blocking(folder, true, [](std::string_view) { return true; }));
  }
  return {};
}

std::vector<std::string> changed_repositories(const fs::path& root, UtcTime since) {
  std::vector<std::string> found;
  walk(root, [&](const std::string& path, const std::vector<Found>& entries) {
    if (path.empty() || !has_repository(entries)) return true;
    if (has_change(root / path, since)) found.push_back(path);
    return false;
  });
  std::ranges::sort(found);
  return found;
}

NamedFiles find_named(const fs::path& root, std::span<const std::string_view> names) {
  NamedFiles found;
  const UniqueFd top(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  struct stat info{};
  const auto add_from = [&](const std::string& folder) {
    for (const auto name : names) {
      const auto full = folder + std::string(name);
      if (::fstatat(top.get(), full.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
        found.paths.push_back(full);
      } else if (errno == EACCES && ::fstatat(top.get(), folder.c_str(), &info, 0) == 0 &&
                 info.st_uid == ::geteuid()) {
        found.all = false;
      }
    }
  };
  add_from("");
  // Asked for by name in every directory: one that cannot be listed can still be used.
  const auto look = [&](const std::string& path, const std::vector<Found>& entries) {
    if (fs::path(path).filename() == ".ralph") return false;
    for (const auto& entry : entries) {
      const bool leads_on = entry.type == DT_LNK || entry.type == DT_DIR;
      if (leads_on && entry.name != ".git") add_from(entry.full() + '/');
    }
    return true;
  };
  if (!walk(root, look)) found.all = false;
  return found;
}

std::vector<std::string> changed_in_ralph_folders(const fs::path& root, const fs::path& own,
                                                  UtcTime since) {
  constexpr auto kKnown = std::to_array<std::string_view>(
      {"logs", "runs", "state", "tmp", "lock", "config.yml", "check", ".gitignore"});
  std::vector<std::string> found;
  walk(root, [&](const std::string& path, const std::vector<Found>& entries) {
    if (!path.empty() && has_repository(entries)) return false;
    if (fs::path(path).filename() != ".ralph") return true;
    if (path != own) {
      if (has_change(root / path, since)) found.push_back(path + "/");
      return false;
    }
    for (const auto& entry : entries) {
      const bool known = std::ranges::find(kKnown, entry.name) != kKnown.end();
      const bool changed = entry.type == DT_DIR ? has_change(root / entry.full(), since)
                                                : is_later(entry.folder, entry.name.c_str(), since);
      if (!known && changed) found.push_back(entry.full());
    }
    return false;
  });
  std::ranges::sort(found);
  return found;
}

}  // namespace ralph::git
