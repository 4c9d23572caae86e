#include "system/git/integrity.h"

#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/names.h"
#include "core/base/sha256.h"
#include "core/base/unique_fd.h"
#include "system/git/fields.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytesOfRecord = std::size_t{4} << 20;

std::unexpected<Error> tampered(std::string message) {
  return fail(Code::permission, std::move(message),
              "look at the repository; if the change is meant, start ralph again");
}

/// "S path" for skip-worktree, "h path" for assume-unchanged: every flag that hides changes.
Result<std::set<std::string>> hiding_flags(const Program& git) {
  TRY_ASSIGN(const auto text, git.ask({{"ls-files", "-v", "-z"}}));
  std::set<std::string> flags;
  for (Fields fields(text); !fields.done();) {
    const auto field = fields.next();
    if (field.size() < 3) continue;
    const char flag = field.front();
    if (flag == 'S' || (flag >= 'a' && flag <= 'z')) flags.emplace(field);
  }
  return flags;
}

/// The user's and the system's settings that can hide files or run filters; those of the repository are git::Settings'.
Result<std::string> hiding_settings(const Program& git) {
  const Call call{{"config", "--list", "--includes", "--show-scope", "-z"}};
  TRY_ASSIGN(const auto text, git.ask(call));
  std::string found;
  for (Fields fields(text); !fields.done();) {
    const auto scope = fields.next();
    const auto entry = fields.next();
    const bool matters = entry.starts_with("filter.") || entry.starts_with("include") ||
                         (entry.starts_with("core.") && !entry.starts_with("core.editor") &&
                          !entry.starts_with("core.pager"));
    if (matters && (scope == "global" || scope == "system")) found += fmt::format("{}\n", entry);
  }
  return found;
}

/// The time of its last change cannot be set back.
std::string stamp_of(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {};
  return fmt::format("{}:{}:{}:{}.{:09}", info.st_dev, info.st_ino, info.st_size,
                     info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
}

/// Never through a link.
Result<> write_back(const fs::path& path, std::string_view bytes, bool exists) {
  struct stat info{};
  const auto folder = path.parent_path();
  if (::lstat(folder.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    if (!exists && errno == ENOENT) return {};
    return tampered(fmt::format("'{}' is not a directory any more", folder.native()));
  }
  if (!exists) {
    if (::unlink(path.c_str()) == 0 || errno == ENOENT) return {};
    return fail_errno(errno, fmt::format("cannot remove '{}'", path.native()));
  }
  return write_file_atomically(path, bytes, 0644);
}

}  // namespace

Integrity::Place Integrity::look_at(const fs::path& path, bool may_appear) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {path, 0, {}, may_appear};
  Place place{path, info.st_mode & S_IFMT, {}, may_appear};
  if (S_ISDIR(info.st_mode)) place.inode = fmt::format("{}:{}", info.st_dev, info.st_ino);
  return place;
}

Integrity::File Integrity::read_file_at(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) != 0) return {path, {}, false};
  if (!S_ISREG(info.st_mode)) return {path, fmt::format("kind {:o}", info.st_mode & S_IFMT), true};
  return {path, read_file(path, kMostBytesOfRecord).value_or("unreadable"), true};
}

Result<Integrity> Integrity::read(const Program& git) {
  const auto& own = git.git_folder();
  TRY_ASSIGN(const auto common_text,
             git.ask_line({{"rev-parse", "--path-format=absolute", "--git-common-dir"}}));
  const fs::path common = common_text;
  Integrity now;
  for (const auto& path : {git.root() / ".git", own, own / "HEAD", common / "objects",
                           common / "refs", common / "info"}) {
    now.places_.push_back(look_at(path, path == common / "info"));
  }
  now.places_.push_back(look_at(own / "index", true));
  for (const auto& path : {common / "info/exclude", own / "info/sparse-checkout"}) {
    now.restored_.push_back(read_file_at(path));
  }
  for (const auto& path :
       {common / "objects/info/alternates", common / "objects/info/http-alternates"}) {
    now.fixed_.push_back(read_file_at(path));
  }
  TRY_ASSIGN(now.flags_, hiding_flags(git));
  TRY_ASSIGN(now.settings_, hiding_settings(git));
  now.replace_folder_ = common / "refs/replace";
  now.replaced_ = look_at(now.replace_folder_, true).kind != 0;
  return now;
}

