#include "bench/trial/workspace.h"

#include <algorithm>
#include <chrono>
#include <system_error>

#include <fmt/chrono.h>
#include <fmt/core.h>
#include <unistd.h>

#include "core/base/file.h"
#include "core/base/folder.h"
#include "core/json/writer.h"
#include "harness/run/remove_tree.h"

namespace ralph::trial {
namespace {

namespace fs = std::filesystem;

constexpr int kMostTries = 1000;

Layout layout_at(const fs::path& root) {
  return {root, root / "src-modified", root / "src-expected", root / "artifacts"};
}

/// Every error is one of storage, with a remedy.
template <typename T>
Result<T> or_storage_error(Result<T> result) {
  if (result) return result;
  auto error = as_storage(std::move(result.error()));
  if (error.hint.empty()) {
    error.hint =
        "check the owner of the directory and the free disk space, or set workspace_dir to another "
        "directory";
  }
  return std::unexpected(std::move(error));
}

/// A directory that did not exist before, for this trial alone.
Result<fs::path> make_root(const fs::path& folder, std::string_view name, UtcTime now) {
  for (int i = 0; i < kMostTries; ++i) {
    const auto root = folder / run_id(name, now + Millis(i));
    std::error_code error;
    if (fs::create_directory(root, error)) return root;
    if (error) {
      return fail_errno(error.value(), fmt::format("cannot create '{}'", root.native()));
    }
  }
  return fail(Code::storage, fmt::format("too many runs in '{}'", folder.native()), "try again");
}

Result<> write_lock(const fs::path& root, std::string_view repo, UtcTime now) {
  std::string text;
  json::ObjectWriter(text)
      .number("pid", static_cast<std::int64_t>(::getpid()))
      .text("timestamp", iso_utc(now))
      .text("repo", repo)
      .close();
  // Not synced: it means nothing after a crash of the machine.
  TRY_ASSIGN(const auto folder, Folder::open(root));
  TRY_ASSIGN(const auto file, folder.create(".lock"));
  return write_all(file.get(), text, folder.path_of(".lock").native());
}

/// What ralph would write there, but without waiting for the disk.
Result<> make_state_folder(const fs::path& artifacts) {
  TRY_ASSIGN(const auto folder, Folder::make(artifacts / ".ralph"));
  TRY_ASSIGN(const auto file, folder.create(".gitignore"));
  return write_all(file.get(), "*\n", folder.path_of(".gitignore").native());
}

}  // namespace

std::string run_id(std::string_view workspace_name, UtcTime now) {
  return fmt::format("{}-{:.10}-{}", workspace_name.empty() ? "run" : workspace_name, iso_utc(now),
                     now.time_since_epoch().count());
}

std::string file_time(UtcTime time) {
  auto text = iso_utc(time);
  std::ranges::replace(text, ':', '-');
  std::ranges::replace(text, '.', '-');
  return text;
}

std::string eval_id(UtcTime now) { return "eval-" + file_time(now); }

Result<Workspace> Workspace::create(const fs::path& folder, std::string_view name,
                                    std::string_view repo, UtcTime now) {
  std::error_code error;
  const auto above = fs::absolute(folder, error);
  TRY(or_storage_error(make_folders(above, 0755)));
  TRY_ASSIGN(const auto root, or_storage_error(make_root(fs::canonical(above, error), name, now)));
  Workspace workspace(layout_at(root));
  TRY(or_storage_error(make_folders(workspace.layout_.artifacts / "evaluators", 0755)));
  TRY(or_storage_error(make_state_folder(workspace.layout_.artifacts)));
  TRY(or_storage_error(write_lock(root, repo, now)));
  return workspace;
}

Workspace::~Workspace() {
  std::error_code ignored;
  if (!layout_.root.empty()) fs::remove(layout_.root / ".lock", ignored);
}

void Workspace::remove_all() {
  static_cast<void>(run::remove_tree(layout_.root));
  layout_ = {};
}

Result<> Workspace::remove_sources() {
  TRY(run::remove_tree(layout_.modified));
  return run::remove_tree(layout_.expected);
}

}  // namespace ralph::trial
