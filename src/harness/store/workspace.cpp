#include "harness/store/workspace.h"

#include <cerrno>
#include <tuple>

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/file.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"logs", "runs", "state", "tmp"};
constexpr const char* kGitignoreName = ".gitignore";
constexpr off_t kLargestGitignore = off_t{1} << 20;
constexpr std::string_view kGitignore =
    "# Written by ralph. Everything else here can be committed.\n"
    "/.gitignore\n/logs/\n/runs/\n/state/\n/tmp/\n/lock\n/check.running\n";

Result<fs::path> absolute_folder(const fs::path& workspace) {
  std::error_code error;
  auto folder = fs::absolute(workspace.empty() ? "." : workspace, error);
  if (!error && fs::is_directory(folder, error)) return folder.lexically_normal();
  const auto why = error ? error.message() : "it is not a directory";
  return fail(Code::storage,
              fmt::format("cannot use the workspace '{}': {}", workspace.native(), why),
              "create it, or use another directory");
}

/// git reads it whatever it is: it would wait for a pipe for ever.
bool is_good_gitignore(const Folder& folder) {
  struct stat info{};
  return ::fstatat(folder.fd(), kGitignoreName, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
         S_ISREG(info.st_mode) && info.st_size <= kLargestGitignore;
}

/// One that was edited stays.
Result<> write_gitignore(const Folder& folder) {
  if (is_good_gitignore(folder)) return {};
  folder.remove_all(kGitignoreName);
  auto written = folder.write_atomically(kGitignoreName, kGitignore);
  if (!written) written.error() = as_storage(written.error());
  return written;
}

/// The owner of the directory can replace our files at any time.
Result<> check_owner(const Folder& folder) {
  struct stat info{}, workspace{};
  const auto parent = folder.path().parent_path();
  if (::fstat(folder.fd(), &info) != 0 || ::stat(parent.c_str(), &workspace) != 0) {
    return fail_storage(errno, fmt::format("cannot stat '{}'", folder.path().native()));
  }
  const bool fine =
      info.st_uid == ::geteuid() || info.st_uid == 0 || info.st_uid == workspace.st_uid;
  if (fine) return {};
  return fail(
      Code::storage,
      fmt::format("'{}' belongs to another user (uid {})", folder.path().native(), info.st_uid),
      "remove it, or use a directory of your own");
}

}  // namespace

Result<Workspace> Workspace::open(const fs::path& workspace) {
  Workspace opened;
  TRY_ASSIGN(const auto folder, absolute_folder(workspace));
  opened.root_ = folder / ".ralph";
  TRY(opened.check());
  return opened;
}

Result<> Workspace::check() const {
  const auto root = Folder::make(root_);
  if (!root) return std::unexpected(as_storage(root.error()));
  TRY(check_owner(*root));
  for (const auto name : kFolders) TRY((Location{root_, {std::string(name)}}.make_folder()));
  return write_gitignore(*root);
}

Workspace Workspace::at(const fs::path& workspace) {
  Workspace there;
  there.root_ = workspace / ".ralph";
  return there;
}

void sweep_tmp(const Workspace& workspace) {
  constexpr std::size_t kMostNames = 100'000;
  const auto tmp = workspace.tmp().folder();
  if (!tmp) return;
  const auto names = tmp->names(kMostNames);
  if (!names) return;
  for (const auto& name : *names) tmp->remove_all(name);
}

Result<TempFile> TempFile::write(const Location& place, std::string_view bytes) {
  auto folder = place.parent();
  if (!folder) return std::unexpected(as_storage(folder.error()));
  auto fd = folder->create(place.name());
  if (!fd) return std::unexpected(as_storage(fd.error()));
  TempFile file(*std::move(folder), place.name());
  const int error_number = try_write_all(fd->get(), bytes);
  if (error_number == 0) return file;
  return fail_storage(error_number, fmt::format("cannot write '{}'", place.path().native()));
}

TempFile::~TempFile() {
  if (!name_.empty()) std::ignore = folder_.remove(name_);
}

}  // namespace ralph::store
