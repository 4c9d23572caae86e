#include "harness/loop/file_swap.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/id.h"
#include "core/base/path.h"
#include "core/base/sha256.h"
#include "harness/loop/held_files.h"
#include "harness/loop/start_files.h"
#include "harness/store/workspace.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Kind = FileVersion::Kind;

constexpr std::size_t kLargestSwappedFile = std::size_t{64} << 20;
constexpr std::string_view kMissing = "missing";

/// The directory a path is in, and its name there.
struct Place {
  UniqueFd folder;
  std::string name;
};

bool is_plain_path(std::string_view path) {
  if (path.empty() || path.starts_with('/')) return false;
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find('/', at), path.size());
    const auto part = path.substr(at, end - at);
    if (part.empty() || part == "." || part == ".." || part == ".git") return false;
    at = end + 1;
  }
  return true;
}

/// ENOENT, ENOTDIR or ELOOP in errno where there is no such directory.
Place open_place(int root, const std::string& path, bool make) {
  Place place{UniqueFd(::fcntl(root, F_DUPFD_CLOEXEC, 3)), path};
  for (auto slash = place.name.find('/'); slash != std::string::npos && place.folder;
       slash = place.name.find('/')) {
    const auto part = place.name.substr(0, slash);
    place.name.erase(0, slash + 1);
    if (make) ::mkdirat(place.folder.get(), part.c_str(), 0777);
    place.folder = UniqueFd(::openat(place.folder.get(), part.c_str(),
                                     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  }
  return place;
}

Result<UniqueFd> open_folder(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return fail_errno(errno, fmt::format("cannot open the directory '{}'", path.native()));
  return fd;
}

Result<FileVersion> read_at(int root, const std::string& path) {
  const auto place = open_place(root, path, false);
  if (!place.folder) {
    const bool missing = errno == ENOENT;
    return FileVersion{missing ? Kind::missing : Kind::other, {}, 0};
  }
  struct stat info{};
  const auto* name = place.name.c_str();
  if (::fstatat(place.folder.get(), name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return FileVersion{};
    return fail_errno(errno, fmt::format("cannot stat '{}'", path));
  }
  if (S_ISLNK(info.st_mode)) {
    std::string target(PATH_MAX, '\0');
    const auto length = ::readlinkat(place.folder.get(), name, target.data(), target.size());
    target.resize(static_cast<std::size_t>(std::max<ssize_t>(length, 0)));
    return FileVersion{Kind::link, std::move(target), 0};
  }
  if (!S_ISREG(info.st_mode)) return FileVersion{Kind::other, {}, 0};
  const UniqueFd fd(
      ::openat(place.folder.get(), name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!fd) return fail_errno(errno, fmt::format("cannot open '{}'", path));
  TRY_ASSIGN(auto bytes, read_fd(fd.get(), path, kLargestSwappedFile));
  return FileVersion{Kind::file, std::move(bytes), info.st_mode & 07777};
}

/// Of its kind and its bytes, not of its permissions.
std::string digest_of(const FileVersion& version) {
  switch (version.kind) {
    case Kind::missing: return std::string(kMissing);
    case Kind::file: return "file " + sha256_hex(version.bytes);
    case Kind::link: return "link " + sha256_hex(version.bytes);
    default: return "other";
  }
}

bool same_content(const FileVersion& a, const FileVersion& b) {
  return a.kind == b.kind && a.bytes == b.bytes;
}

Result<> write_at(const Place& place, const std::string& path, const FileVersion& version) {
  const auto failed = [&] { return fail_errno(errno, fmt::format("cannot write '{}'", path)); };
  if (version.kind == Kind::link) {
    if (::symlinkat(version.bytes.c_str(), place.folder.get(), place.name.c_str()) != 0) {
      return failed();
    }
    return {};
  }
  const UniqueFd fd(::openat(place.folder.get(), place.name.c_str(),
                             O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
  if (!fd) return failed();
  TRY(write_all(fd.get(), version.bytes, path));
  if (::fchmod(fd.get(), version.mode) != 0) return failed();
  return {};
}

/// Missing, or the version with that digest.
bool is_ours(int root, const std::string& path, const std::string& digest) {
  const auto now = read_at(root, path);
  return now && (now->kind == Kind::missing || digest_of(*now) == digest);
}

/// Directories that are empty now; git keeps none.
void remove_empty_parents(int root, std::string path) {
  for (auto slash = path.rfind('/'); slash != std::string::npos; slash = path.rfind('/')) {
    path.resize(slash);
    const auto place = open_place(root, path, false);
    if (!place.folder || ::unlinkat(place.folder.get(), place.name.c_str(), AT_REMOVEDIR) != 0) {
      return;
    }
  }
}

}  // namespace

Result<FileVersion> read_version(const fs::path& root, const std::string& path) {
  TRY_ASSIGN(const auto fd, open_folder(root));
  return read_at(fd.get(), path);
}

Result<FileSwap> FileSwap::begin(const Place& place, const std::vector<Wanted>& wanted,
                                 const store::UserState* user) {
  FileSwap swap(place);
  swap.user_ = user;
  TRY_ASSIGN(swap.root_, open_folder(place.folder));
  std::vector<std::pair<Swapped, const FileVersion*>> different;
  for (const auto& each : wanted) {
    if (!is_plain_path(each.path)) {
      return fail(Code::usage, fmt::format("'{}' is not a path of the workspace", each.path));
    }
    TRY_ASSIGN(const auto now, read_at(swap.root_.get(), each.path));
    const bool same_mode = (now.mode & S_IXUSR) == (each.version.mode & S_IXUSR);
    if (same_content(now, each.version) && same_mode) continue;
    different.emplace_back(Swapped{each.path, now.kind != Kind::missing, digest_of(each.version)},
                           &each.version);
  }
  if (different.empty()) return swap;
  // What goes comes first: a file may be where a directory has to be.
  std::ranges::stable_partition(
      different, [](const auto& each) { return each.second->kind == Kind::missing; });
  for (auto& each : different) swap.swapped_.push_back(std::move(each.first));
  TRY(swap.make_held_folder());
  for (std::size_t i = 0; i < different.size(); ++i) TRY(swap.swap_in(i, *different[i].second));
  return swap;
}

/// A new directory: nothing that another program put there is taken for a version that is held.
Result<> FileSwap::make_held_folder() {
  const auto workspace = store::Workspace::at(place_.root);
  TRY(make_folders(workspace.root()));
  TRY_ASSIGN(auto state, workspace.state().make_folder());
  const auto name = kHeldPrefix + random_hex(4);
  if (::mkdirat(state.fd(), name.c_str(), 0700) != 0) {
    return fail_errno(errno, fmt::format("cannot create '{}'", state.path_of(name).native()));
  }
  TRY_ASSIGN(const auto held, state.open_folder(name));
  if (user_ != nullptr) {
    HeldFiles list{name, {}, place_.folder.native()};
    for (const auto& [path, existed, digest] : swapped_) {
      list.files.push_back({path, existed, digest});
    }
    if (auto saved = save_held(*user_, list); !saved) {
      state.remove_all(name);
      return saved;
    }
  }
  held_ = UniqueFd(::fcntl(held.fd(), F_DUPFD_CLOEXEC, 3));
  state_.emplace(std::move(state));
  name_ = name;
  return {};
}

Result<> FileSwap::swap_in(std::size_t number, const FileVersion& version) {
  const auto& path = swapped_[number].path;
  const auto place = open_place(root_.get(), path, version.kind != Kind::missing);
  if (!place.folder) {
    if (version.kind == Kind::missing) return {};
    return fail(
        Code::permission,
        fmt::format("cannot restore '{}': a directory of its path is a link or a file", path),
        "check what the agent did there");
  }
  const auto aside = std::to_string(number);
  if (::renameat(place.folder.get(), place.name.c_str(), held_.get(), aside.c_str()) != 0 &&
      errno != ENOENT) {
    return fail_errno(errno, fmt::format("cannot move '{}' away", path));
  }
  return version.kind == Kind::missing ? Result<>() : write_at(place, path, version);
}

std::string FileSwap::held_name(std::string_view name) const {
  return (state_->path_of(name_) / name).native();
}

Result<> FileSwap::swap_out(std::size_t number, Found found) {
  const auto& [path, existed, digest] = swapped_[number];
  const auto aside = std::to_string(number);
  struct stat info{};
  const bool kept = ::fstatat(held_.get(), aside.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  // Killed before it was put aside: what is there is the version to keep.
  if (!kept && existed) return {};
  const auto place = open_place(root_.get(), path, kept);
  const auto failed = [&] {
    return fail_errno(
        errno, fmt::format("cannot restore '{}'; it is kept as '{}'", path, held_name(aside)));
  };
  if (!place.folder) return kept ? failed() : Result<>();
  const auto* name = place.name.c_str();
  const bool cache = is_cache(path);  // what was written there meanwhile is of no use
  if (found == Found::stays && !cache && !is_ours(root_.get(), path, digest)) {
    left_.push_back(fmt::format(
        "'{}' was changed since verification was interrupted, and is kept{}", path,
        kept ? fmt::format("; the earlier version is '{}'", held_name(aside)) : std::string()));
    return {};
  }
  // Compared in a directory of our own: what was saved a moment ago is not removed.
  const auto moved = "changed-" + aside;
  if (::renameat(place.folder.get(), name, held_.get(), moved.c_str()) != 0) {
    if (errno != ENOENT) return failed();
  } else if (!(cache || is_ours(held_.get(), moved, digest)) ||
             ::unlinkat(held_.get(), moved.c_str(), 0) != 0) {
    left_.push_back(
        fmt::format("'{}' was changed during verification; that version is kept as '{}'", path,
                    held_name(moved)));
  }
  if (kept && ::renameat(held_.get(), aside.c_str(), place.folder.get(), name) != 0) {
    return failed();
  }
  if (!kept) remove_empty_parents(root_.get(), path);
  back_.push_back(path);
  return {};
}

std::vector<std::string> FileSwap::changed() const {
  std::vector<std::string> paths;
  for (const auto& each : swapped_) paths.push_back(each.path);
  return paths;
}

/// The list goes when all is done; until then another ralph can try again.
Result<> FileSwap::swap_all_out(Found found) {
  Result<> first;
  // In the other order: a directory that was made for a file goes before the file that was there.
  for (auto i = swapped_.size(); i-- > 0;) {
    if (auto done = swap_out(i, found); !done && first) first = std::move(done);
  }
  if (!first) return first;
  held_.reset();
  if (left_.empty()) state_->remove_all(name_);
  if (user_ != nullptr) forget_held(*user_);
  return {};
}

Result<std::vector<std::string>> FileSwap::end() {
  if (!held_) return std::vector<std::string>();
  TRY(swap_all_out(Found::goes_aside));
  return left_;
}

FileSwap::~FileSwap() { static_cast<void>(end()); }

Result<FileSwap> FileSwap::reopen(const Place& place, const HeldFiles& list,
                                  const store::UserState& user) {
  FileSwap swap(place);
  if (is_below(list.workspace, place.root)) swap.place_.folder = list.workspace;
  swap.user_ = &user;
  swap.name_ = list.folder;
  for (const auto& file : list.files) {
    if (!is_plain_path(file.path)) {
      return fail(Code::permission, fmt::format("'{}' is not a path of the workspace", file.path));
    }
    swap.swapped_.push_back({file.path, file.existed, file.digest});
  }
  TRY_ASSIGN(swap.root_, open_folder(swap.place_.folder));
  TRY_ASSIGN(swap.state_, store::Workspace::at(place.root).state().folder());
  const auto held = swap.state_->open_folder(list.folder);
  if (!held) {
    forget_held(user);
    return fail(Code::storage,
                fmt::format("verification was interrupted, and the files it had moved away are "
                            "gone: {}",
                            held.error().message));
  }
  swap.held_ = UniqueFd(::fcntl(held->fd(), F_DUPFD_CLOEXEC, 3));
  return swap;
}

Result<FileSwap::PutBack> FileSwap::put_back() {
  auto done = swap_all_out(Found::stays);
  held_.reset();  // after a failure the destructor must not try it in another way
  TRY(done);
  return PutBack{back_, left_};
}

}  // namespace ralph::loop
