#include <algorithm>
#include <cerrno>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/unique_fd.h"
#include "system/git/git.h"
#include "system/git/ref.h"

namespace ralph::git {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostText = 4096;
constexpr std::size_t kMostPacked = std::size_t{64} << 20;
constexpr int kMostHops = 5;
constexpr int kReadFlags = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;

/// A git directory, the directory it shares refs with (the same, but for linked worktrees), and its HEAD.
struct Repository {
  fs::path own;
  fs::path common;
  std::string head;
};

std::string quoted(const fs::path& path) { return fmt::format("'{}'", path.native()); }

mode_t file_type(int fd) {
  struct stat info{};
  return ::fstat(fd, &info) == 0 ? info.st_mode & S_IFMT : 0;
}

bool is_missing(int error_number) { return error_number == ENOENT || error_number == ENOTDIR; }

std::unexpected<Error> not_regular(const fs::path& path) {
  return fail(Code::malformed, quoted(path) + " is not a regular file");
}

/// Opens part after part of `name` below a directory; ELOOP at the first symbolic link. -1: see errno.
UniqueFd open_parts(const fs::path& folder, std::string_view name) {
  UniqueFd at(::open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  while (at) {
    const auto slash = name.find('/');
    const std::string part(name.substr(0, slash));
    if (slash == name.npos) {
      return UniqueFd(::openat(at.get(), part.c_str(), kReadFlags | O_NOFOLLOW));
    }
    at.reset(::openat(at.get(), part.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (at && file_type(at.get()) == S_IFLNK) {
      errno = ELOOP;
      return {};
    }
    name.remove_prefix(slash + 1);
  }
  return at;
}

/// A regular file below a git directory; nullopt: there is nothing.
Result<std::optional<UniqueFd>> open_below(const fs::path& folder, std::string_view name) {
  auto fd = open_parts(folder, name);
  const int error_number = errno;
  const auto path = folder / name;
  if (!fd && is_missing(error_number)) return std::nullopt;
  if (!fd && error_number == ELOOP) {
    return fail(Code::malformed, quoted(path) + " is reached by a symbolic link: not followed");
  }
  if (!fd) return fail_errno(error_number, "cannot open " + quoted(path));
  if (file_type(fd.get()) != S_IFREG) return not_regular(path);
  return fd;
}

Result<std::optional<std::string>> read_below(const fs::path& folder, std::string_view name) {
  TRY_ASSIGN(const auto fd, open_below(folder, name));
  if (!fd) return std::nullopt;
  return read_fd(fd->get(), quoted(folder / name), kMostText);
}

/// The path a file holds, after `key`, as git writes it; relative ones start at `base`.
Result<fs::path> path_in(std::string_view text, std::string_view key, const fs::path& base,
                         const fs::path& file) {
  text = text.substr(0, text.find_last_not_of("\r\n") + 1);
  const bool has_key = text.starts_with(key);
  if (has_key) text.remove_prefix(key.size());
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20; };
  if (!has_key || text.empty() || std::ranges::any_of(text, is_control)) {
    return fail(Code::malformed, quoted(file) + " does not contain the path of a git directory");
  }
  return base / text;
}

/// nullopt: there is no HEAD, so this is no git directory.
Result<std::optional<Repository>> open_repository(const fs::path& own) {
  TRY_ASSIGN(auto head, read_below(own, "HEAD"));
  if (!head) return std::nullopt;
  Repository repository{own, own, *std::move(head)};
  TRY_ASSIGN(const auto common, read_below(own, "commondir"));
  if (common) {
    TRY_ASSIGN(repository.common, path_in(*common, "", own, own / "commondir"));
  }
  return repository;
}

/// The repository that `folder`/.git is, or is a file about.
Result<std::optional<Repository>> find_in(const fs::path& folder) {
  const auto path = folder / ".git";
  const UniqueFd fd(::open(path.c_str(), kReadFlags));
  if (!fd && is_missing(errno)) return std::nullopt;
  if (!fd) return fail_errno(errno, "cannot open " + quoted(path));
  const auto kind = file_type(fd.get());
  if (kind == S_IFDIR) return open_repository(path);
  if (kind != S_IFREG) return not_regular(path);
  TRY_ASSIGN(const auto text, read_fd(fd.get(), quoted(path), kMostText));
  TRY_ASSIGN(const auto own, path_in(text, "gitdir: ", folder, path));
  TRY_ASSIGN(auto repository, open_repository(own));
  if (!repository) {
    return fail(Code::not_found,
                fmt::format("{} names {}, which is not a repository", quoted(path), quoted(own)));
  }
  return repository;
}

/// The commit packed-refs has for a name; empty: none.
Result<std::string> find_packed(const fs::path& common, std::string_view name) {
  TRY_ASSIGN(const auto fd, open_below(common, "packed-refs"));
  if (!fd) return std::string();
  const auto file = quoted(common / "packed-refs");
  PackedSearch search(name);
  char piece[65536];
  for (std::size_t total = 0; !search.found();) {
    const auto got = ::read(fd->get(), piece, sizeof piece);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return fail_errno(errno, "cannot read " + file);
    if (got == 0) break;
    total += static_cast<std::size_t>(got);
    if (total > kMostPacked) {
      return fail(Code::limit, fmt::format("{} has more than {} bytes", file, kMostPacked));
    }
    search.feed({piece, static_cast<std::size_t>(got)});
  }
  auto commit = search.finish();
  if (!commit.empty() && !is_commit_id(commit)) {
    return fail(Code::malformed, file + " has no commit id where one is expected");
  }
  return commit;
}

/// nullopt: no such ref (yet).
Result<std::optional<Ref>> look_up(const Repository& repository, const std::string& name) {
  for (const auto& folder : {repository.own, repository.common}) {
    // Left behind by branches with longer names.
    if (std::error_code ignored; fs::is_directory(folder / name, ignored)) continue;
    TRY_ASSIGN(const auto text, read_below(folder, name));
    if (text) return parse_ref(*text, (folder / name).native());
  }
  TRY_ASSIGN(auto commit, find_packed(repository.common, name));
  if (commit.empty()) return std::nullopt;
  return Ref{std::move(commit), {}};
}

/// Follows HEAD to a commit; the last ref on the way is what a commit would move: the branch.
Result<Head> resolve(const Repository& repository) {
  constexpr std::string_view kBranches = "refs/heads/";
  const auto file = (repository.own / "HEAD").native();
  TRY_ASSIGN(auto ref, parse_ref(repository.head, file));
  Head head;
  for (int hops = 0; hops <= kMostHops; ++hops) {
    if (ref.target.empty()) return Head{ref.commit, head.branch};
    if (ref.target == kReftableHead) return Head{};
    head.branch =
        ref.target.starts_with(kBranches) ? ref.target.substr(kBranches.size()) : ref.target;
    TRY_ASSIGN(auto next, look_up(repository, ref.target));
    if (!next) return head;
    ref = *std::move(next);
  }
  return fail(Code::malformed,
              fmt::format("'{}' leads through more than {} refs", file, kMostHops));
}

}  // namespace

Result<std::optional<Head>> read_head(const fs::path& folder) {
  std::error_code error;
  auto at = fs::canonical(folder.empty() ? "." : folder, error);
  if (error || !fs::is_directory(at, error)) {
    return fail(Code::not_found, quoted(folder) + " is not a directory");
  }
  for (;; at = at.parent_path()) {
    TRY_ASSIGN(const auto repository, find_in(at));
    if (repository) return resolve(*repository);
    if (!at.has_relative_path()) return std::nullopt;
  }
}

}  // namespace ralph::git
