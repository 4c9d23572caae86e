#include "loop/file_swap.h"

#include <algorithm>
#include <cerrno>
#include <climits>

#include <fcntl.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "json/field.h"
#include "store/private_files.h"

namespace ralph::loop {
namespace {

namespace fs = std::filesystem;
using Kind = FileVersion::Kind;

constexpr std::size_t kMostBytes = std::size_t{64} << 20;
constexpr const char* kList = "list.json";

/// The folder a path is in, and its name there.
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

/// ENOENT, ENOTDIR or ELOOP in errno where there is no such folder.
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
  if (!fd) return fail_errno(errno, fmt::format("cannot open the folder '{}'", path.native()));
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
    return fail_errno(errno, fmt::format("cannot look at '{}'", path));
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
  TRY_ASSIGN(auto bytes, read_fd(fd.get(), path, kMostBytes));
  return FileVersion{Kind::file, std::move(bytes), info.st_mode & 07777};
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

/// Folders that are empty now; git keeps none.
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

Result<FileSwap> FileSwap::begin(const fs::path& root, const fs::path& held,
                                 const std::vector<Wanted>& wanted) {
  FileSwap swap;
  swap.root_path_ = root;
  swap.held_path_ = held;
  TRY_ASSIGN(swap.root_, open_folder(root));
  for (const auto& each : wanted) {
    if (!is_plain_path(each.path)) {
      return fail(Code::usage, fmt::format("'{}' is not a path of the workspace", each.path));
    }
    TRY_ASSIGN(const auto now, read_at(swap.root_.get(), each.path));
    const bool same_mode = (now.mode & S_IXUSR) == (each.version.mode & S_IXUSR);
    if (same_content(now, each.version) && same_mode) {
      swap.same_.push_back(each);
    } else {
      swap.swapped_.push_back({each, now.kind != Kind::missing});
    }
  }
  if (swap.swapped_.empty()) return swap;
  // What goes comes first: a file may be where a folder has to be.
  std::ranges::stable_partition(
      swap.swapped_, [](const Swapped& each) { return each.wanted.version.kind == Kind::missing; });
  TRY(make_folders(held.parent_path()));
  TRY(store::make_private_folder(held));
  TRY_ASSIGN(swap.held_, open_folder(held));
  TRY(swap.write_list());
  for (std::size_t i = 0; i < swap.swapped_.size(); ++i) TRY(swap.swap_in(i));
  return swap;
}

Result<> FileSwap::write_list() const {
  json::Document list = json::Document::array();
  for (const auto& each : swapped_) {
    list.push_back({{"path", each.wanted.path}, {"existed", each.existed}});
  }
  return write_file_atomically(held_path_ / kList, json::write(list));
}

Result<> FileSwap::swap_in(std::size_t number) {
  const auto& [path, version] = swapped_[number].wanted;
  const auto place = open_place(root_.get(), path, version.kind != Kind::missing);
  if (!place.folder) {
    if (version.kind == Kind::missing) return {};
    return fail(
        Code::permission,
        fmt::format("'{}' cannot be put back: a folder of its path is a link or a file", path),
        "look at what the agent did there");
  }
  const auto aside = std::to_string(number);
  if (::renameat(place.folder.get(), place.name.c_str(), held_.get(), aside.c_str()) != 0 &&
      errno != ENOENT) {
    return fail_errno(errno, fmt::format("cannot put '{}' aside", path));
  }
  return version.kind == Kind::missing ? Result<>() : write_at(place, path, version);
}

Result<> FileSwap::swap_out(std::size_t number) {
  const auto& path = swapped_[number].wanted.path;
  const auto aside = std::to_string(number);
  struct stat info{};
  const bool kept = ::fstatat(held_.get(), aside.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
  // Killed before it was put aside: what is there is the version to keep.
  if (!kept && swapped_[number].existed) return {};
  const auto place = open_place(root_.get(), path, kept);
  if (!place.folder) {
    if (!kept) return {};
    return fail_errno(errno, fmt::format("cannot put '{}' back; it is kept as '{}'", path,
                                         (held_path_ / aside).native()));
  }
  const auto* name = place.name.c_str();
  if (::unlinkat(place.folder.get(), name, 0) != 0 && errno == EISDIR) {
    const auto made = "made-" + aside;
    ::renameat(place.folder.get(), name, held_.get(), made.c_str());
  }
  if (kept && ::renameat(held_.get(), aside.c_str(), place.folder.get(), name) != 0) {
    return fail_errno(errno, fmt::format("cannot put '{}' back; it is kept as '{}'", path,
                                         (held_path_ / aside).native()));
  }
  if (!kept) remove_empty_parents(root_.get(), path);
  return {};
}

std::vector<std::string> FileSwap::changed() const {
  std::vector<std::string> paths;
  for (const auto& each : swapped_) paths.push_back(each.wanted.path);
  return paths;
}

bool FileSwap::intact() const {
  const auto is_there = [&](const Wanted& each) {
    const auto now = read_at(root_.get(), each.path);
    return now && same_content(*now, each.version);
  };
  return std::ranges::all_of(swapped_, is_there, &Swapped::wanted) &&
         std::ranges::all_of(same_, is_there);
}

Result<> FileSwap::end() {
  if (!held_) return {};
  Result<> first;
  // In the other order: a folder that was made for a file goes before the file that was there.
  for (auto i = swapped_.size(); i-- > 0;) {
    if (auto done = swap_out(i); !done && first) first = std::move(done);
  }
  if (!first) return first;
  held_.reset();
  std::error_code ignored;
  fs::remove_all(held_path_, ignored);
  return {};
}

FileSwap::~FileSwap() { static_cast<void>(end()); }

Result<std::vector<std::string>> FileSwap::recover(const fs::path& root, const fs::path& held) {
  struct stat info{};
  if (::lstat((held / kList).c_str(), &info) != 0 || !S_ISREG(info.st_mode)) {
    return std::vector<std::string>();
  }
  FileSwap swap;
  swap.root_path_ = root;
  swap.held_path_ = held;
  TRY_ASSIGN(swap.root_, open_folder(root));
  TRY_ASSIGN(swap.held_, open_folder(held));
  TRY_ASSIGN(const auto text, read_file(held / kList, kMostBytes));
  TRY_ASSIGN(const auto list, json::parse(text, (held / kList).native()));
  for (const auto& each : list) {
    auto path = json::text(each, "path");
    if (!is_plain_path(path)) {
      return fail(Code::permission, fmt::format("'{}' was changed", (held / kList).native()),
                  "look at the files beside it: they are versions of the agent's that verification "
                  "put aside");
    }
    swap.swapped_.push_back({{std::move(path), {}}, json::boolean(each, "existed")});
  }
  auto paths = swap.changed();
  TRY(swap.end());
  return paths;
}

}  // namespace ralph::loop
