#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "core/base/result.h"
#include "harness/store/location.h"

namespace ralph::store {

/// The directory `.ralph` of a workspace and the directories in it: private (0700), never links, not another user's
/// (but root's, or that of the workspace's owner). Its .gitignore, written when there is none, covers logs, runs,
/// state, tmp and lock only. Code::storage with the path and the remedy when it cannot be made or written.
class Workspace {
 public:
  static Result<Workspace> open(const std::filesystem::path& workspace);
  /// Makes sure that its directories are still there and no links, and that git can read its .gitignore: an agent may
  /// have changed them.
  Result<> check() const;
  /// Its paths, whether they exist or not.
  static Workspace at(const std::filesystem::path& workspace);

  const std::filesystem::path& root() const { return root_; }  // …/.ralph, absolute
  Location lock_file() const { return {root_, {"lock"}}; }
  Location state() const { return {root_, {"state"}}; }
  Location tmp() const { return {root_, {"tmp"}}; }
  Location sessions_file() const { return state() / "claude-session.json"; }
  Location budget_file() const { return state() / "budget.json"; }
  Location run_folder(std::string_view run_id) const {
    return {root_, {"runs", std::string(run_id)}};
  }

 private:
  std::filesystem::path root_;
};

/// Removes what crashed runs left in the tmp directory. Call while holding the lock.
void sweep_tmp(const Workspace& workspace);

/// A private file (0600) that is removed with this object. Replaces nothing: an existing file is an error.
class TempFile {
 public:
  static Result<TempFile> write(const Location& place, std::string_view bytes);
  TempFile(TempFile&& other) noexcept
      : folder_(std::move(other.folder_)), name_(std::exchange(other.name_, {})) {}
  TempFile& operator=(TempFile&&) = delete;
  ~TempFile();

 private:
  TempFile(Folder folder, std::string name) : folder_(std::move(folder)), name_(std::move(name)) {}
  Folder folder_;
  std::string name_;
};

}  // namespace ralph::store