Result<> Integrity::check_places() const {
  for (const auto& place : places_) {
    const auto now = look_at(place.path, place.may_appear);
    if (place.kind == 0 && place.may_appear &&
        (now.kind == 0 || now.kind == S_IFREG || now.kind == S_IFDIR)) {
      continue;
    }
    if (now.kind == 0) return tampered(fmt::format("'{}' is gone", place.path.native()));
    if (now.kind == place.kind && now.inode == place.inode) continue;
    return tampered(fmt::format("'{}' was replaced by another {}", place.path.native(),
                                now.kind == S_IFDIR   ? "directory"
                                : now.kind == S_IFLNK ? "file: a symbolic link"
                                                      : "file"));
  }
  for (const auto& file : fixed_) {
    if (read_file_at(file.path) == file) continue;
    return tampered(fmt::format("'{}' was changed: git would read objects from another place",
                                file.path.native()));
  }
  return {};
}

Result<> Integrity::restore_flags(const Program& git, std::vector<std::string>& found) const {
  auto stamp = stamp_of(git.git_folder() / "index");
  if (!stamp.empty() && stamp == index_stamp_) return {};
  TRY_ASSIGN(const auto now, hiding_flags(git));
  std::vector<std::string> skipped, assumed;
  for (const auto& flag : now) {
    if (flags_.contains(flag)) continue;
    // "s" is both.
    const bool skip = flag.front() == 'S' || flag.front() == 's';
    if (skip) skipped.push_back(flag.substr(2));
    if (flag.front() != 'S') assumed.push_back(flag.substr(2));
  }
  const auto clear = [&](const std::vector<std::string>& paths, const char* option,
                         std::string_view name) -> Result<> {
    if (paths.empty()) return {};
    std::string list;
    for (const auto& path : paths) list += path + '\0';
    TRY(git.ask({{"update-index", option, "-z", "--stdin"}, list}));
    found.push_back(fmt::format("{} hid changes of {} from git: undone", name, join_names(paths)));
    return {};
  };
  if (skipped.empty() && assumed.empty()) index_stamp_ = std::move(stamp);
  TRY(clear(skipped, "--no-skip-worktree", "the flag skip-worktree"));
  return clear(assumed, "--no-assume-unchanged", "the flag assume-unchanged");
}

Result<> Integrity::restore_files(std::vector<std::string>& found) const {
  for (const auto& file : restored_) {
    if (read_file_at(file.path) == file) continue;
    TRY(write_back(file.path, file.bytes, file.exists));
    found.push_back(fmt::format("'{}' was changed and could hide files from git: put back",
                                file.path.native()));
  }
  return {};
}

Result<std::vector<std::string>> Integrity::restore(const Program& git) const {
  std::vector<std::string> found;
  TRY(check_places());
  const auto settings = hiding_settings(git);
  if (!settings) {
    return tampered("the repository cannot be read: " + settings.error().message);
  }
  if (*settings != settings_) {
    return tampered(
        "git's settings of the user were changed since ralph started: files could be "
        "hidden (look at 'git config --global --list')");
  }
  TRY(restore_files(found));
  if (auto flags = restore_flags(git, found); !flags) {
    return tampered("the repository cannot be read: " + flags.error().message);
  }
  if (!replaced_ && look_at(replace_folder_, true).kind != 0) {
    found.push_back("'git replace' was used: without effect on what ralph sees");
  }
  return found;
}

std::string Integrity::digest() const {
  std::string text;
  const auto add = [&](std::string_view part) { text += fmt::format("{}:{}", part.size(), part); };
  for (const auto& place : places_) {
    if (place.may_appear) continue;
    // Without the device, whose number may be another one after a restart of the machine.
    const auto inode = place.inode.substr(place.inode.find(':') + 1);
    add(fmt::format("{} {:o} {}", place.path.native(), place.kind, inode));
  }
  for (const auto* files : {&restored_, &fixed_}) {
    for (const auto& file : *files) add(file.exists ? "1" + file.bytes : "0");
  }
  for (const auto& flag : flags_) add(flag);
  add(settings_);
  return sha256_hex(text);
}

}  // namespace ralph::git
