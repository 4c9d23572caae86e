#include "store/workspace.h"

#include <cerrno>

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "store/private_files.h"

namespace ralph::store {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolders[] = {"logs", "runs", "state", "tmp"};
constexpr std::string_view kGitignore =
    "# What runs leave behind. Everything else here is yours to commit.\n"
    "/logs/\n/runs/\n/state/\n/tmp/\n/lock\n/check.running\n";

Result<fs::path> absolute_folder(const fs::path& workspace) {
  std::error_code error;
  auto folder = fs::absolute(workspace.empty() ? "." : workspace, error);
  if (!error && fs::is_directory(folder, error)) return folder.lexically_normal();
  const auto why = error ? error.message() : "it is not a folder";
  return fail(Code::storage,
              fmt::format("cannot use the workspace '{}': {}", workspace.native(), why),
              "create it, or work in another folder");
}

Result<> write_gitignore(const fs::path& path) {
  struct stat info{};
  if (::lstat(path.c_str(), &info) == 0) return {};
  auto written = write_file_atomically(path, kGitignore);
  if (!written) written.error().code = Code::storage;
  return written;
}

}  // namespace

Result<Workspace> Workspace::open(const fs::path& workspace) {
  Workspace opened;
  TRY_ASSIGN(const auto folder, absolute_folder(workspace));
  opened.root_ = folder / ".ralph";
  TRY(opened.check());
  TRY(write_gitignore(opened.root_ / ".gitignore"));
  return opened;
}

Result<> Workspace::check() const {
  TRY(make_private_folder(root_));
  for (const auto name : kFolders) TRY(make_private_folder(root_ / name));
  return {};
}

Workspace Workspace::at(const fs::path& workspace) {
  Workspace there;
  there.root_ = workspace / ".ralph";
  return there;
}

void sweep_tmp(const Workspace& workspace) {
  std::error_code error;
  fs::directory_iterator entry(workspace.tmp(), error);
  while (!error && entry != fs::directory_iterator()) {
    std::error_code ignored;
    fs::remove_all(entry->path(), ignored);
    entry.increment(error);
  }
}

Result<TempFile> TempFile::write(const fs::path& path, std::string_view bytes) {
  TRY_ASSIGN(const auto fd, create_private_file(path));
  TempFile file(path);
  const int error_number = try_write_all(fd.get(), bytes);
  if (error_number == 0) return file;
  return fail_storage(error_number, fmt::format("cannot write '{}'", path.native()));
}

TempFile::~TempFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace ralph::store
